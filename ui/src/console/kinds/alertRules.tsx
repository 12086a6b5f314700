// Alert rules: thresholds of traffic, errors and absence of agents that events are written about.
import type { AlertRule } from "../../api/generated";
import { count, counted, parseSize, size } from "../../model/format";
import { State } from "../../parts/State";
import type { Body, Draft } from "../form/field";
import { description, metadata } from "../form/fields";
import { Moment, None, RefLink } from "../resource/cells";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { created } from "./columns";
import { AGENT_CREDENTIALS, EDGES } from "./references";

/** Between two looks at the states, which change by themselves. */
const POLL_INTERVAL_MS = 5_000;

const MEASURES: Readonly<Record<AlertRule["measure"], string>> = {
  requests: "Requests",
  bytes: "Bytes",
  error_share: "Share of errors",
  agent_away: "Agent away",
};

const STATES = {
  ok: { tone: "ok", icon: "check", words: "OK" },
  warning: { tone: "warn", icon: "alert", words: "Warning" },
  firing: { tone: "bad", icon: "alert", words: "Firing" },
} as const;

/** A value of a measure in its unit. */
function inUnit(measure: AlertRule["measure"], value: number): string {
  switch (measure) {
    case "requests":
      return counted(value, "request");
    case "bytes":
      return size(value);
    case "error_share":
      return `${count(Number((value * 100).toFixed(2)))} %`;
    case "agent_away":
      return counted(value, "minute");
  }
}

function period({ period: of, window_minutes: minutes }: AlertRule): string {
  switch (of) {
    case "day":
      return "a day (UTC)";
    case "month":
      return "a month (UTC)";
    case "rolling":
      return `the last ${counted(minutes ?? 0, "minute")}`;
    case null:
      return "";
  }
}

function condition(rule: AlertRule): string {
  const threshold = inUnit(rule.measure, rule.threshold);
  switch (rule.measure) {
    case "error_share":
      return `${threshold} errors or more in ${period(rule)}`;
    case "agent_away":
      return `No session for ${threshold}`;
    default:
      return `${threshold} or more in ${period(rule)}`;
  }
}

function stateWords({ enabled, state }: AlertRule): string {
  return enabled ? STATES[state].words : "Disabled";
}

function StateOf({ rule }: { rule: AlertRule }) {
  if (!rule.enabled)
    return (
      <State tone="idle" icon="circle">
        Disabled
      </State>
    );
  const { tone, icon, words } = STATES[rule.state];
  return (
    <State tone={tone} icon={icon}>
      {words}
    </State>
  );
}

function Subject({ rule: { subject_id: id, subject_parent_id: parent } }: { rule: AlertRule }) {
  return id === null ? "All traffic" : <RefLink id={id} parent={parent} />;
}

function valueWords({ measure, value }: AlertRule): string {
  return value === null ? "" : inUnit(measure, value);
}

const measures = (draft: Draft, ...wanted: AlertRule["measure"][]): boolean =>
  wanted.some((measure) => measure === draft["measure"]);

/** The members of the form that are one member of the API, each with the input of its measure. */
const THRESHOLDS = ["requests", "bytes", "error_share", "minutes"] as const;

function nest(members: Body): Body {
  const body = { ...members };
  for (const name of THRESHOLDS) {
    if (name in body) body["threshold"] = body[name];
    Reflect.deleteProperty(body, name);
  }
  if ("credential_id" in body) body["subject_id"] = body["credential_id"];
  Reflect.deleteProperty(body, "credential_id");
  return body;
}

function flatten(record: Body): Body {
  const threshold = record["threshold"];
  const of = Object.fromEntries(THRESHOLDS.map((name) => [name, threshold]));
  return { ...record, ...of, credential_id: record["subject_id"] };
}

