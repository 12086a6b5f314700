// The schemas of the management API that tests compare the forms with.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: { const?: unknown }[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
}

interface Description {
  paths: Record<string, { put?: { requestBody: { content: { "application/json": { schema: Schema } } } } }>;
  components: { schemas: Record<string, Schema> };
}

export const TOP = join(import.meta.dirname, "../../../..");

const description = JSON.parse(readFileSync(join(TOP, "api/openapi.json"), "utf8")) as Description;

/** Resolves a reference, also in "this or null". */
export function resolveSchema(schema: Schema): Schema {
  if (schema.$ref)
    return resolveSchema(description.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const real = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  return real.length === 1 && real[0] && !schema.type ? resolveSchema(real[0]) : schema;
}

const OWNERS: Record<string, string> = {
  "/edges/https/{id}": "https_edge",
  "/edges/https/{edge_id}/routes/{id}": "https_route",
  "/edges/tls/{id}": "tls_edge",
  "/edges/tcp/{id}": "tcp_edge",
};

/** Every module that can be set, with its owners and the schema of its body. */
export function settableModules(): { owner: string; name: string; body: Schema }[] {
  return Object.entries(description.paths).flatMap(([path, { put }]) => {
    if (!put) return [];
    const at = path.lastIndexOf("/");
    const owner = OWNERS[path.slice(0, at)] ?? path.slice(0, at);
    return [
      {
        owner,
        name: path.slice(at + 1),
        body: resolveSchema(put.requestBody.content["application/json"].schema),
      },
    ];
  });
}
