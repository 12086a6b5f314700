// Writes the types of the management API, made from its description: `npm run gen`.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const DESCRIPTION = new URL("../../api/openapi.json", import.meta.url);

/** Where the types stand. */
export const TYPES = new URL("../src/api/generated.ts", import.meta.url);

const COMMENT =
  "// Bodies and answers of the management API. Made from api/openapi.json by `npm run gen`, never edited.";

/** One module with a type for each schema. */
export async function types() {
  const { components } = JSON.parse(await readFile(DESCRIPTION, "utf8"));
  const text = await compile({ $defs: referred(components.schemas), additionalProperties: false }, "Whole", {
    additionalProperties: false,
    bannerComment: COMMENT,
    ignoreMinAndMaxItems: true,
    style: { printWidth: 120 },
    unreachableDefinitions: true,
  });
  // The whole has no members of its own, and what it says about each part is known.
  return text
    .replace("export interface Whole {}\n", "")
    .replace(
      /\n *\*\n *\* This interface was referenced by `Whole`'s JSON-Schema\n *\* via the `definition` "\w+"\./g,
      "",
    );
}

/**
 * References as the compiler knows them; one with words of its own would become a type of its own. That members which
 * are not known may be null is of no use to who knows them all.
 */
function referred(schema) {
  if (Array.isArray(schema)) {
    return schema.map(referred);
  }
  if (typeof schema !== "object" || schema === null) {
    return schema;
  }
  if (schema.additionalProperties?.type === "null") {
    return referred({ ...schema, additionalProperties: false });
  }
  const { $ref, ...others } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, referred(value)]),
  );
  if ($ref === undefined) {
    return others;
  }
  const reference = { $ref: $ref.replace("#/components/schemas/", "#/$defs/") };
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(TYPES, await types());
}