export const alertRules = describe("/alert_rules", {
  singular: "alert rule",
  plural: "Alerts",
  about:
    "Thresholds of traffic, errors and absence of agents. When one is reached, and when that is over, an event is in the audit log and goes to event destinations.",
  title: (rule) => rule.description || `${MEASURES[rule.measure]}: ${condition(rule)}`,
  columns: [
    {
      name: "state",
      label: "State",
      text: stateWords,
      cell: (rule) => <StateOf rule={rule} />,
    },
    {
      name: "measure",
      label: "Measure",
      text: ({ measure }) => MEASURES[measure],
    },
    {
      name: "subject_id",
      label: "Of",
      text: ({ subject_id: id }) => id ?? "All traffic",
      cell: (rule) => <Subject rule={rule} />,
    },
    { name: "condition", label: "Fires at", text: condition },
    {
      name: "value",
      label: "Value",
      text: valueWords,
      number: ({ value }) => value ?? -1,
    },
    {
      name: "state_since",
      label: "Since",
      text: (rule) => rule.state_since ?? "",
      cell: (rule) => <Moment at={rule.state_since} none="" />,
    },
    descriptionColumn,
    { ...created, hidden: true },
    idColumn,
    metadataColumn,
  ],
  fields: [
    {
      kind: "choice",
      name: "measure",
      label: "Measure",
      createOnly: true,
      options: [
        { value: "requests", label: MEASURES.requests, note: "And connections of TLS and TCP edges." },
        { value: "bytes", label: MEASURES.bytes, note: "From and to visitors." },
        { value: "error_share", label: MEASURES.error_share, note: "Responses with status 5xx." },
        { value: "agent_away", label: MEASURES.agent_away, note: "No session with a credential." },
      ],
    },
    {
      kind: "reference",
      name: "subject_id",
      label: "Edge",
      help: "Rules for single routes are made by the API.",
      of: EDGES,
      none: "All traffic",
      createOnly: true,
      when: (draft) => !measures(draft, "agent_away"),
    },
    {
      kind: "reference",
      name: "credential_id",
      label: "Credential",
      help: "It is away while no agent has a session with it, once one had.",
      of: AGENT_CREDENTIALS,
      required: true,
      createOnly: true,
      when: (draft) => measures(draft, "agent_away"),
    },
    {
      kind: "choice",
      name: "period",
      label: "Counted over",
      createOnly: true,
      options: [
        { value: "rolling", label: "The last minutes" },
        { value: "day", label: "A day", note: "A quota, in UTC; with a warning at 80 %." },
        { value: "month", label: "A month", note: "A quota, in UTC; with a warning at 80 %." },
      ],
      when: (draft) => measures(draft, "requests", "bytes"),
    },
    {
      kind: "number",
      name: "window_minutes",
      label: "Window",
      unit: "minutes",
      initial: 5,
      min: 1,
      max: 60,
      when: (draft) =>
        measures(draft, "error_share") ||
        (measures(draft, "requests", "bytes") && draft["period"] === "rolling"),
    },
    {
      kind: "number",
      name: "requests",
      label: "Threshold",
      unit: "requests",
      initial: 1000,
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      when: (draft) => measures(draft, "requests"),
    },
    {
      kind: "text",
      name: "bytes",
      label: "Threshold",
      help: "Bytes, or such as 500MB or 100GB (1 KB is 1024 bytes).",
      initial: "1GB",
      required: true,
      check: (text) => {
        const bytes = parseSize(text);
        return bytes !== null && bytes >= 1 && Number.isSafeInteger(Math.round(bytes))
          ? null
          : "Write bytes, or such as 500MB or 100GB.";
      },
      means: (text) => {
        const bytes = parseSize(text);
        return bytes === null ? null : `${counted(Math.round(bytes), "byte")}.`;
      },
      write: (value) => Math.round(parseSize(String(value)) ?? 0),
      when: (draft) => measures(draft, "bytes"),
    },
    {
      kind: "share",
      name: "error_share",
      label: "Threshold",
      help: "Share of the requests that fail.",
      initial: 0.05,
      when: (draft) => measures(draft, "error_share"),
    },
    {
      kind: "number",
      name: "minimum_requests",
      label: "Minimum",
      help: "With fewer requests in the window, the share counts as 0.",
      unit: "requests",
      initial: 20,
      min: 1,
      max: 1_000_000,
      when: (draft) => measures(draft, "error_share"),
    },
    {
      kind: "number",
      name: "minutes",
      label: "Threshold",
      unit: "minutes",
      initial: 5,
      min: 1,
      max: 43_200,
      when: (draft) => measures(draft, "agent_away"),
    },
    {
      kind: "flag",
      name: "enabled",
      label: "Enabled",
      help: "If off, the rule is not evaluated, and what fires is over.",
      initial: true,
    },
    description("Part of the event."),
    metadata,
  ],
  nest,
  flatten,
  empty: {
    sentence:
      "There is no alert rule. Create one to get an event when traffic, errors or absence reach a threshold.",
    command: "postern api alert-rules create --measure error_share --threshold 0.05",
  },
  facts: (rule) => [
    { label: "State", value: <StateOf rule={rule} /> },
    ...(rule.state_since ? [{ label: "Since", value: <Moment at={rule.state_since} /> }] : []),
    { label: "Measure", value: MEASURES[rule.measure] },
    { label: "Of", value: <Subject rule={rule} /> },
    { label: "Fires at", value: condition(rule) },
    {
      label: "Value",
      value:
        rule.value === null ? (
          <None>none yet</None>
        ) : (
          <>
            {valueWords(rule)}, <Moment at={rule.value_at} />
          </>
        ),
    },
  ],
  deletion: ({ state }) =>
    state === "ok" ? "No further events are written." : "It fires now; there is no event that this is over.",
  refresh: POLL_INTERVAL_MS,
});
