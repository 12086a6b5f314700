// The form of a publication: its questions as fields.
import { readCidr } from "../../model/cidr";
import { ALL_LOGIN_PROVIDERS } from "../../model/loginProviders";
import { draftOf } from "../form/draft";
import type { Draft, Field, FormDescription, Option, Row } from "../form/field";
import { rowsOf, textsOf } from "../form/values";
import { addressMistake, labelsField, tlsField } from "../kinds/backends";
import { IP_POLICIES } from "../kinds/references";
import { backendId } from "../modules/descriptors/backend";
import { addressOf, wrongName, type HostFacts } from "./host";
import { tunnelOptions, type LabelledTunnel } from "./labels";
import { innerDraft, moduleOf, nestedFields, OAUTH, OPEN_ID, PASSWORD, WEBHOOK } from "./moduleFields";

/** What the questions depend on. */
export interface PublishFacts {
  server: HostFacts;
  /** The tunnels that are connected now. */
  tunnels: readonly LabelledTunnel[];
  /** The names of the backends that exist already, by id. */
  backends: ReadonlyMap<string, string>;
  hasPolicies: boolean;
}

export type Question = "name" | "target" | "protection";

export const TARGETS: readonly Option[] = [
  { value: "tunnel", label: "Running tunnel" },
  { value: "labels", label: "Tunnels by labels" },
  { value: "address", label: "Address" },
  { value: "response", label: "Fixed response" },
  { value: "backend", label: "Existing backend" },
];

export const PROTECTIONS: readonly Option[] = [
  { value: "none", label: "Everyone" },
  { value: "password", label: "Password" },
  { value: "login", label: "Login" },
  { value: "networks", label: "Allowed networks" },
  { value: "webhook", label: "Webhook" },
];

const MAX_WEIGHT = 10_000;

const passwordFields = nestedFields(PASSWORD).map((field): Field =>
  field.kind === "rows"
    ? { ...field, help: "Passwords have 8 characters or more.", check: wrongUser(field.check) }
    : field,
);

function wrongUser(check: ((row: Row) => string | null) | undefined) {
  return (row: Row): string | null =>
    row["password"] === "" ? `Enter a password for “${row["username"] ?? ""}”.` : (check?.(row) ?? null);
}

const isTarget = (target: string) => (draft: Draft) => draft["target"] === target;
const isProtection = (protection: string) => (draft: Draft) => draft["protection"] === protection;

/** The questions and their fields. Their order is that of the page. */
export function publishForm({ server, tunnels, backends, hasPolicies }: PublishFacts): FormDescription {
  const fields: readonly Field[] = [
    {
      kind: "text",
      name: "name",
      label: "Name",
      help: `A word, such as shop, becomes a name under ${server.domain}. Other names need a DNS record that points to this server.`,
      placeholder: "shop",
      required: true,
      check: wrongName,
      means: (text) => `Visitors open ${addressOf(text, server)}`,
    },
    {
      kind: "choice",
      name: "target",
      label: "Where it leads",
      options: backends.size > 0 ? TARGETS : TARGETS.filter(({ value }) => value !== "backend"),
    },
    {
      kind: "choice",
      name: "tunnel",
      label: "Tunnel",
      required: true,
      options: tunnelOptions(tunnels),
      when: isTarget("tunnel"),
    },
    { ...labelsField, required: true, when: isTarget("labels") },
    {
      kind: "rows",
      name: "addresses",
      label: "Addresses",
      help: "Hosts and ports that the server reaches without a tunnel. Several share the visitors by weight.",
      columns: [
        { name: "address", label: "Address", placeholder: "192.0.2.7:8080" },
        { name: "weight", label: "Weight", placeholder: "1" },
      ],
      shape: "list",
      add: "Add address",
      required: true,
      maxItems: 100,
      check: wrongAddress,
      when: isTarget("address"),
    },
    { ...tlsField, when: isTarget("address") },
    {
      kind: "text",
      name: "response.body",
      label: "Text",
      maxBytes: 256 * 1024,
      rows: 5,
      when: isTarget("response"),
    },
    {
      kind: "choice",
      name: "response.type",
      label: "Type",
      options: [
        { value: "text/plain; charset=utf-8", label: "Plain text" },
        { value: "text/html; charset=utf-8", label: "HTML" },
        { value: "application/json", label: "JSON" },
      ],
      when: isTarget("response"),
    },
    {
      kind: "number",
      name: "response.status",
      label: "Status",
      min: 200,
      max: 599,
      initial: 200,
      when: isTarget("response"),
    },
    { ...backendId, name: "backend", when: isTarget("backend") },
    { kind: "choice", name: "protection", label: "Who is admitted", options: PROTECTIONS },
    ...passwordFields,
    {
      kind: "choice",
      name: "login",
      label: "Provider",
      options: ALL_LOGIN_PROVIDERS,
      when: isProtection("login"),
    },
    ...nestedFields(OAUTH),
    ...nestedFields(OPEN_ID),
    {
      kind: "list",
      name: "networks",
      label: "Networks",
      help: "Addresses or ranges in CIDR notation. All other visitors get 403.",
      placeholder: "203.0.113.0/24",
      maxItems: 100,
      check: (text) => {
        const read = readCidr(text);
        return "mistake" in read ? `“${text}”: ${read.mistake}` : null;
      },
      when: isProtection("networks"),
    },
    {
      kind: "references",
      name: "policies",
      label: "Existing IP policies",
      help: "Their rules apply as well.",
      of: [IP_POLICIES],
      maxItems: 99,
      when: (draft) => hasPolicies && draft["protection"] === "networks",
    },
    ...nestedFields(WEBHOOK),
  ];
  return { fields, mistakes: wholeMistakes };
}

