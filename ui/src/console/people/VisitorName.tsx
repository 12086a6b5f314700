// The name of a person as a link to their page.
import { collection } from "../../api/management";
import { recordQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import { nameOf } from "./personName";

const PEOPLE = collection("/app/users");

export function PersonName({ id }: { id: string }) {
  const { data } = useApiQuery(recordQuery(PEOPLE, id));
  return data?.id === id ? <RefLink id={id}>{nameOf(data)}</RefLink> : <RefLink id={id} />;
}
