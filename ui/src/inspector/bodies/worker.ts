// The worker that decodes and parses bodies, so that the page never blocks on them.
import { decoded, type Decoded } from "./reading/codings";
import { harmless, PAGE_LIMIT, pictured, type Harmless } from "./reading/harmless";
import { readMultipart } from "./reading/multipart";
import { inflated } from "./reading/deflated";
import { open, type Opened, type Wish } from "./reading/open";
import { pictureOf } from "./reading/picture";
import type { Found, Reading, Row } from "./reading/rows";
import { concat, decodeText } from "../../model/bytes";
import { compare, type Comparison, type Side } from "../diff/reading/compare";

export interface Told extends Omit<Opened, "reading"> {
  reading: number;
  count: number;
}

let content: Uint8Array<ArrayBuffer> = new Uint8Array();
let pieces: Uint8Array[] = [];
const readings = new Map<number, Reading>();
let next = 1;

function reading(number: number): Reading {
  const found = readings.get(number);
  if (!found) throw new Error("This view was closed.");
  return found;
}

function keep(opened: Reading): number {
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
    const { bytes, notes, done } = await decoded(concat(pieces), codings, limit);
    content = bytes;
    pieces = [];
    return { notes, done, length: content.length };
  },
  slice: (from: number, to: number): Uint8Array => content.slice(from, to),
  async open(wish: Wish): Promise<Told> {
    const { reading: opened, ...rest } = await open(content, wish);
    return { ...rest, reading: keep(opened), count: opened.count };
  },
  close(number: number): void {
    readings.delete(number);
  },
  rows: (number: number, from: number, to: number): Row[] => reading(number).rows(from, to),
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
  find: (number: number, text: string): Found => reading(number).find(text),
  show(number: number, finding: number): { row: number; count: number } {
    const row = reading(number).show(finding);
    return { row, count: reading(number).count };
  },
  path: (number: number, row: number): string | null => reading(number).path(row),
  text: (number: number, row: number): string => reading(number).text(row),
  /** The beginning of an HTML page or SVG drawing, sanitized for a sandboxed frame. */
  harmless(charset: string | null, as: "page" | "drawing"): Harmless {
    const text = decodeText(content.subarray(0, PAGE_LIMIT), charset);
    const made = as === "page" ? harmless(text) : pictured(text);
    return { ...made, cut: made.cut || content.length > PAGE_LIMIT };
  },
  parts: (boundary: string) => readMultipart(content, boundary),
  /** A WebSocket message without its compression; null where an earlier message is missing. */
  inflate: (direction: string, bytes: Uint8Array, last: boolean): Uint8Array | null =>
    inflated(direction, bytes, last),
  picture: () => pictureOf(content),
  async compare(
    before: Side,
    after: Side,
  ): Promise<Omit<Comparison, "reading"> & { reading: number; count: number }> {
    const { reading: opened, ...rest } = await compare(before, after);
    return { ...rest, reading: keep(opened), count: opened.count };
  },
};

export type Calls = typeof calls;

interface Asked {
  number: number;
  name: keyof Calls;
  given: unknown[];
}

const scope = globalThis as unknown as {
  addEventListener(name: "message", listener: (event: MessageEvent<Asked>) => void): void;
  postMessage(message: unknown, options: { transfer: Transferable[] }): void;
};

scope.addEventListener("message", ({ data: { number, name, given } }) => {
  const call = calls[name] as (...given: unknown[]) => unknown;
  Promise.resolve()
    .then(() => call(...given))
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
