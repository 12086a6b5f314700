// Everything connected now: agent sessions, their tunnels, the public addresses.
import { mapped } from "../../model/format";
import { ExternalLink } from "../edges/ExternalLink";
import { Moment, Mono, RefLink, Refs } from "../resource/cells";
import { describe, idColumn, type Column } from "../resource/kind";
import { SessionCommands } from "./SessionCommands";

const POLL_INTERVAL_MS = 3_000;

const started: Column<{ id: string; uri: string; started_at: string }> = {
  name: "started_at",
  label: "Since",
  text: (record) => record.started_at,
  cell: (record) => <Moment at={record.started_at} />,
};

/** An address, as a link where a browser can open it. */
function Address({ url }: { url: string }) {
  if (!/^https?:/.test(url)) return <Mono>{url || "none"}</Mono>;
  return <ExternalLink to={url}>{url}</ExternalLink>;
}

export const tunnelSessions = describe("/tunnel_sessions", {
  singular: "session",
  plural: "Sessions",
  about: "Agents that are connected now.",
  title: (session) => `${session.os} at ${session.ip}`,
  columns: [
    { name: "ip", label: "Address", text: (session) => session.ip, mono: true },
    { name: "agent_version", label: "Agent", text: (session) => session.agent_version },
    { name: "os", label: "System", text: (session) => session.os },
    { name: "transport", label: "Transport", text: (session) => session.transport },
    {
      name: "credential",
      label: "Credential",
      text: (session) => session.credential.id,
      cell: (session) => <RefLink id={session.credential.id} />,
    },
    { name: "metadata", label: "Metadata", text: (session) => session.metadata, hidden: true },
    { ...idColumn, hidden: true },
    started,
  ],
  fields: [],
  facts: (session) => [
    { label: "Address", value: <Mono>{session.ip}</Mono> },
    { label: "Agent", value: `${session.agent_version} on ${session.os}` },
    { label: "Transport", value: session.transport },
    { label: "Credential", value: <RefLink id={session.credential.id} /> },
    { label: "Since", value: <Moment at={session.started_at} /> },
    { label: "Metadata", value: session.metadata || "none" },
  ],
  empty: { sentence: "No agent is connected.", command: "postern start --all" },
  live: { every: POLL_INTERVAL_MS },
  More: SessionCommands,
});

export const tunnels = describe("/tunnels", {
  singular: "tunnel",
  plural: "Tunnels",
  about: "Tunnels of all agents that are connected now.",
  title: (tunnel) => tunnel.public_url || mapped(tunnel.labels) || tunnel.id,
  columns: [
    {
      name: "public_url",
      label: "Public address",
      text: (tunnel) => tunnel.public_url || mapped(tunnel.labels),
    },
    { name: "forwards_to", label: "Forwards to", text: (tunnel) => tunnel.forwards_to, mono: true },
    { name: "proto", label: "Protocol", text: (tunnel) => tunnel.proto || "by labels" },
    {
      name: "tunnel_session",
      label: "Session",
      text: (tunnel) => tunnel.tunnel_session.id,
      cell: (tunnel) => <RefLink id={tunnel.tunnel_session.id} />,
    },
    { name: "labels", label: "Labels", text: (tunnel) => mapped(tunnel.labels), hidden: true },
    { name: "metadata", label: "Metadata", text: (tunnel) => tunnel.metadata, hidden: true },
    { ...idColumn, hidden: true },
    started,
  ],
  fields: [],
  facts: (tunnel) => [
    { label: "Public address", value: tunnel.public_url ? <Address url={tunnel.public_url} /> : "by labels" },
    { label: "Forwards to", value: <Mono>{tunnel.forwards_to}</Mono> },
    { label: "Labels", value: mapped(tunnel.labels) || "none" },
    { label: "Session", value: <RefLink id={tunnel.tunnel_session.id} /> },
    { label: "Backends with this tunnel", value: <Refs refs={tunnel.backends} none="none" /> },
    { label: "Since", value: <Moment at={tunnel.started_at} /> },
  ],
  empty: { sentence: "No tunnel is running.", command: "postern http 8080" },
  live: { every: POLL_INTERVAL_MS },
});

export const endpoints = describe("/endpoints", {
  singular: "endpoint",
  plural: "Endpoints",
  about: "Every address that visitors can use now, of tunnels and of edges.",
  title: (endpoint) => endpoint.public_url,
  columns: [
    { name: "public_url", label: "Address", text: (endpoint) => endpoint.public_url },
    {
      name: "type",
      label: "Of",
      text: (endpoint) => (endpoint.type === "edge" ? "an edge" : "a tunnel"),
      cell: ({ edge, tunnel, type }) => {
        const behind = edge ?? tunnel;
        const words = type === "edge" ? "an edge" : "a tunnel";
        return behind ? <RefLink id={behind.id}>{words}</RefLink> : words;
      },
    },
    { name: "proto", label: "Protocol", text: (endpoint) => endpoint.proto },
    { name: "name", label: "Tunnel", text: (endpoint) => endpoint.name },
    { name: "upstream_url", label: "Forwards to", text: (endpoint) => endpoint.upstream_url, mono: true },
    { name: "description", label: "Description", text: (endpoint) => endpoint.description, hidden: true },
    { ...idColumn, hidden: true },
    {
      name: "created_at",
      label: "Since",
      text: (endpoint) => endpoint.created_at,
      cell: (endpoint) => <Moment at={endpoint.created_at} />,
    },
  ],
  fields: [],
  facts: (endpoint) => [
    { label: "Address", value: <Address url={endpoint.public_url} /> },
    { label: "Protocol", value: endpoint.proto },
    ...(
      [
        ["Edge", endpoint.edge],
        ["Tunnel", endpoint.tunnel],
        ["Session", endpoint.tunnel_session],
        ["Reserved domain", endpoint.domain],
        ["Reserved address", endpoint.tcp_addr],
        ["Owner", endpoint.principal],
      ] as const
    ).flatMap(([label, of]) => (of ? [{ label, value: <RefLink id={of.id} /> }] : [])),
  ],
  empty: {
    sentence: "There is no address yet. Start a tunnel or create an edge.",
    command: "postern http 8080",
  },
  live: { every: POLL_INTERVAL_MS },
});
