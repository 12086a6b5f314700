// Writes the types of both APIs and of the desktop's commands, and the table of collections, from their descriptions:
// `npm run gen`.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import generate, { astToString, bytesAsBuffer } from "postern-ui-openapi";

const DESCRIPTION = new URL("../../api/openapi.json", import.meta.url);
const LOCAL_DESCRIPTION = new URL("../../api/agent-openapi.json", import.meta.url);
const DESKTOP_DESCRIPTION = new URL("../../api/desktop-commands.json", import.meta.url);

/** The generated module of the management API. */
export const TYPES = new URL("../src/api/generated.ts", import.meta.url);
/** The generated module of the agent's local API. */
export const LOCAL_TYPES = new URL("../src/api/local.generated.ts", import.meta.url);
/** The generated module of the desktop's commands. */
export const DESKTOP_TYPES = new URL("../src/api/desktop.generated.ts", import.meta.url);

const COMMENT =
  "// Paths, bodies and responses of the management API. Made from api/openapi.json by `npm run gen`, never edited.";

const LOCAL_COMMENT =
  "// Paths, bodies and responses of the agent's local API. Made from api/agent-openapi.json by `npm run gen`, never edited.";

const DESKTOP_COMMENT =
  "// Commands and events of the desktop app. Made from api/desktop-commands.json by `npm run gen`, never edited.";

/** The text of the generated module of the local API. */
export function localTypes() {
  return typesOf(LOCAL_DESCRIPTION, LOCAL_COMMENT, LOCAL_TYPES);
}

/** The text of the generated module of the desktop's commands. */
export function desktopTypes() {
  return typesOf(DESKTOP_DESCRIPTION, DESKTOP_COMMENT, DESKTOP_TYPES, { transform: bytesAsBuffer });
}

async function typesOf(source, comment, target, options = {}) {
  const description = JSON.parse(await readFile(source, "utf8"));
  const ast = await generate(description, { rootTypes: true, rootTypesNoSchemaPrefix: true, ...options });
  const text = [comment, astToString(ast).replace(/^ +\w+\?: never;\n/gm, "")].join("\n\n");
  return format(text, { ...(await resolveConfig(fileURLToPath(target))), parser: "typescript" });
}

/** The text of the generated module. */
export async function types() {
  const description = JSON.parse(await readFile(DESCRIPTION, "utf8"));
  const collections = collectionsOf(description);
  const ast = await generate(slimmed(description), { rootTypes: true, rootTypesNoSchemaPrefix: true });
  const text = [
    COMMENT,
    // Only what a path has is listed.
    astToString(ast).replace(/^ +\w+\?: never;\n/gm, ""),
    "/** The collections of records: member of a list, prefix of ids, name of a record. */",
    `export const COLLECTIONS = ${JSON.stringify(collections)} as const;`,
  ].join("\n\n");
  return format(text, { ...(await resolveConfig(fileURLToPath(TYPES))), parser: "typescript" });
}

const named = (schema) => schema?.$ref?.split("/").at(-1);

/** The paths that list records in pages. */
function collectionsOf({ paths, components: { schemas } }) {
  const entries = Object.entries(paths).flatMap(([path, { get }]) => {
    const list = schemas[named(get?.responses["200"]?.content?.["application/json"]?.schema)];
    if (list?.properties?.next_page_uri === undefined) return [];
    const [member, { items }] = Object.entries(list.properties).find(([, { type }]) => type === "array");
    const prefix = /^\^(\w+)_/.exec(schemas[named(items)].properties.id?.pattern ?? "")?.[1];
    const one = paths[`${path}/{id}`];
    if (prefix === undefined || one?.get === undefined) return [];
    const name = one.get.summary.replace(/^Get /, "");
    return [[path, { member, prefix, name }]];
  });
  return Object.fromEntries(entries);
}

/**
 * The description without what types do not need: failures, headers and common parameters. Unknown members may be
 * null in a request, which nothing here sends.
 */
function slimmed(value) {
  if (Array.isArray(value)) {
    return value.filter((entry) => !entry?.$ref?.endsWith("/ServiceVersion")).map(slimmed);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value)
    .filter(([name, entry]) => !/^[45]\d\d$/.test(name) && !(name === "headers" && isHeaders(entry)))
    .map(([name, entry]) => [name, slimmed(entry)]);
  const { additionalProperties, ...rest } = Object.fromEntries(entries);
  if (additionalProperties === undefined) {
    return rest;
  }
  return {
    ...rest,
    additionalProperties: additionalProperties.type === "null" ? false : additionalProperties,
  };
}

const isHeaders = (entry) =>
  Object.values(entry).every(({ $ref }) => $ref?.startsWith("#/components/headers/"));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(TYPES, await types());
  await writeFile(LOCAL_TYPES, await localTypes());
  await writeFile(DESKTOP_TYPES, await desktopTypes());
}
