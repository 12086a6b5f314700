// The `.proto` files by which bodies are decoded. The browser keeps them for all windows of this address.
import { readStored, storeText } from "./storage";

export interface ProtoSource {
  name: string;
  text: string;
}

export const MAX_PROTO_FILES = 64;
/** Limit for all files together, in bytes. */
export const MAX_PROTO_BYTES = 1024 * 1024;
/** Requests for which a chosen message type is remembered. */
const MAX_CHOICES = 200;

const FILES_KEY = "proto-files";
const CHOICES_KEY = "proto-types";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

export function protoBytes(files: readonly ProtoSource[]): number {
  return files.reduce((sum, { name, text }) => sum + bytesOf(name) + bytesOf(text), 0);
}

/** Validates stored data, which may be anything. */
export function readProtoFiles(stored: string | null): ProtoSource[] {
  const files = parsedList(stored).filter(isFile).slice(0, MAX_PROTO_FILES);
  return protoBytes(files) > MAX_PROTO_BYTES ? [] : files;
}

function isFile(value: unknown): value is ProtoSource {
  if (typeof value !== "object" || value === null || !("name" in value) || !("text" in value)) return false;
  return typeof value.name === "string" && typeof value.text === "string";
}

function parsedList(stored: string | null): unknown[] {
  try {
    const found: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** The package that a file declares. Two files of one name may be of different packages. */
export function packageOf({ text }: ProtoSource): string {
  return /^[^\S\n]*package\s+([\w.]+)\s*;/m.exec(text)?.[1] ?? "";
}

/** Adds files; one of the same name and package is replaced. A text says why they are refused. */
export function withProtoFiles(
  files: readonly ProtoSource[],
  added: readonly ProtoSource[],
): ProtoSource[] | string {
  const byKey = new Map([...files, ...added].map((file) => [`${packageOf(file)} ${file.name}`, file]));
  const all = [...byKey.values()].toSorted(
    (one, other) =>
      one.name.localeCompare(other.name, "en") || packageOf(one).localeCompare(packageOf(other)),
  );
  if (all.length > MAX_PROTO_FILES)
    return `These would be ${all.length.toLocaleString("en")} files, and at most ${MAX_PROTO_FILES} are kept. Remove some first, or add only those that your messages need.`;
  if (protoBytes(all) > MAX_PROTO_BYTES) return tooLarge(protoBytes(all));
  return all;
}

function tooLarge(bytes: number): string {
  return `With these the files would have ${Math.ceil((bytes / MAX_PROTO_BYTES) * 100) / 100} MB, and at most ${MAX_PROTO_BYTES / 1024 / 1024} MB are kept. Remove some first, or add only those that your messages need.`;
}

/** Reads chosen files, unless they are too large or are no text. */
export async function readChosen(chosen: readonly File[]): Promise<ProtoSource[] | string> {
  const other = chosen.find(({ name }) => !/\.proto$/i.test(name));
  if (other !== undefined)
    return `${other.name.slice(0, 100)} is not a .proto file. Add the files that declare your messages.`;
  const bytes = chosen.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_PROTO_BYTES) return tooLarge(bytes);
  const files: ProtoSource[] = [];
  for (const file of chosen) {
    const name = file.name.slice(0, 200);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      files.push({ name, text });
    } catch {
      return `${name} cannot be read as UTF-8 text. Choose a readable .proto file.`;
    }
  }
  return files;
}

export interface ProtoSnapshot {
  files: readonly ProtoSource[];
  /** Changes with the files. */
  revision: number;
  /** Requests with the message types that were chosen for them. */
  choices: ReadonlyMap<string, string>;
}

/** What this window and the others of its address share. */
export class ProtoFileStore {
  #snapshot: ProtoSnapshot = { files: [], revision: 0, choices: new Map() };
  /** The stored texts of the snapshot. */
  #texts: Record<string, string | null> = {};
  /** What is stored may differ from the snapshot. */
  #isStale = true;
  readonly #listeners = new Set<() => void>();

  readonly listen = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) addEventListener("storage", this.#onStorage);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      removeEventListener("storage", this.#onStorage);
      this.#isStale = true;
    };
  };

  get snapshot(): ProtoSnapshot {
    if (this.#isStale) this.#read();
    return this.#snapshot;
  }

  /** A text says why the files are refused. */
  async add(chosen: readonly File[]): Promise<string | null> {
    const files = await readChosen(chosen);
    if (typeof files === "string") return files;
    this.#read();
    const all = withProtoFiles(this.snapshot.files, files);
    return typeof all === "string" ? all : this.#storeFiles(all);
  }

  remove(removed: ProtoSource): void {
    const rest = this.snapshot.files.filter(
      (file) => file.name !== removed.name || packageOf(file) !== packageOf(removed),
    );
    this.#storeFiles(rest);
  }

  removeAll(): void {
    this.#storeFiles([]);
  }

  /** Remembers the message type of a request or of a response. */
  choose(of: string, type: string): void {
    const choices = new Map(this.snapshot.choices);
    choices.delete(of);
    choices.set(of, type);
    storeText(CHOICES_KEY, JSON.stringify([...choices].slice(-MAX_CHOICES)));
    this.#changed();
  }

  #storeFiles(files: readonly ProtoSource[]): string | null {
    const stored = storeText(FILES_KEY, JSON.stringify(files));
    this.#changed();
    return stored
      ? null
      : "The browser does not store the files. Free storage of this page, or allow it to store data.";
  }

  #read(): void {
    this.#isStale = false;
    const files = readStored(FILES_KEY);
    const choices = readStored(CHOICES_KEY);
    const { [FILES_KEY]: oldFiles, [CHOICES_KEY]: oldChoices } = this.#texts;
    if (files === oldFiles && choices === oldChoices) return;
    this.#texts = { [FILES_KEY]: files, [CHOICES_KEY]: choices };
    const before = this.#snapshot;
    this.#snapshot = {
      ...(files === oldFiles
        ? { files: before.files, revision: before.revision }
        : { files: readProtoFiles(files), revision: before.revision + 1 }),
      choices: new Map(parsedList(choices).filter(isChoice)),
    };
  }

  readonly #onStorage = (): void => this.#changed();

  #changed(): void {
    this.#isStale = true;
    for (const listener of this.#listeners) listener();
  }
}

function isChoice(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string");
}
