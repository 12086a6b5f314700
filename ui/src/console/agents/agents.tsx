// Agents, connected or away.
import type { Agent } from "../../api/generated";
import { useNow } from "../../parts/hooks";
import { since } from "../../model/format";
import { State } from "../../parts/State";
import { useServer } from "../edges/useServer";
import { exactly, Mono, Moment, None, RefLink, Refs } from "../resource/cells";
import { describe, idColumn } from "../resource/kind";
import { AgentDetails } from "./AgentDetails";
import { isOlder } from "./isOlder";

const POLL_INTERVAL_MS = 3_000;

/** An agent that does not tell its host is known by its address. */
const nameOf = ({ host_name: host, ip }: Agent): string => host || `Agent at ${ip}`;

export const agents = describe("/agents", {
  singular: "agent",
  plural: "Agents",
  about:
    "Programs that connect local services to this server, by the hosts they run on: those that are connected, and those that were within the last 30 days.",
  title: nameOf,
  columns: [
    { name: "host_name", label: "Name", text: nameOf },
    {
      name: "state",
      label: "State",
      // Online agents come first, then those that were there last.
      text: ({ state, last_seen }) => (state === "online" ? "0 online" : `1 away ${last_seen ?? ""}`),
      cell: (agent) => <Presence agent={agent} />,
    },
    {
      name: "owner",
      label: "Owner",
      text: ({ owner_id }) => owner_id ?? "",
      cell: ({ owner_id }) => (owner_id ? <RefLink id={owner_id} /> : <None>credential deleted</None>),
    },
    { name: "account", label: "Account", text: ({ account }) => account },
    {
      name: "agent_version",
      label: "Version",
      text: ({ agent_version }) => agent_version,
      cell: (agent) => <Version agent={agent} />,
    },
    { name: "os", label: "System", text: ({ os }) => os },
    {
      name: "tunnels",
      label: "Tunnels",
      text: ({ tunnels }) => String(tunnels),
      number: ({ tunnels }) => tunnels,
    },
    { name: "ip", label: "IP address", text: ({ ip }) => ip, mono: true },
    {
      name: "credential",
      label: "Credential",
      text: ({ credential }) => credential.id,
      cell: ({ credential }) => <RefLink id={credential.id} />,
      hidden: true,
    },
    {
      name: "nodes",
      label: "Nodes",
      text: ({ nodes }) => nodes.map(({ name }) => name).join(", "),
      hidden: true,
    },
    {
      name: "first_seen",
      label: "First seen",
      text: ({ first_seen }) => first_seen,
      cell: ({ first_seen }) => <Moment at={first_seen} />,
      hidden: true,
    },
    idColumn,
  ],
  fields: [],
  facts: (agent) => [
    { label: "State", value: <Presence agent={agent} /> },
    ...(agent.connected_since
      ? [{ label: "Connected since", value: <Moment at={agent.connected_since} /> }]
      : []),
    { label: "First seen", value: <Moment at={agent.first_seen} /> },
    { label: "Account", value: agent.account || <None>unknown</None> },
    { label: "Version", value: <Version agent={agent} /> },
    { label: "System", value: agent.os || <None>unknown</None> },
    { label: "IP address", value: <Mono>{agent.ip}</Mono> },
    { label: "Owner", value: agent.owner_id ? <RefLink id={agent.owner_id} /> : <None>unknown</None> },
    { label: "Credential", value: <RefLink id={agent.credential.id} /> },
    ...(agent.nodes.length > 0 ? [{ label: "Nodes", value: <Refs refs={agent.nodes} none="none" /> }] : []),
  ],
  empty: { sentence: "No agent has connected yet.", command: "postern start --all" },
  live: { every: POLL_INTERVAL_MS, removable: true, removal: "Forget", ofNodes: true },
  deletion: ({ state }) =>
    state === "online"
      ? "The agent is connected: the server refuses to forget it. Stop it first, or delete its credential."
      : "It leaves this list. Its credential stays valid: when it connects again, it is listed again.",
  More: AgentDetails,
});

/** Whether it is connected, or when it was for the last time. */
function Presence({ agent: { state, last_seen } }: { agent: Agent }) {
  const now = useNow(30_000, true);
  if (state === "online")
    return (
      <State tone="ok" icon="check">
        Online
      </State>
    );
  return (
    <span title={last_seen ? exactly(last_seen) : ""}>
      <State tone="idle" icon="clock">{`Last seen ${last_seen ? since(last_seen, now) : "long ago"}`}</State>
    </span>
  );
}

/** The version; one that is older than the server's is marked. */
function Version({ agent: { agent_version: version } }: { agent: Agent }) {
  const server = useServer().data?.version;
  if (!version) return <None>unknown</None>;
  if (server === undefined || !isOlder(version, server)) return version;
  return (
    <span title={`The server has version ${server}`}>
      <State tone="warn" icon="alert">{`${version}, older than the server`}</State>
    </span>
  );
}
