// Links the declarations of several `.proto` files: every type that a field names is searched in all of them.
import type { ProtoSource } from "../../../model/protoFiles";
import {
  knownProto,
  parseProto,
  type KnownJson,
  type DeclaredField,
  type ProtobufLibrary,
  type ProtoFile,
} from "./protoFile";
import {
  SCALARS,
  type EnumType,
  type FieldType,
  type MessageType,
  type ProtoProblem,
  type Scalar,
  type Schema,
} from "./protoTypes";

/** What the page needs to know of the files; the schema itself remains in the worker. */
export interface ProtoDescription {
  /** The messages that the files declare, sorted by name. */
  messages: string[];
  /** By path: the messages of the request and of the response. */
  methods: Record<string, { request: string | null; response: string | null }>;
  problems: ProtoProblem[];
}

const MAX_PROBLEMS = 100;

/** The files of Google that come with the library but are loaded only where they are imported. */
const FURTHER_FILES: Record<string, () => Promise<{ default: object }>> = {
  "google/protobuf/descriptor.proto": () => import("protobufjs/google/protobuf/descriptor.json"),
  "google/protobuf/type.proto": () => import("protobufjs/google/protobuf/type.json"),
  "google/protobuf/api.proto": () => import("protobufjs/google/protobuf/api.json"),
  "google/protobuf/source_context.proto": () => import("protobufjs/google/protobuf/source_context.json"),
  "google/api/annotations.proto": () => import("protobufjs/google/api/annotations.json"),
  "google/api/http.proto": () => import("protobufjs/google/api/http.json"),
};

export async function readSchema(
  sources: readonly ProtoSource[],
): Promise<{ schema: Schema; description: ProtoDescription }> {
  const library = (await import("protobufjs")).default;
  const files: ProtoFile[] = [];
  const problems: ProtoProblem[] = [];
  for (const source of sources) {
    const parsed = parseProto(library, source);
    if ("imports" in parsed) files.push(parsed);
    else problems.push(parsed);
  }
  const known = await knownFiles(library, new Set(files.flatMap(({ imports }) => imports)));
  const linked = new Links(files, known);
  problems.push(...linked.problems());
  const messages = files.flatMap((file) => file.messages.map(({ name }) => name));
  return {
    schema: linked.schema,
    description: {
      messages: [...new Set(messages)].toSorted(),
      methods: Object.fromEntries(
        [...linked.schema.methods].map(([path, { request, response }]) => [
          path,
          { request: request?.name ?? null, response: response?.name ?? null },
        ]),
      ),
      problems: problems.slice(0, MAX_PROBLEMS),
    },
  };
}

async function knownFiles(library: ProtobufLibrary, imports: ReadonlySet<string>): Promise<ProtoFile[]> {
  const files = Object.entries(library.common)
    .filter(([name, json]) => name.endsWith(".proto") && typeof json === "object")
    .map(([name, json]) => knownProto(library, name, json as KnownJson));
  // What a file of Google imports is among these files as well.
  const wanted = Object.entries(FURTHER_FILES).filter(([name]) => imports.has(name));
  for (const [name, load] of wanted)
    files.push(knownProto(library, name, (await load()).default as KnownJson));
  return files;
}

class Links {
  readonly schema: Schema = { messages: new Map(), methods: new Map() };
  readonly #enums = new Map<string, EnumType>();
  readonly #files: readonly ProtoFile[];
  readonly #known: readonly ProtoFile[];
  readonly #declaredIn = new Map<string, ProtoFile>();
  readonly #problems: ProtoProblem[] = [];
  /** By file: what another file, which is used, declares too. */
  readonly #twice = new Map<ProtoFile, Map<ProtoFile, string[]>>();
  /** By file: the types it names that are declared in no file. */
  readonly #missing = new Map<ProtoFile, Set<string>>();

  constructor(files: readonly ProtoFile[], known: readonly ProtoFile[]) {
    this.#files = files;
    this.#known = known;
    const all = [...files, ...known];
    for (const file of all) this.#declare(file);
    for (const file of all) this.#link(file);
  }

