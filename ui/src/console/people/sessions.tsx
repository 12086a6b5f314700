// Sessions of visitors who have logged in: one for each browser and route.
import type { AppSession } from "../../api/generated";
import { VisitorName } from "./VisitorName";
import { Moment, None, RefLink } from "../resource/cells";
import { describe, idColumn, type Column } from "../resource/kind";

/** All columns except the visitor. */
export const sessionColumns: readonly Column<AppSession>[] = [
  { name: "public_url", label: "Logged in at", text: (session) => session.public_url },
  { name: "browser", label: "Browser", text: browserOf },
  { name: "ip", label: "IP address", text: (session) => session.browser_session.ip_address, mono: true },
  {
    name: "last_active",
    label: "Last active",
    text: (session) => session.last_active,
    cell: (session) => <Moment at={session.last_active} />,
  },
  {
    name: "expires_at",
    label: "Ends",
    text: (session) => session.expires_at,
    cell: (session) => <Moment at={session.expires_at || null} none="after inactivity" upcoming />,
  },
];

export const sessions = describe("/app/sessions", {
  singular: "visitor session",
  plural: "Visitor sessions",
  about:
    "Browsers that are logged in at an edge or tunnel. Ending a session takes effect from its next request on.",
  title: (session) => `${browserOf(session)} at ${session.public_url}`,
  columns: [
    ...sessionColumns,
    {
      name: "person",
      label: "Visitor",
      text: (session) => session.application_user.id,
      cell: (session) => <VisitorName id={session.application_user.id} />,
    },
    idColumn,
  ],
  fields: [],
  empty: {
    sentence:
      "No visitor is logged in. Add OAuth, OpenID Connect or SAML to a route of an HTTPS edge; its visitors appear here.",
  },
  live: { every: 5_000, removable: true, removal: "End" },
  deletion: () => "The next request from this browser has to log in again.",
  touches: ["/app/users"],
  facts: (session) => [
    { label: "Visitor", value: <VisitorName id={session.application_user.id} /> },
    { label: "IP address", value: session.browser_session.ip_address },
    { label: "System", value: systemOf(session) || <None>unknown</None> },
    { label: "Logged in", value: <Moment at={session.created_at} /> },
    { label: "Last active", value: <Moment at={session.last_active} /> },
    { label: "Ends", value: <Moment at={session.expires_at || null} none="after inactivity" upcoming /> },
    { label: "Edge", value: session.edge ? <RefLink id={session.edge.id} /> : <None>a tunnel</None> },
  ],
});

function browserOf({ browser_session: { user_agent: agent } }: AppSession): string {
  return `${agent.browser_name} ${agent.browser_version}`.trim() || agent.raw || "Unknown browser";
}

function systemOf({ browser_session: { user_agent: agent } }: AppSession): string {
  return `${agent.os_name} ${agent.os_version}`.trim();
}
