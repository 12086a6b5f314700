// A gRPC body: length-prefixed messages, compressed or not, and for gRPC-Web the trailers as a last frame.
import { latin1 } from "../../../model/bytes";
import { decodeContent } from "./codings";
import { Protobuf } from "./protobuf";
import type { MessageType, Schema } from "./protoTypes";
import type { Token } from "./rows";

const COMPRESSED = 1;
const TRAILERS = 128;
const MAX_MESSAGES = 10_000;

export interface GrpcOptions {
  /** The value of `grpc-encoding`. */
  coding: string;
  /** The payload is JSON or another format that is not a protocol buffer. */
  words: boolean;
  /** Limit for all decompressed messages together, in bytes. */
  limit: number;
  schema?: Schema | null;
  /** The type of the messages, where it is known. */
  type?: MessageType | null;
}

export interface Grpc {
  format: Protobuf;
  messages: number;
  notes: string[];
  /** Trailers inside the body (gRPC-Web). */
  trailers: string | null;
}

export async function readGrpc(bytes: Uint8Array, options: GrpcOptions): Promise<Grpc> {
  const { coding, words, limit, schema = null, type = null } = options;
  const notes: string[] = [];
  const frames: { heading: Token[]; payload: Uint8Array; as: "message" | "words" }[] = [];
  let trailers: string | null = null;
  let at = 0;
  let room = limit;
  let messages = 0;
  while (at + 5 <= bytes.length && messages < MAX_MESSAGES) {
    const flags = bytes[at] ?? 0;
    const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1, 4).getUint32(0);
    if ((flags & ~(COMPRESSED | TRAILERS)) !== 0) break;
    const whole = at + 5 + length <= bytes.length;
    let payload = bytes.subarray(at + 5, at + 5 + length);
    const facts = [`${length.toLocaleString("en")} bytes`];
    if ((flags & COMPRESSED) !== 0) {
      const unpacked = await decodeContent(payload, [coding], room);
      payload = unpacked.bytes;
      facts.push(unpacked.notes.join(" ") || "compressed");
    }
    room -= payload.length;
    if (!whole) facts.push("its end was not captured");
    at += 5 + length;
    if ((flags & TRAILERS) !== 0) {
      trailers = latin1(payload);
      frames.push({ heading: heading("Trailers", facts), payload, as: "words" });
    } else {
      messages += 1;
      frames.push({
        heading: heading(`Message ${messages}`, facts),
        payload,
        as: words ? "words" : "message",
      });
    }
    if (room <= 0) {
      notes.push("The rest was not decompressed: it is too large.");
      break;
    }
  }
  if (at < bytes.length && messages < MAX_MESSAGES && room > 0)
    notes.push(`${(bytes.length - at).toLocaleString("en")} bytes at the end are not a gRPC message.`);
  if (messages >= MAX_MESSAGES)
    notes.push(`Only the first ${MAX_MESSAGES.toLocaleString("en")} messages are shown.`);
  const all = new Uint8Array(frames.reduce((sum, { payload }) => sum + payload.length, 0));
  const format = new Protobuf(all, schema);
  let from = 0;
  for (const { heading: line, payload, as } of frames) {
    all.set(payload, from);
    format.headed(line, from, from + payload.length, as, type);
    from += payload.length;
  }
  return { format, messages, notes, trailers };
}

function heading(name: string, facts: readonly string[]): Token[] {
  return [
    ["word", name],
    ["mark", `  ${facts.join(", ")}`],
  ];
}
