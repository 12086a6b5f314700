// The audit log: who changed what, and when.
import { COLLECTIONS, type AuditEvent } from "../../api/generated";
import { Copyable, Moment, Mono, None, RefLink } from "../resource/cells";
import { describe, idColumn, inside } from "../resource/kind";
import { recordName } from "../resource/recordName";
import { AuditChange } from "./AuditChange";
import { unnamed } from "../../model/ids";

export const OPERATIONS = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  observed: "observed",
} as const;

/** Names of kinds that have no collection of their own. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  https_route: "HTTPS route",
  app_session: "Visitor session",
  app_user: "Logged-in visitor",
  console_session: "Console session",
  api_refusal: "Refused call of the API",
  certificate_expiry: "Certificate that expires soon",
  alert_firing: "Alert",
  alert_warning: "Warning of a quota",
  alert_resolved: "Alert that is over",
};

/** Kinds by their names in events. */
export const KINDS: Readonly<Record<string, string>> = {
  ...OTHER_KINDS,
  ...Object.fromEntries(
    Object.values(COLLECTIONS)
      .filter(({ name }) => !["audit event", "endpoint", "tunnel", "tunnel session"].includes(inside(name)))
      .map(({ name }): [string, string] => [name.toLowerCase().replaceAll(" ", "_"), name])
      .filter(([kind]) => !(kind in OTHER_KINDS)),
  ),
};

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind.replaceAll("_", " ");
}

/** What a record was called at the time, by its settings; null where they do not tell. */
function formerName({ after, before, object_id: id, operation }: AuditEvent): string | null {
  const settings = after ?? before ?? {};
  if (operation === "observed") return observedName(settings);
  const path = settings["match"];
  return recordName({ ...settings, id, uri: "" }) ?? (typeof path === "string" ? path : null);
}

/** What was observed: a call, the names of a certificate, or an alert rule. */
function observedName({
  method,
  path,
  names,
  measure,
  description,
}: Readonly<Record<string, unknown>>): string | null {
  if (Array.isArray(names)) return names.join(", ");
  if (typeof measure === "string")
    return typeof description === "string" && description !== "" ? description : kindName(measure);
  return typeof method === "string" && typeof path === "string" ? `${method} ${path}` : null;
}

/** A record by its name at the time, or by the one that it has now. */
function RecordOf({ event }: { event: AuditEvent }) {
  const { object_id: id, parent_id: parent, operation } = event;
  const name = formerName(event);
  if (!id) return name ?? <None>none</None>;
  if (operation === "deleted") return <span title={id}>{name ?? unnamed(id)}</span>;
  return (
    <RefLink id={id} parent={parent}>
      {name}
    </RefLink>
  );
}

/** The modules that are the only thing a change is about. */
function partOf({ before, after }: AuditEvent): string {
  const names = Object.keys({ ...before, ...after });
  const isPart = names.length > 0 && !names.includes("description");
  return isPart ? ` (${names.map((name) => name.replaceAll("_", " ")).join(", ")})` : "";
}

export function whatHappened(event: AuditEvent): string {
  const name = kindName(event.kind);
  if (event.operation === "observed") return name;
  const words = `${name} ${OPERATIONS[event.operation]}${partOf(event)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The author in words. */
export function authorName(event: AuditEvent): string {
  switch (event.actor_type) {
    case "operator":
      return "Operator, on the server";
    case "server":
      return "The server itself";
    case "visitor":
      return "A visitor";
    default:
      return event.actor_name || unnamed(event.actor_id || event.api_key_id || "unknown");
  }
}

export const auditEvents = describe("/audit_events", {
  singular: "change",
  plural: "Audit log",
  about:
    "Every change of the configuration: who made it, when and from where, and the settings before and after it. Logins, refused calls, alerts and certificates that expire, as far as the server records them.",
  title: (event) => [whatHappened(event), formerName(event)].filter(Boolean).join(": "),
  columns: [
    { name: "what", label: "Change", text: whatHappened },
    {
      name: "object",
      label: "Record",
      text: (event) => formerName(event) ?? unnamed(event.object_id),
      cell: (event) => <RecordOf event={event} />,
    },
    { name: "actor", label: "By", text: authorName },
    { name: "address", label: "Address", text: (event) => event.address, mono: true },
    {
      name: "created_at",
      label: "When",
      text: (event) => event.created_at,
      cell: (event) => <Moment at={event.created_at} />,
    },
    {
      name: "operation_id",
      label: "Operation ID",
      text: (event) => event.operation_id,
      mono: true,
      hidden: true,
    },
    idColumn,
  ],
  fields: [],
  empty: { sentence: "Nothing has been changed yet. Every change of the configuration appears here." },
  live: { every: 10_000 },
  log: true,
  facts: (event) => [
    { label: "Record", value: <RecordOf event={event} /> },
    {
      label: "By",
      value:
        event.actor_id && event.actor_type !== "operator" ? (
          <RefLink id={event.actor_id}>{authorName(event)}</RefLink>
        ) : (
          authorName(event)
        ),
    },
    { label: "API key", value: event.api_key_id ? <RefLink id={event.api_key_id} /> : <None>none</None> },
    {
      label: "Address",
      value: event.address ? <Mono>{event.address}</Mono> : <None>not a call of the API</None>,
    },
    {
      label: "Operation ID",
      value: event.operation_id ? (
        <Copyable text={event.operation_id} what="the operation ID" />
      ) : (
        <None>none</None>
      ),
    },
  ],
  More: AuditChange,
});
