// Everything connected now: agent sessions, their tunnels, the public addresses, and the servers themselves.
import { mapped } from "../../model/format";
import { isOpenable, QrButton } from "../../parts/QrButton";
import { ExternalLink } from "../edges/ExternalLink";
import { TunnelRequests } from "../requests/TunnelRequests";
import { Moment, Mono, RefLink, Refs } from "../resource/cells";
import { describe, idColumn, type Column } from "../resource/kind";
import { healthColumn, requestsColumn } from "./trafficColumns";
import { SessionCommands } from "./SessionCommands";
import { unnamed } from "../../model/ids";

const POLL_INTERVAL_MS = 3_000;

const started: Column<{ id: string; uri: string; started_at: string }> = {
  name: "started_at",
  label: "Since",
  text: (record) => record.started_at,
  cell: (record) => <Moment at={record.started_at} />,
};

/** The public address of a tunnel that only edges reach. */
const LABELS_ONLY = "labels only";

/** An address, as a link where a browser can open it. */
function Address({ url }: { url: string }) {
  if (!/^https?:/.test(url)) return <Mono>{url || "none"}</Mono>;
  return (
    <>
      <ExternalLink to={url}>{url}</ExternalLink>
      {isOpenable(url) && <QrButton url={url} />}
    </>
  );
}

export const tunnelSessions = describe("/tunnel_sessions", {
  singular: "agent session",
  plural: "Agent sessions",
  about: "Connections of agents now. An agent has several where the server has several nodes.",
  title: (session) => session.host_name || `${session.os} at ${session.ip}`,
  columns: [
    {
      name: "host_name",
      label: "Agent",
      text: (session) => session.host_name || `${session.os} at ${session.ip}`,
    },
    { name: "account", label: "Account", text: (session) => session.account ?? "", hidden: true },
    { name: "ip", label: "IP address", text: (session) => session.ip, mono: true },
    { name: "agent_version", label: "Version", text: (session) => session.agent_version },
    { name: "os", label: "System", text: (session) => session.os },
    { name: "transport", label: "Transport", text: (session) => session.transport },
    {
      name: "credential",
      label: "Credential",
      text: (session) => session.credential.id,
      cell: (session) => <RefLink id={session.credential.id} />,
    },
    { name: "node", label: "Node", text: (session) => session.node?.name ?? "", hidden: true },
    { name: "metadata", label: "Metadata", text: (session) => session.metadata, hidden: true },
    idColumn,
    started,
  ],
  fields: [],
  facts: (session) => [
    ...(session.agent ? [{ label: "Agent", value: <RefLink id={session.agent.id} /> }] : []),
    ...(session.account ? [{ label: "Account", value: session.account }] : []),
    { label: "IP address", value: <Mono>{session.ip}</Mono> },
    { label: "Version", value: session.agent_version },
    { label: "System", value: session.os },
    { label: "Transport", value: session.transport },
    { label: "Credential", value: <RefLink id={session.credential.id} /> },
    { label: "Since", value: <Moment at={session.started_at} /> },
    { label: "Metadata", value: session.metadata || "none" },
    ...(session.node
      ? [{ label: "Node", value: <RefLink id={session.node.id}>{session.node.name}</RefLink> }]
      : []),
  ],
  empty: { sentence: "No agent is connected.", command: "postern start --all" },
  live: { every: POLL_INTERVAL_MS, ofNodes: true },
  More: SessionCommands,
});

export const tunnels = describe("/tunnels", {
  singular: "tunnel",
  plural: "Tunnels",
  about: "Tunnels of all agents that are connected now.",
  title: (tunnel) => tunnel.public_url || mapped(tunnel.labels) || unnamed(tunnel.id),
  columns: [
    {
      name: "public_url",
      label: "Public address",
      text: (tunnel) => tunnel.public_url || mapped(tunnel.labels),
    },
    { name: "forwards_to", label: "Forwards to", text: (tunnel) => tunnel.forwards_to, mono: true },
    { name: "proto", label: "Protocol", text: (tunnel) => tunnel.proto || LABELS_ONLY },
    requestsColumn,
    healthColumn,
    {
      name: "tunnel_session",
      label: "Agent session",
      text: (tunnel) => tunnel.tunnel_session.id,
      cell: (tunnel) => <RefLink id={tunnel.tunnel_session.id} />,
    },
    { name: "labels", label: "Labels", text: (tunnel) => mapped(tunnel.labels), hidden: true },
    { name: "node", label: "Node", text: (tunnel) => tunnel.node?.name ?? "", hidden: true },
    { name: "metadata", label: "Metadata", text: (tunnel) => tunnel.metadata, hidden: true },
    idColumn,
    started,
  ],
  fields: [],
  facts: (tunnel) => [
    { label: "Public address", value: tunnel.public_url ? <Address url={tunnel.public_url} /> : LABELS_ONLY },
    { label: "Forwards to", value: <Mono>{tunnel.forwards_to}</Mono> },
    { label: "Labels", value: mapped(tunnel.labels) || "none" },
    { label: "Agent session", value: <RefLink id={tunnel.tunnel_session.id} /> },
    { label: "Backends with this tunnel", value: <Refs refs={tunnel.backends} none="none" /> },
    { label: "Since", value: <Moment at={tunnel.started_at} /> },
  ],
  traffic: true,
  empty: { sentence: "No tunnel is running.", command: "postern http 8080" },
  live: { every: POLL_INTERVAL_MS, ofNodes: true },
  More: TunnelRequests,
});

