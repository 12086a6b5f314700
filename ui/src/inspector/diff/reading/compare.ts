// Compares two bodies by their kind: JSON as values, protocol buffers by their fields, text by lines, anything else as
// bytes. Runs in the worker.
import { decodeText, utf8 } from "../../../model/bytes";
import { decodeContent } from "../../bodies/reading/codings";
import { formatJson, readJson } from "../../bodies/reading/json";
import { looksLikeText } from "../../bodies/reading/bodyKind";
import { openReading, type MessageReading } from "../../bodies/reading/open";
import type { Schema } from "../../bodies/reading/protoTypes";
import type { Reading } from "../../bodies/reading/rows";
import { jsonDifferences } from "./jsonDiff";
import { DifferenceRows, LineChanges, linesOf } from "./views";

export interface BodySide {
  bytes: Uint8Array;
  codings: readonly string[];
  charset: string | null;
  /** It was not captured or transferred completely. */
  cut: boolean;
  /** Compares JSON by lines instead of values. */
  byLines: boolean;
  /** How a protobuf or gRPC body is read. */
  message: MessageReading | null;
}

export interface Comparison {
  reading: Reading;
  kind: "same" | "values" | "lines" | "bytes";
  /** Number of differences. */
  changes: number;
  notes: string[];
}

const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;

/** `schema`: the declarations of the `.proto` files. */
export async function compare(
  before: BodySide,
  after: BodySide,
  schema: Schema | null = null,
): Promise<Comparison> {
  const [one, other] = await Promise.all([unpacked(before), unpacked(after)]);
  const notes = [...new Set([...one.notes, ...other.notes])];
  if (before.cut || after.cut)
    notes.push("Only the beginnings are compared: at least one body is incomplete.");
  if (equal(one.bytes, other.bytes)) {
    return { reading: new DifferenceRows([]), kind: "same", changes: 0, notes };
  }
  if (before.message !== null && after.message !== null) {
    const fields = [
      await fieldLines(one.bytes, before.message, schema),
      await fieldLines(other.bytes, after.message, schema),
    ] as const;
    const reading = new LineChanges(fields[0].lines, fields[1].lines);
    if (reading.changes === 0) notes.push("Encoded differently, but with equal fields.");
    notes.push(...new Set([...fields[0].notes, ...fields[1].notes, ...reading.notes]));
    return { reading, kind: "lines", changes: reading.changes, notes };
  }
  if (!isText(one.bytes) || !isText(other.bytes)) {
    const place = firstDifference(one.bytes, other.bytes);
    notes.push(
      `These are bytes, not text: ${one.bytes.length.toLocaleString("en")} before, ` +
        `${other.bytes.length.toLocaleString("en")} after. They differ from byte ${place.toLocaleString("en")} on.`,
    );
    return { reading: new DifferenceRows([]), kind: "bytes", changes: 1, notes };
  }
  const texts = [decodeText(one.bytes, before.charset), decodeText(other.bytes, after.charset)] as const;
  const trees = [readJson(texts[0]), readJson(texts[1])] as const;
  const isJson =
    trees.every(({ mistake, more }) => mistake === null && !more) &&
    texts.every((text) => /^\s*[[{]/.test(text));
  if (isJson && !before.byLines) {
    const { found, more } = jsonDifferences(...trees);
    if (more) notes.push(`Only the first ${found.length.toLocaleString("en")} differences are shown.`);
    if (found.length === 0) notes.push("Written differently, but with equal values.");
    const rows = found.map((difference) => ({
      ...difference,
      before: difference.before < 0 ? "" : trees[0].text(difference.before),
      after: difference.after < 0 ? "" : trees[1].text(difference.after),
    }));
    return { reading: new DifferenceRows(rows), kind: "values", changes: found.length, notes };
  }
  const lines = isJson ? ([formatJson(trees[0]).text, formatJson(trees[1]).text] as const) : texts;
  const reading = new LineChanges(linesOf(lines[0]), linesOf(lines[1]));
  notes.push(...reading.notes);
  return { reading, kind: "lines", changes: reading.changes, notes };
}

/** The fields of all messages, each as a line. */
async function fieldLines(
  bytes: Uint8Array,
  message: MessageReading,
  schema: Schema | null,
): Promise<{ lines: string[]; notes: string[] }> {
  const { reading, notes } = await openReading(bytes, message, schema);
  reading.fold(true);
  const lines = reading
    .rows(0, reading.count)
    .map(({ level, tokens }) => "  ".repeat(level) + tokens.map(([, text]) => text).join(""));
  return { lines, notes };
}

async function unpacked(side: BodySide): Promise<{ bytes: Uint8Array; notes: string[] }> {
  if (side.codings.length === 0) return { bytes: side.bytes, notes: [] };
  return decodeContent(side.bytes, side.codings, MAX_UNPACKED_BYTES);
}

function isText(bytes: Uint8Array): boolean {
  return (
    looksLikeText(bytes.subarray(0, 4096)) &&
    !bytes.includes(0) &&
    (utf8(bytes) !== null || bytes.length > 4096)
  );
}

function firstDifference(one: Uint8Array, other: Uint8Array): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && firstDifference(one, other) === one.length;
}
