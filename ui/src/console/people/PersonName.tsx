// The name of a person as a link to their page.
import type { AppUser } from "../../api/generated";
import { oneOf, useAsked } from "../management";
import { RefLink } from "../resource/cells";
import { nameOf } from "./names";

const PEOPLE = { path: "/app/users", member: "application_users" };

export function PersonName({ id }: { id: string }) {
  const { data } = useAsked(oneOf<AppUser>(PEOPLE, id));
  return data?.id === id ? <RefLink id={id}>{nameOf(data)}</RefLink> : <RefLink id={id} />;
}
