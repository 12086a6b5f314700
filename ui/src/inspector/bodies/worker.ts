// The worker that decodes and parses bodies, so that the page never blocks on them.
import { decodeContent, type Decoded } from "./reading/codings";
import { sanitizePage, MAX_PAGE_LENGTH, embedSvg, type SanitizedPage } from "./reading/sanitize";
import { readMultipart } from "./reading/multipart";
import { inflateMessage } from "./reading/permessageDeflate";
import { readSchema, type ProtoDescription } from "./reading/protoSchema";
import type { ProtoSource } from "../../model/protoFiles";
import type { Schema } from "./reading/protoTypes";
import { openReading, type Opened, type ReadingOptions } from "./reading/open";
import { imageInfo } from "./reading/imageInfo";
import type { SearchResult, Reading, TextRow } from "./reading/rows";
import { concat, decodeText } from "../../model/bytes";
import { compare, type Comparison, type BodySide } from "../diff/reading/compare";

export interface OpenedReading extends Omit<Opened, "reading"> {
  reading: number;
  count: number;
}

let content: Uint8Array<ArrayBuffer> = new Uint8Array();
let pieces: Uint8Array[] = [];
let schema: Schema | null = null;
const readings = new Map<number, Reading>();
let next = 1;

function reading(number: number): Reading {
  const found = readings.get(number);
  if (!found) throw new Error("This view was closed.");
  return found;
}

function register(opened: Reading): number {
  const number = next;
  next += 1;
  readings.set(number, opened);
  return number;
}

/** The calls of the page. Everything that crosses is plain data. */
const calls = {
  /** Receives the next chunk of the encoded content. */
  take(piece: Uint8Array): void {
    pieces.push(piece);
  },
  /** All chunks have arrived: removes the content codings. */
  async unpack(
    codings: readonly string[],
    limit: number,
  ): Promise<Omit<Decoded, "bytes"> & { length: number }> {
    const { bytes, notes, done } = await decodeContent(concat(pieces), codings, limit);
    content = bytes;
    pieces = [];
    return { notes, done, length: content.length };
  },
  slice: (from: number, to: number): Uint8Array => content.slice(from, to),
  /** The `.proto` files by which messages are decoded from now on. */
  async declare(files: readonly ProtoSource[]): Promise<ProtoDescription> {
    const read = await readSchema(files);
    schema = read.schema;
    return read.description;
  },
  async open(options: ReadingOptions): Promise<OpenedReading> {
    const { reading: opened, ...rest } = await openReading(content, options, schema);
    return { ...rest, reading: register(opened), count: opened.count };
  },
  close(number: number): void {
    readings.delete(number);
  },
  rows: (number: number, from: number, to: number): TextRow[] => reading(number).rows(from, to),
  wrap(number: number, columns: number): number {
    reading(number).wrap(columns);
    return reading(number).count;
  },
  toggle(number: number, row: number): number {
    reading(number).toggle(row);
    return reading(number).count;
  },
  fold(number: number, all: boolean): number {
    reading(number).fold(all);
    return reading(number).count;
  },
  find: (number: number, text: string): SearchResult => reading(number).find(text),
  show(number: number, finding: number): { row: number; count: number } {
    const row = reading(number).show(finding);
    return { row, count: reading(number).count };
  },
  path: (number: number, row: number): string | null => reading(number).path(row),
  text: (number: number, row: number): string => reading(number).text(row),
  /** The beginning of an HTML page or SVG drawing, sanitized for a sandboxed frame. */
  sanitize(charset: string | null, as: "page" | "drawing"): SanitizedPage {
    const text = decodeText(content.subarray(0, MAX_PAGE_LENGTH), charset);
    const page = as === "page" ? sanitizePage(text) : embedSvg(text);
    return { ...page, cut: page.cut || content.length > MAX_PAGE_LENGTH };
  },
  parts: (boundary: string) => readMultipart(content, boundary),
  /** A WebSocket message without its compression; null where an earlier message is missing. */
  inflate: (direction: string, bytes: Uint8Array, last: boolean): Uint8Array | null =>
    inflateMessage(direction, bytes, last),
  picture: () => imageInfo(content),
  async compare(
    before: BodySide,
    after: BodySide,
  ): Promise<Omit<Comparison, "reading"> & { reading: number; count: number }> {
    const { reading: opened, ...rest } = await compare(before, after, schema);
    return { ...rest, reading: register(opened), count: opened.count };
  },
};

export type Calls = typeof calls;

/** A call as it crosses to the worker. */
export interface WorkerRequest {
  number: number;
  name: keyof Calls;
  args: unknown[];
}

const scope = globalThis as unknown as {
  addEventListener(name: "message", listener: (event: MessageEvent<WorkerRequest>) => void): void;
  postMessage(message: unknown, options: { transfer: Transferable[] }): void;
};

scope.addEventListener("message", ({ data: { number, name, args } }) => {
  const call = calls[name] as (...args: unknown[]) => unknown;
  Promise.resolve()
    .then(() => call(...args))
    .then(
      (value) => {
        const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
        scope.postMessage({ number, value }, { transfer });
      },
      (thrown: unknown) => {
        const failure = thrown instanceof Error ? thrown.message : String(thrown);
        scope.postMessage({ number, failure }, { transfer: [] });
      },
    );
});