export const endpoints = describe("/endpoints", {
  singular: "endpoint",
  plural: "Endpoints",
  about: "Every address that visitors can use now, of tunnels and of edges.",
  title: (endpoint) => endpoint.public_url,
  columns: [
    { name: "public_url", label: "Public address", text: (endpoint) => endpoint.public_url },
    {
      name: "type",
      label: "Source",
      text: (endpoint) => (endpoint.type === "edge" ? "Edge" : "Tunnel"),
      cell: ({ edge, tunnel, type }) => {
        const behind = edge ?? tunnel;
        const words = type === "edge" ? "Edge" : "Tunnel";
        return behind ? <RefLink id={behind.id}>{words}</RefLink> : words;
      },
    },
    { name: "proto", label: "Protocol", text: (endpoint) => endpoint.proto },
    { name: "name", label: "Tunnel", text: (endpoint) => endpoint.name },
    { name: "upstream_url", label: "Forwards to", text: (endpoint) => endpoint.upstream_url, mono: true },
    { name: "description", label: "Description", text: (endpoint) => endpoint.description, hidden: true },
    idColumn,
    {
      name: "created_at",
      label: "Since",
      text: (endpoint) => endpoint.created_at,
      cell: (endpoint) => <Moment at={endpoint.created_at} />,
    },
  ],
  fields: [],
  facts: (endpoint) => [
    { label: "Public address", value: <Address url={endpoint.public_url} /> },
    { label: "Protocol", value: endpoint.proto },
    ...(
      [
        ["Edge", endpoint.edge],
        ["Tunnel", endpoint.tunnel],
        ["Agent session", endpoint.tunnel_session],
        ["Reserved domain", endpoint.domain],
        ["Reserved address", endpoint.tcp_addr],
        ["Owner", endpoint.principal],
      ] as const
    ).flatMap(([label, of]) => (of ? [{ label, value: <RefLink id={of.id} /> }] : [])),
  ],
  empty: {
    sentence: "There is no public address yet. Start a tunnel or create an edge.",
    command: "postern http 8080",
  },
  live: { every: POLL_INTERVAL_MS, ofNodes: true },
});

const LINKS = { own: "this server", up: "connected", down: "not connected" } as const;
const STATES = { starting: "Starting", serving: "Serving", draining: "Draining" } as const;

export const nodes = describe("/nodes", {
  singular: "node",
  plural: "Nodes",
  about: "Servers that share this configuration.",
  title: (node) => node.name,
  columns: [
    { name: "name", label: "Name", text: (node) => node.name },
    { name: "address", label: "Address", text: (node) => node.address || "none", mono: true },
    { name: "state", label: "State", text: (node) => STATES[node.state] },
    { name: "link", label: "Connection", text: (node) => LINKS[node.link] },
    {
      name: "revision",
      label: "Revision",
      text: (node) => node.revision?.toString() ?? "unknown",
      mono: true,
    },
    { name: "version", label: "Version", text: (node) => node.version },
    idColumn,
    started,
  ],
  fields: [],
  facts: (node) => [
    { label: "Address", value: <Mono>{node.address || "none"}</Mono> },
    { label: "State", value: STATES[node.state] },
    { label: "Connection", value: LINKS[node.link] },
    { label: "Revision", value: node.revision?.toString() ?? "unknown" },
    { label: "Version", value: node.version },
    { label: "Since", value: <Moment at={node.started_at} /> },
  ],
  empty: { sentence: "No server is registered." },
  live: { every: POLL_INTERVAL_MS },
});