  problems(): ProtoProblem[] {
    for (const [{ source }, others] of this.#twice)
      for (const [other, names] of others)
        this.#add(
          source,
          names[0]?.split(".").at(-1) ?? "",
          `${listed(names)} ${names.length === 1 ? "is" : "are"} declared in ${other.source.name} too, which is used. Remove one of the two files.`,
        );
    for (const [file, types] of this.#missing) this.#report(file, [...types]);
    return this.#problems;
  }

  #declare(file: ProtoFile): void {
    for (const { name } of file.messages)
      if (this.#isFirst(file, name)) this.schema.messages.set(name, { name, fields: new Map() });
    for (const { name, names } of file.enums)
      if (this.#isFirst(file, name)) this.#enums.set(name, { name, names });
  }

  #isFirst(file: ProtoFile, name: string): boolean {
    const other = this.#declaredIn.get(name);
    if (other === undefined) {
      this.#declaredIn.set(name, file);
      return true;
    }
    if (this.#known.includes(file)) return false;
    const others = this.#twice.get(file) ?? new Map<ProtoFile, string[]>();
    this.#twice.set(file, others.set(other, others.get(other) ?? []));
    others.get(other)?.push(name);
    return false;
  }

  #link(file: ProtoFile): void {
    for (const { name, fields } of file.messages) {
      const message = this.schema.messages.get(name);
      if (message === undefined || this.#declaredIn.get(name) !== file) continue;
      for (const field of fields) message.fields.set(field.number, this.#field(file, name, field));
    }
    for (const extension of file.extensions) {
      const message = this.#message(file, extension.scope, extension.extended);
      if (message && !message.fields.has(extension.number))
        message.fields.set(extension.number, this.#field(file, extension.scope, extension));
    }
    for (const { path, scope, request, response } of file.methods)
      if (!this.schema.methods.has(path))
        this.schema.methods.set(path, {
          request: this.#message(file, scope, request),
          response: this.#message(file, scope, response),
        });
  }

  #field(file: ProtoFile, scope: string, declared: DeclaredField): FieldType {
    const { name, type, keyType, repeated, oneof } = declared;
    const field: FieldType = {
      name,
      kind: "unknown",
      repeated,
      oneof,
      message: null,
      values: null,
      map: null,
    };
    if (keyType !== null) {
      const part = { number: 0, keyType: null, repeated: false, oneof: null };
      const key = this.#field(file, scope, { ...part, name: "key", type: keyType });
      const value = this.#field(file, scope, { ...part, name: "value", type });
      return { ...field, kind: "map", repeated: false, map: { key, value } };
    }
    if (SCALARS.has(type)) return { ...field, kind: type as Scalar };
    const found = this.#search(scope, type);
    if (found === null) {
      this.#miss(file, type);
      return field;
    }
    return "fields" in found
      ? { ...field, kind: "message", message: found }
      : { ...field, kind: "enum", values: found };
  }

  #message(file: ProtoFile, scope: string, name: string): MessageType | null {
    const found = this.#search(scope, name);
    if (found !== null && "fields" in found) return found;
    this.#miss(file, name);
    return null;
  }

  /** Searches a name from the innermost scope outwards; one with a leading dot is a full name. */
  #search(scope: string, name: string): MessageType | EnumType | null {
    const full = name.startsWith(".");
    const scopes = full || scope === "" ? [] : scope.split(".");
    for (let depth = scopes.length; depth >= 0; depth -= 1) {
      const candidate = [...scopes.slice(0, depth), full ? name.slice(1) : name].join(".");
      const found = this.schema.messages.get(candidate) ?? this.#enums.get(candidate);
      if (found !== undefined) return found;
    }
    return null;
  }

  #miss(file: ProtoFile, name: string): void {
    if (this.#known.includes(file)) return;
    const names = this.#missing.get(file) ?? new Set();
    this.#missing.set(file, names.add(name));
  }

  /** A missing import matters only where a type is missing: many files import what only options use. */
  #report(file: ProtoFile, types: readonly string[]): void {
    const { source } = file;
    const imports = file.imports.filter((path) => !this.#isHere(path));
    for (const path of imports)
      this.#add(
        source,
        path,
        `it imports “${path}”, which is not here. Add that file; until then values of ${listed(types)} are guessed.`,
      );
    if (imports.length > 0) return;
    for (const type of types)
      this.#add(
        source,
        type,
        `${type} is declared in no file. Add the file that declares it, or correct the name; until then its values are guessed.`,
      );
  }

  /** A problem on the first line that has these words. */
  #add(source: ProtoSource, words: string, text: string): void {
    if (this.#problems.length < MAX_PROBLEMS)
      this.#problems.push({ file: source.name, line: lineOf(source, words), text });
  }

  /** Files that were chosen have lost their folders. */
  #isHere(path: string): boolean {
    const base = path.split("/").at(-1);
    return (
      this.#known.some(({ source }) => source.name === path) ||
      this.#files.some(({ source }) => source.name === path || source.name.split("/").at(-1) === base)
    );
  }
}

function listed(names: readonly string[]): string {
  const [one = "", two] = names;
  if (two === undefined) return one;
  return names.length === 2 ? `${one} and ${two}` : `${one}, ${two} and ${names.length - 2} more`;
}

/** The first line that contains these words and is not a comment. */
function lineOf({ text }: ProtoSource, words: string): number | null {
  const line = text.split("\n").findIndex((each) => {
    const at = each.indexOf(words);
    const isWhole = !/[\w.]/.test(each[at - 1] ?? "") && !/\w/.test(each[at + words.length] ?? "");
    return at !== -1 && isWhole && !/^\s*(?:\/\/|\*|\/\*)/.test(each);
  });
  return line === -1 ? null : line + 1;
}