/** The question that a field belongs to. */
export function questionOf({ name }: Field): Question {
  if (name === "name") return "name";
  const beginning = name.split(".")[0] ?? "";
  return /^(target|tunnel|labels|addresses|tls|response|backend)$/.test(beginning) ? "target" : "protection";
}

/** The draft before anything is typed: one empty row where at least one is needed. */
export function initialDraft(form: FormDescription, tunnel: string): Draft {
  return {
    ...draftOf(form, null),
    tunnel,
    labels: [{ name: "", value: "" }],
    addresses: [{ address: "", weight: "" }],
    "password.users": [{ username: "", password: "" }],
  };
}

/** The mistakes that concern several fields, and those of the chosen module as a whole. */
function wholeMistakes(draft: Draft): Record<string, string> {
  const nested = moduleOf(draft);
  if (nested !== null)
    return Object.fromEntries(
      Object.entries(nested.module.mistakes?.(innerDraft(nested, draft)) ?? {}).map(([name, mistake]) => [
        `${nested.prefix}.${name}`,
        mistake,
      ]),
    );
  const isOpen = textsOf(draft["networks"]).length === 0 && textsOf(draft["policies"]).length === 0;
  return draft["protection"] === "networks" && isOpen ? { networks: "Enter at least one network." } : {};
}

/** The field that shows why the server refused a step: the member that it names, or the question behind the step. */
export function refusedField(fields: readonly Field[], key: string, member: string): Field | undefined {
  const named = (name: string) => fields.find((field) => field.name === name);
  const last = member
    .replace(/\[\d+\]/g, "")
    .split(".")
    .find((part) => fields.some(({ name }) => name.endsWith(`.${part}`)));
  if (key === "edge") return named("name");
  if (key.startsWith("rule ") || key === "policy") return named("networks");
  if (key.startsWith("address ") || key === "weighted") return named("addresses");
  if (key === "group") return named("labels") ?? named("tunnel");
  if (key === "response") return named(member === "status_code" ? "response.status" : "response.body");
  return last === undefined ? undefined : fields.find(({ name }) => name.endsWith(`.${last}`));
}

function wrongAddress({ address = "", weight = "" }: Row): string | null {
  const isWeight = /^\d{1,5}$/.test(weight.trim()) && Number(weight) <= MAX_WEIGHT;
  if (weight.trim() !== "" && !isWeight) return `A weight is a whole number from 0 to ${MAX_WEIGHT}.`;
  return addressMistake(address.trim());
}

/** The draft without passwords and other secrets. */
export function withoutSecrets({ fields }: FormDescription, draft: Draft): Draft {
  return Object.fromEntries(
    Object.entries(draft).flatMap(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      if (field === undefined || field.kind === "secret") return [];
      if (field.kind !== "rows") return [[name, value]];
      const secret = field.columns.flatMap((column) => (column.secret ? [column.name] : []));
      const blank = (row: Row): Row =>
        Object.fromEntries(
          Object.entries(row).map(([cell, text]) => [cell, secret.includes(cell) ? "" : text]),
        );
      return [[name, rowsOf(value).map(blank)]];
    }),
  );
}
