// The audit log: who changed what, and when.
import { COLLECTIONS, type AuditEvent } from "../../api/generated";
import { Moment, Mono, None, RefLink } from "../resource/cells";
import { describe, idColumn, inside } from "../resource/kind";
import { recordName } from "../resource/recordName";
import { AuditChange } from "./AuditChange";

export const OPERATIONS = { created: "created", updated: "changed", deleted: "deleted" } as const;

/** Names of kinds that have no collection of their own. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  https_route: "HTTPS route",
  app_session: "Visitor session",
  app_user: "Logged-in visitor",
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

/** What a record is called in an event: by its settings at the time. */
export function objectName(event: AuditEvent): string {
  const settings = event.after ?? event.before ?? {};
  return recordName({ ...settings, id: event.object_id, uri: "" }) ?? event.object_id;
}

/** The modules that are the only thing a change is about. */
function partOf({ before, after }: AuditEvent): string {
  const names = Object.keys({ ...before, ...after });
  const isPart = names.length > 0 && !names.includes("description");
  return isPart ? ` (${names.map((name) => name.replaceAll("_", " ")).join(", ")})` : "";
}

export function whatHappened(event: AuditEvent): string {
  const name = kindName(event.kind);
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
      return event.actor_name || event.actor_id || event.api_key_id || "unknown";
  }
}

export const auditEvents = describe("/audit_events", {
  singular: "change",
  plural: "Audit log",
  about:
    "Every change of the configuration: who made it, when and from where, and the settings before and after it.",
  title: (event) => `${whatHappened(event)}: ${objectName(event)}`,
  columns: [
    { name: "what", label: "Change", text: whatHappened },
    {
      name: "object",
      label: "Record",
      text: objectName,
      cell: (event) =>
        event.operation === "deleted" ? (
          <span title={event.object_id}>{objectName(event)}</span>
        ) : (
          <RefLink id={event.object_id} parent={event.parent_id}>
            {objectName(event)}
          </RefLink>
        ),
    },
    { name: "actor", label: "By", text: authorName },
    { name: "address", label: "From", text: (event) => event.address, mono: true },
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
  facts: (event) => [
    {
      label: "Record",
      value: (
        <RefLink id={event.object_id} parent={event.parent_id}>
          {objectName(event)}
        </RefLink>
      ),
    },
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
      label: "From",
      value: event.address ? <Mono>{event.address}</Mono> : <None>not a call of the API</None>,
    },
    {
      label: "Operation ID",
      value: event.operation_id ? <Mono>{event.operation_id}</Mono> : <None>none</None>,
    },
  ],
  More: AuditChange,
});
