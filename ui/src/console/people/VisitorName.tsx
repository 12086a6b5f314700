// The name of a logged-in visitor as a link to its page.
import { collection } from "../../api/management";
import { recordQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import { nameOf } from "./visitorName";

const VISITORS = collection("/app/users");

export function VisitorName({ id }: { id: string }) {
  const { data } = useApiQuery(recordQuery(VISITORS, id));
  return data?.id === id ? <RefLink id={id}>{nameOf(data)}</RefLink> : <RefLink id={id} />;
}
