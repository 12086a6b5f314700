// The targets of edges: tunnels by their labels, addresses, fixed responses, and backends that combine backends.
import { mapped } from "../../model/format";
import { State } from "../../parts/State";
import { RefLink, Refs } from "../resource/cells";
import type { FlagField, Row, RowsField } from "../form/field";
import { description, metadata } from "../form/fields";
import { share } from "../form/inputs/CombinationInputs";
import { isRecord } from "../form/values";
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../resource/kind";
import { created } from "./columns";
import { GroupTunnels } from "./GroupTunnels";
import { HTTP_RESPONSES, STATIC_BACKENDS, TUNNEL_GROUPS, WEIGHTED_BACKENDS } from "./references";

/** Tunnels come and go; in milliseconds. */
const TUNNELS_INTERVAL_MS = 5_000;

const TOUCHES = [
  "/edges/https",
  "/edges/tls",
  "/edges/tcp",
  "/backends/weighted",
  "/backends/failover",
] as const;

export const labelsField: RowsField = {
  kind: "rows",
  name: "labels",
  label: "Labels",
  help: "A tunnel with all of these labels belongs to the group; it may have others.",
  columns: [
    { name: "name", label: "Key" },
    { name: "value", label: "Value" },
  ],
  shape: "map",
  add: "Add label",
};

export const tunnelGroups = describe("/backends/tunnel_group", {
  singular: "tunnel group",
  plural: "Tunnel groups",
  about: "All connected tunnels with certain labels. Visitors are distributed among them.",
  title: TUNNEL_GROUPS.title,
  columns: [
    { name: "labels", label: "Labels", text: (group) => mapped(group.labels), mono: true },
    {
      name: "tunnels",
      label: "Connected tunnels",
      text: (group) => String(group.tunnels.length),
      number: (group) => group.tunnels.length,
    },
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [labelsField, description(), metadata],
  facts: (group) => [{ label: "Connected tunnels", value: group.tunnels.length }],
  More: GroupTunnels,
  refresh: TUNNELS_INTERVAL_MS,
  dependents: true,
  empty: {
    sentence: "There is no tunnel group. Create one with labels, then start tunnels with these labels.",
    command: "postern tunnel --label team=web localhost:8080",
  },
  touches: TOUCHES,
});

/** The API's rule: a host, a colon, a port. */
export function addressMistake(value: string): string | null {
  const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):(\d{1,5})$/.exec(value);
  if (!parts)
    return "Enter a host and a port, such as 192.0.2.7:8080, app.internal:443 or [2001:db8::7]:443.";
  const port = Number(parts[2]);
  return port >= 1 && port <= 65_535 ? null : "A port is a number from 1 to 65535.";
}

export const tlsField: FlagField = {
  kind: "flag",
  name: "tls",
  label: "Connect with TLS",
  help: "Its certificate is verified with the authorities that the server's machine trusts.",
  initial: false,
  read: ({ tls: settings }) => isRecord(settings) && settings["enabled"],
  write: (enabled) => ({ enabled }),
};

export const staticBackends = describe("/backends/static", {
  singular: "static backend",
  plural: "Static backends",
  about: "Addresses that the server reaches without a tunnel.",
  title: STATIC_BACKENDS.title,
  columns: [
    { name: "address", label: "Address", text: (backend) => backend.address, mono: true },
    {
      name: "tls",
      label: "Protocol",
      text: (backend) => (backend.tls.enabled ? "TLS" : "unencrypted"),
      cell: (backend) => (
        <State tone={backend.tls.enabled ? "ok" : "idle"} icon={backend.tls.enabled ? "lock" : "circle"}>
          {backend.tls.enabled ? "TLS" : "unencrypted"}
        </State>
      ),
    },
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "address",
      label: "Address",
      help: "A host and a port.",
      placeholder: "192.0.2.7:8080",
      required: true,
      maxBytes: 259,
      mono: true,
      check: addressMistake,
    },
    tlsField,
    description(),
    metadata,
  ],
  dependents: true,
  empty: {
    sentence: "There is no static backend. Create one for a service that the server can reach directly.",
  },
  touches: TOUCHES,
});

