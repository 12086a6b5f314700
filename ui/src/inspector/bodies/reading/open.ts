// Opens bytes as one of the readings. Runs in the worker and does not touch the page.
import { decodeText, latin1, utf8 } from "../../../model/bytes";
import { Fields } from "./fields";
import { readGraphql } from "./graphql";
import { readGrpc } from "./grpc";
import { formatJson, readJson, readJsonLines, type ParseMistake } from "./json";
import { Lines } from "./lines";
import { Outline } from "./outline";
import { Protobuf } from "./protobuf";
import type { MessageType, Schema } from "./protoTypes";
import type { Reading } from "./rows";
import { readXml } from "./xml";

export type ReadingOptions =
  | { as: "Text"; charset: string | null; columns: number; json: boolean; from?: number; to?: number }
  | { as: "Tree" | "Lines" | "Fields"; charset: string | null }
  | { as: "Pretty"; charset: string | null; columns: number }
  | { as: "GraphQL"; charset: string | null; columns: number; isDocument: boolean }
  | { as: "XML"; charset: string | null; language: "xml" | "html" }
  | MessageReading;

export type MessageReading =
  | ({ as: "Protobuf" } & DeclaredType)
  | ({ as: "gRPC"; coding: string; words: boolean; base64: boolean } & DeclaredType);

/** The type of a message; null for decoding without one. */
interface DeclaredType {
  messageType: string | null;
  /** Changes with the `.proto` files that declare it, so that the body is read again. */
  revision: number;
}

export interface Opened {
  reading: Reading;
  notes: string[];
  /** A mistake in the body and the row that shows it. */
  mistake: (ParseMistake & { row: number | null }) | null;
}

/** Limit for all decompressed gRPC messages together, in bytes. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/** `schema`: the declarations of the `.proto` files. */
export async function openReading(
  bytes: Uint8Array,
  options: ReadingOptions,
  schema: Schema | null = null,
): Promise<Opened> {
  switch (options.as) {
    case "Text":
      return openText(bytes, options);
    case "Tree":
    case "Lines": {
      const text = decodeText(bytes, options.charset);
      const tree = options.as === "Tree" ? readJson(text) : readJsonLines(text);
      const notes = tree.more ? [tooMany(tree.nodes.size)] : [];
      return { reading: new Outline(tree), notes, mistake: tree.mistake && { ...tree.mistake, row: null } };
    }
    case "Pretty": {
      const tree = readJson(decodeText(bytes, options.charset));
      const { text, more } = formatJson(tree);
      const notes =
        more || tree.more ? ["Only the beginning is formatted: the result would be too long."] : [];
      const reading = new Lines(text, { columns: options.columns, colours: "json" });
      return { reading, notes, mistake: tree.mistake && { ...tree.mistake, row: null } };
    }
    case "GraphQL": {
      const { text, notes } = readGraphql(decodeText(bytes, options.charset), options.isDocument);
      return {
        reading: new Lines(text, { columns: options.columns, colours: "graphql" }),
        notes,
        mistake: null,
      };
    }
    case "XML": {
      const tree = readXml(decodeText(bytes, options.charset), options.language);
      const notes = tree.more ? [tooMany(tree.nodes.size)] : [];
      return { reading: new Outline(tree), notes, mistake: tree.mistake && { ...tree.mistake, row: null } };
    }
    case "Fields":
      return { reading: new Fields(decodeText(bytes, options.charset)), notes: [], mistake: null };
    case "Protobuf": {
      const type = typeNamed(schema, options.messageType);
      const format = new Protobuf(bytes, schema);
      const whole = format.message(type);
      const notes = whole ? [] : ["These bytes are not a protocol buffer, or only their beginning is."];
      if (format.more) notes.push(tooMany(format.nodes.size));
      return { reading: new Outline(format), notes: [...misfitNotes(format, type), ...notes], mistake: null };
    }
    case "gRPC": {
      const content = options.base64 ? fromWebText(bytes) : bytes;
      const type = typeNamed(schema, options.messageType);
      const { format, messages, notes } = await readGrpc(content, {
        coding: options.coding,
        words: options.words,
        limit: MAX_UNPACKED_BYTES,
        schema,
        type,
      });
      const empty = messages === 0 ? ["This body contains no gRPC message."] : [];
      return {
        reading: new Outline(format),
        notes: [...empty, ...misfitNotes(format, type), ...notes],
        mistake: null,
      };
    }
  }
}

function openText(bytes: Uint8Array, options: Extract<ReadingOptions, { as: "Text" }>): Opened {
  const part = bytes.subarray(options.from ?? 0, options.to ?? bytes.length);
  const text = decodeText(part, options.charset);
  const unknown = options.charset === null || /^utf-?8$/i.test(options.charset);
  const notes =
    unknown && utf8(part) === null && part.length > 0
      ? ["These bytes are not valid UTF-8; � replaces the invalid ones."]
      : [];
  const mistake = options.json ? readJson(text).mistake : null;
  const reading = new Lines(text, {
    columns: options.columns,
    colours: options.json ? "json" : null,
    wrong: mistake?.place ?? null,
  });
  return { reading, notes, mistake: mistake && { ...mistake, row: reading.rowOf(mistake.place) } };
}

/** gRPC-Web as text: sequences of base64, each padded separately. */
function fromWebText(bytes: Uint8Array): Uint8Array {
  const pieces = latin1(bytes)
    .replaceAll(/\s+/g, "")
    .match(/[A-Za-z0-9+/]+={0,2}/g);
  try {
    const binary = (pieces ?? []).map((piece) => atob(piece)).join("");
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return bytes;
  }
}

function typeNamed(schema: Schema | null, name: string | null): MessageType | null {
  return (name !== null && schema?.messages.get(name)) || null;
}

function misfitNotes({ misfit }: Protobuf, type: MessageType | null): string[] {
  if (misfit === null || type === null) return [];
  return [
    `The bytes do not fit ${type.name} (${misfit}): they are shown without it. Choose another message type, or add the current .proto file.`,
  ];
}

function tooMany(count: number): string {
  return `Only the first ${count.toLocaleString("en")} values are shown.`;
}
