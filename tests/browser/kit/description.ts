// What the agent's description (api/agent-openapi.json) says of its responses, members that are not described refused.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";

type Json = Record<string, unknown>;

interface Response {
  $ref?: string;
  content?: Record<string, { schema: Json }>;
}

interface Description {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { schemas: Json; responses: Record<string, Response> };
}

const description = closed(
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../api/agent-openapi.json"), "utf8")),
) as Description;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { double: true, uint16: true, uint32: true, uint64: true, binary: true },
}).addSchema(description, "agent");
const compiled = new Map<string, ValidateFunction>();

/** What is wrong with a body that answers this call; nothing where it is as it is described. */
export function misfits(method: string, path: string, status: number, body: unknown): string[] {
  const responses = description.paths[path]?.[method.toLowerCase()]?.responses;
  const named = responses?.[String(status)] ?? responses?.["default"];
  if (named === undefined) return [`${method} ${path} is not described`];
  const response = named.$ref ? description.components.responses[named.$ref.split("/").at(-1) ?? ""] : named;
  const schema = response?.content?.["application/json"]?.schema;
  if (schema === undefined) return body === null ? [] : [`${method} ${path} ${status} has no body`];
  return judged(String(schema["$ref"]), body);
}

/** What is wrong with an event of the feed. */
export function eventMisfits(event: string, data: unknown): string[] {
  const kinds = (description.components.schemas["LocalEvent"] as { oneOf: Event[] }).oneOf;
  const kind = kinds.find(({ properties }) => properties.event.const === event);
  return kind ? judged(kind.properties.data.$ref, data) : [`there is no event ${event}`];
}

interface Event {
  properties: { event: { const: string }; data: { $ref: string } };
}

function judged(reference: string, value: unknown): string[] {
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: `agent${reference}` });
  compiled.set(reference, validate);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Objects have the members that are described and no others, unless they say otherwise. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  return all["type"] === "object" && "properties" in all ? { additionalProperties: false, ...all } : all;
}
