// Parses one `.proto` file with the parser of protobufjs. Its code generation, which needs `Function`, is never used.
import type { AnyNestedObject, Field, NamespaceBase, ReflectionObject } from "protobufjs";
import type { ProtoSource } from "../../../model/protoFiles";
import type { ProtoProblem } from "./protoTypes";

export interface DeclaredField {
  name: string;
  number: number;
  /** The type as it is written in the file. */
  type: string;
  keyType: string | null;
  repeated: boolean;
  oneof: string | null;
}

export interface DeclaredMessage {
  name: string;
  fields: DeclaredField[];
}

export interface DeclaredExtension extends DeclaredField {
  /** The message that is extended, as it is written, and where that is. */
  extended: string;
  scope: string;
}

export interface DeclaredMethod {
  path: string;
  scope: string;
  request: string;
  response: string;
}

/** The declarations of one file. */
export interface ProtoFile {
  source: ProtoSource;
  imports: string[];
  messages: DeclaredMessage[];
  enums: { name: string; names: Map<number, string> }[];
  extensions: DeclaredExtension[];
  methods: DeclaredMethod[];
}

/** Longer names are built to fill the page. */
const MAX_NAME = 500;

export type ProtobufLibrary = typeof import("protobufjs");

export function parseProto(library: ProtobufLibrary, source: ProtoSource): ProtoFile | ProtoProblem {
  try {
    const { root, imports, weakImports } = library.parse(source.text, { keepCase: true });
    const file = declarations(library, source, root);
    return { ...file, imports: [...(imports ?? []), ...(weakImports ?? [])] };
  } catch (thrown) {
    return syntaxProblem(source, thrown);
  }
}

export interface KnownJson {
  nested: Record<string, AnyNestedObject>;
}

/** The declarations of a file that comes with the library. */
export function knownProto(library: ProtobufLibrary, name: string, json: KnownJson): ProtoFile {
  return declarations(library, { name, text: "" }, new library.Root().addJSON(json.nested));
}

function declarations(library: ProtobufLibrary, source: ProtoSource, root: NamespaceBase): ProtoFile {
  const file: ProtoFile = { source, imports: [], messages: [], enums: [], extensions: [], methods: [] };
  const spaces: NamespaceBase[] = [root];
  for (let space = spaces.pop(); space !== undefined; space = spaces.pop()) {
    const scope = fullName(space);
    if (scope.length > MAX_NAME) continue;
    if (space instanceof library.Type) {
      // Extensions in the same file are listed with those of other files.
      const ownFields = space.fieldsArray.filter(({ declaringField }) => !declaringField);
      file.messages.push({ name: scope, fields: ownFields.map((field) => declared(library, field)) });
    }
    if (space instanceof library.Service)
      for (const { name, requestType, responseType } of space.methodsArray)
        file.methods.push({ path: `/${scope}/${name}`, scope, request: requestType, response: responseType });
    for (const one of space.nestedArray) {
      if (one instanceof library.Enum) file.enums.push({ name: fullName(one), names: enumNames(one.values) });
      else if (one instanceof library.Field && one.extend !== undefined)
        file.extensions.push({
          ...declared(library, one),
          name: `[${scope === "" ? "" : `${scope}.`}${one.name}]`,
          extended: one.extend,
          scope,
        });
      else if (one instanceof library.Namespace) spaces.push(one);
    }
  }
  return file;
}

function declared(library: ProtobufLibrary, field: Field): DeclaredField {
  const { name, id, type, repeated, partOf } = field;
  const keyType = field instanceof library.MapField ? field.keyType : null;
  // An `optional` field of proto3 is the only member of a oneof that is in no file.
  const isOptional = partOf?.name === `_${name}`;
  return {
    name: name.slice(0, MAX_NAME),
    number: id,
    type,
    keyType,
    repeated,
    oneof: isOptional ? null : (partOf?.name ?? null),
  };
}

function fullName(one: ReflectionObject): string {
  return one.fullName.replace(/^\./, "");
}

/** Of two names for one number the first is shown. */
function enumNames(values: Record<string, number>): Map<number, string> {
  const names = new Map<number, string>();
  for (const [name, value] of Object.entries(values))
    if (!names.has(value)) names.set(value, name.slice(0, MAX_NAME));
  return names;
}

const SHOWN = 60;

function syntaxProblem(source: ProtoSource, thrown: unknown): ProtoProblem {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [, what = "", token = "", line] = /^illegal (.+) '(.*)' \(.*?line (\d+)\)$/s.exec(message) ?? [];
  const [, duplicate] = /^duplicate (?:name|id) '?(\w+)'?/.exec(message) ?? [];
  const found =
    token === "null" || message.includes("end of input")
      ? "the file ends too early"
      : line !== undefined
        ? `“${token.slice(0, SHOWN)}” is not a valid ${what}`
        : thrown instanceof RangeError
          ? "it is nested too deeply"
          : message.replace(/ \(line \d+\)$/, "").slice(0, 4 * SHOWN);
  const at = line ?? /\(line (\d+)\)/.exec(message)?.[1];
  return {
    file: source.name,
    line: at !== undefined ? Number(at) : duplicate !== undefined ? lastLineOf(source, duplicate) : null,
    text: `${found}. Correct the file and add it again; until then nothing of it is used.`,
  };
}

/** The last line that contains a word: of duplicates, the one that is too many. */
function lastLineOf({ text }: ProtoSource, word: string): number | null {
  const line = text.split("\n").findLastIndex((each) => each.split(/\W+/).includes(word));
  return line === -1 ? null : line + 1;
}
