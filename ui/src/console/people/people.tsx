// Visitors who have logged in, by their accounts.
import type { AppUser } from "../../api/generated";
import { Mono, Moment, None } from "../resource/cells";
import { describe, idColumn } from "../resource/kind";
import { nameOf } from "./visitorName";
import { SessionsOfVisitor } from "./SessionsOfVisitor";

export const people = describe("/app/users", {
  singular: "visitor",
  plural: "Logged-in visitors",
  about: "Visitors who have logged in at an edge or tunnel, by the account that they used.",
  title: (user) => nameOf(user),
  columns: [
    { name: "name", label: "Name", text: nameOf },
    { name: "email", label: "E-mail", text: (user) => user.email },
    {
      name: "provider",
      label: "Provider",
      text: (user) => providerOf(user),
    },
    {
      name: "last_active",
      label: "Last active",
      text: (user) => user.last_active,
      cell: (user) => <Moment at={user.last_active} />,
    },
    {
      name: "last_login",
      label: "Last login",
      text: (user) => user.last_login,
      cell: (user) => <Moment at={user.last_login} />,
      hidden: true,
    },
    {
      name: "created_at",
      label: "First login",
      text: (user) => user.created_at,
      cell: (user) => <Moment at={user.created_at} />,
    },
    {
      name: "provider_user_id",
      label: "Provider's ID",
      text: (user) => user.provider_user_id,
      mono: true,
      hidden: true,
    },
    idColumn,
  ],
  fields: [],
  empty: {
    sentence:
      "No visitor has logged in yet. Add OAuth, OpenID Connect or SAML to a route of an HTTPS edge; its visitors appear here.",
  },
  live: { every: 5_000, removable: true, removal: "Log out" },
  deletion: () =>
    "All sessions of this visitor end: the next request has to log in again. To refuse the visitor, change the allowed accounts of the route or at the identity provider.",
  touches: ["/app/sessions"],
  facts: (user) => [
    { label: "E-mail", value: user.email || <None>unknown</None> },
    { label: "Provider", value: providerOf(user) },
    { label: "Provider's ID", value: <Mono>{user.provider_user_id}</Mono> },
    ...(user.username ? [{ label: "User name", value: user.username }] : []),
    { label: "Last active", value: <Moment at={user.last_active} /> },
    { label: "Last login", value: <Moment at={user.last_login} /> },
  ],
  More: SessionsOfVisitor,
});

function providerOf({ identity_provider: { name, url } }: AppUser): string {
  return name && url ? `${name} (${url})` : name || url;
}