/** The API's rule: the server's own headers cannot be set. */
function headerMistake({ name = "", value = "" }: Row): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name.trim())) return `“${name}” is no name of a header.`;
  return [...value].some((letter) => letter < " " && letter !== "\t")
    ? `The value of ${name} has control characters.`
    : null;
}

export const httpResponses = describe("/backends/http_response", {
  singular: "HTTP response",
  plural: "HTTP responses",
  about: "Fixed responses from the server itself, for maintenance pages and redirects.",
  title: HTTP_RESPONSES.title,
  columns: [
    {
      name: "status_code",
      label: "Status",
      text: (backend) => String(backend.status_code),
      number: (backend) => backend.status_code,
    },
    descriptionColumn,
    { name: "body", label: "Body", text: (backend) => backend.body.slice(0, 120) },
    { name: "headers", label: "Headers", text: (backend) => mapped(backend.headers) },
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "number",
      name: "status_code",
      label: "Status",
      min: 200,
      max: 599,
      initial: 200,
      required: true,
    },
    {
      kind: "rows",
      name: "headers",
      label: "Headers",
      help: "The server itself sets the headers for body length and connection handling.",
      columns: [
        { name: "name", label: "Header" },
        { name: "value", label: "Value" },
      ],
      shape: "map",
      add: "Add header",
      maxItems: 50,
      check: headerMistake,
    },
    { kind: "text", name: "body", label: "Body", maxBytes: 256 * 1024, rows: 6 },
    description(),
    metadata,
  ],
  dependents: true,
  empty: { sentence: "There is no HTTP response. Create one for a page that needs no service." },
  touches: TOUCHES,
});

export const weightedBackends = describe("/backends/weighted", {
  singular: "weighted backend",
  plural: "Weighted backends",
  about: "Several backends that share visitors by weight.",
  title: titleOf,
  columns: [
    descriptionColumn,
    {
      name: "backends",
      label: "Shares",
      text: ({ backends }) => Object.keys(backends).join(" "),
      cell: ({ backends }) => <Shares backends={backends} />,
    },
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "weights",
      name: "backends",
      label: "Backends",
      help: "Weights from 0 to 10000; the resulting share is shown next to each. A backend with weight 0 gets no visitors.",
      of: [TUNNEL_GROUPS, STATIC_BACKENDS, HTTP_RESPONSES],
    },
    description(),
    metadata,
  ],
  dependents: true,
  empty: {
    sentence: "There is no weighted backend. Create the backends first, then share visitors among them.",
  },
  touches: TOUCHES,
});

function Shares({ backends }: { backends: Readonly<Record<string, number>> }) {
  const all = Object.values(backends);
  return Object.entries(backends).map(([id, weight], index) => (
    <span key={id}>
      {index > 0 && ", "}
      {share(weight, all)} <RefLink id={id} />
    </span>
  ));
}

export const failoverBackends = describe("/backends/failover", {
  singular: "failover backend",
  plural: "Failover backends",
  about: "Several backends tried in order: the next one when the previous ones cannot be reached.",
  title: titleOf,
  columns: [
    descriptionColumn,
    {
      name: "backends",
      label: "Order",
      text: ({ backends }) => backends.join(" "),
      cell: ({ backends }) => <Refs refs={backends.map((id) => ({ id }))} none="none" />,
    },
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    {
      kind: "order",
      name: "backends",
      label: "Backends",
      help: "The first reachable one serves the visitors.",
      of: [TUNNEL_GROUPS, STATIC_BACKENDS, HTTP_RESPONSES, WEIGHTED_BACKENDS],
    },
    description(),
    metadata,
  ],
  dependents: true,
  empty: { sentence: "There is no failover backend. Create the backends first, then put them in order." },
  touches: TOUCHES,
});
