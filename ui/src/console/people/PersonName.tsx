// The name of a person as a link to their page.
import type { AppUser } from "../../api/generated";
import { recordQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import { nameOf } from "./personName";

const PEOPLE = { path: "/app/users", member: "application_users" };

export function PersonName({ id }: { id: string }) {
  const { data } = useApiQuery(recordQuery<AppUser>(PEOPLE, id));
  return data?.id === id ? <RefLink id={id}>{nameOf(data)}</RefLink> : <RefLink id={id} />;
}
