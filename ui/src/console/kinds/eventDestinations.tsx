// Event destinations: URLs that audit events are sent to, as signed webhooks.
import type { EventDelivery, EventDestination } from "../../api/generated";
import { State } from "../../parts/State";
import { KINDS, OPERATIONS } from "../audit/auditEvents";
import { description, metadata } from "../form/fields";
import { Moment, Mono, None, RefLink } from "../resource/cells";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { created } from "./columns";
import { SigningSecret } from "./SigningSecret";

const EVERY_KIND = "*";

function result({ status_code: status, error }: EventDelivery): string {
  return error ? `Not accepted: ${error}` : `Accepted with status ${String(status)}`;
}

function state({ enabled, last_delivery: last }: EventDestination) {
  if (!enabled) return { tone: "idle", icon: "circle", words: "Disabled" } as const;
  if (last?.error) return { tone: "bad", icon: "alert", words: `Retrying: ${last.error}` } as const;
  return { tone: "ok", icon: "check", words: "Enabled" } as const;
}

function StateOf({ destination }: { destination: EventDestination }) {
  const { tone, icon, words } = state(destination);
  return (
    <State tone={tone} icon={icon}>
      {words}
    </State>
  );
}

function LastDelivery({ last }: { last: EventDelivery | null }) {
  if (!last) return <None>none yet</None>;
  return (
    <>
      {result(last)}, <Moment at={last.at} />
      {last.attempts > 1 && `, after ${String(last.attempts)} attempts`}
      {", event "}
      <RefLink id={last.event_id}>
        <Mono>{last.event_id}</Mono>
      </RefLink>
    </>
  );
}

export const eventDestinations = describe("/event_destinations", {
  singular: "event destination",
  plural: "Event destinations",
  about:
    "URLs that audit events are sent to, as signed webhooks. Each event is sent until it is accepted, in order. Only administrators can see this list.",
  title: (destination) => destination.description || destination.url,
  columns: [
    { name: "url", label: "URL", text: ({ url }) => url, mono: true },
    descriptionColumn,
    {
      name: "state",
      label: "State",
      text: (destination) => state(destination).words,
      cell: (destination) => <StateOf destination={destination} />,
    },
    {
      name: "pending",
      label: "Waiting",
      text: ({ pending }) => String(pending),
      number: ({ pending }) => pending,
    },
    {
      name: "last_delivery",
      label: "Last attempt",
      text: ({ last_delivery: last }) => last?.at ?? "",
      cell: ({ last_delivery: last }) => <Moment at={last?.at} />,
    },
    created,
    idColumn,
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "url",
      label: "URL",
      help: "Receives a POST request for each event. Plain HTTP is for loopback and private addresses.",
      required: true,
      placeholder: "https://siem.example.com/postern",
      maxBytes: 2048,
      mono: true,
    },
    {
      kind: "flag",
      name: "enabled",
      label: "Enabled",
      help: "If off, events wait in the audit log, as long as it keeps them.",
      initial: true,
    },
    {
      kind: "list",
      name: "kinds",
      label: "Kinds of events",
      help: `Such as ip_policy, app_session (logins), alert_firing or certificate_expiry. None, or ${EVERY_KIND}, for all.`,
      placeholder: EVERY_KIND,
      maxItems: 64,
      check: (kind) => (kind === EVERY_KIND || kind in KINDS ? null : "There are no events of this kind."),
    },
    {
      kind: "list",
      name: "operations",
      label: "Operations",
      help: "Some of created, updated, deleted or observed. None for all.",
      maxItems: 4,
      check: (operation) => (operation in OPERATIONS ? null : "Write created, updated, deleted or observed."),
    },
    description("What receives the events."),
    metadata,
  ],
  empty: {
    sentence:
      "There is no event destination. Create one to send audit events to a program that watches them, such as a SIEM.",
    command: "postern api event-destinations create --url https://siem.example.com/postern",
  },
  facts: (destination) => [
    { label: "State", value: <StateOf destination={destination} /> },
    { label: "Last attempt", value: <LastDelivery last={destination.last_delivery} /> },
    ...(destination.last_delivery?.next_attempt_at
      ? [{ label: "Next attempt", value: <Moment at={destination.last_delivery.next_attempt_at} upcoming /> }]
      : []),
    { label: "Waiting", value: destination.pending >= 1000 ? "1000 or more" : String(destination.pending) },
    ...(destination.skipped > 0
      ? [{ label: "Never sent", value: `${String(destination.skipped)}, which the audit log no longer had` }]
      : []),
  ],
  deletion: ({ pending }) =>
    pending > 0 ? "Events that wait are not sent." : "No further events are sent there.",
  More: SigningSecret,
});
