// Removes content codings within a limit: a small body can expand to terabytes, and no more than the limit is produced.
import { BrotliDecompress } from "brotli/dec/decode.js";
import { Decompress } from "fzstd";
import { concat } from "../../../model/bytes";

/** Maximum number of codings; more than one is rare, more than this is an attack. */
const MAX_CODINGS = 4;
/** Size of one input slice in bytes: it expands at most about a thousandfold. */
const SLICE_BYTES = 8 * 1024;

export interface Decoded {
  bytes: Uint8Array<ArrayBuffer>;
  /** Sentences about what was decoded or could not be decoded. */
  notes: string[];
  /** No coding is left. */
  done: boolean;
}

type End = "whole" | "limit" | "broken" | "unknown";
interface Unpacked {
  bytes: Uint8Array<ArrayBuffer>;
  end: End;
}

export async function decodeContent(
  bytes: Uint8Array,
  codings: readonly string[],
  limit: number,
): Promise<Decoded> {
  const notes: string[] = [];
  let now: Uint8Array<ArrayBuffer> = bytes.slice();
  if (codings.length > MAX_CODINGS)
    return {
      bytes: now,
      notes: [`${codings.length} nested content codings are not decoded.`],
      done: false,
    };
  for (const coding of codings.toReversed()) {
    const named = /^[\w-]{1,20}$/.test(coding) ? coding : "unknown";
    const { bytes: next, end } = await unpack(now, coding, limit);
    if (end === "unknown" || (end === "broken" && next.length === 0)) {
      const why = end === "unknown" ? `The coding ${named} is unknown` : `These bytes are not ${named}`;
      notes.push(`${why}; they are shown undecoded.`);
      return { bytes: now, notes, done: false };
    }
    now = next;
    notes.push(`Decoded from ${named}.`);
    if (end === "limit") notes.push(`Only the first ${inMegabytes(limit)} were decoded.`);
    if (end === "broken") notes.push("The encoded data ends early or is damaged.");
  }
  return { bytes: now, notes, done: true };
}

function inMegabytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MB` : `${bytes} bytes`;
}

async function unpack(bytes: Uint8Array<ArrayBuffer>, coding: string, limit: number): Promise<Unpacked> {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return inflate(bytes, "gzip", limit);
    case "deflate": {
      const wrapped = await inflate(bytes, "deflate", limit);
      // Many servers send raw deflate data under this name.
      return wrapped.end === "broken" && wrapped.bytes.length === 0
        ? inflate(bytes, "deflate-raw", limit)
        : wrapped;
    }
    case "br":
      return unbrotli(bytes, limit);
    case "zstd":
      return unzstd(bytes, limit);
    default:
      return { bytes: bytes.slice(0, 0), end: "unknown" };
  }
}

/** Uses the browser's decoder in small slices: it decodes all its input, whether or not the output is still read. */
async function inflate(bytes: Uint8Array<ArrayBuffer>, format: string, limit: number): Promise<Unpacked> {
  let stream: DecompressionStream;
  try {
    stream = new DecompressionStream(format as CompressionFormat);
  } catch {
    return { bytes: bytes.slice(0, 0), end: "unknown" };
  }
  const room = new OutputBuffer(limit);
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const feed = async () => {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      await writer.ready;
      await writer.write(bytes.slice(at, at + SLICE_BYTES));
    }
    await writer.close();
  };
  // The reader reports the failure as well; this only prevents an unhandled rejection.
  feed().catch(() => {});
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: room.taken(), end: "whole" };
      if (!room.take(value)) {
        reader.cancel().catch(() => {});
        return { bytes: room.taken(), end: "limit" };
      }
    }
  } catch {
    return { bytes: room.taken(), end: "broken" };
  }
}

class LimitReached extends Error {}

/** Not the browser's decoder: a few bytes of Brotli expand to gigabytes, and only this one can stop early. */
async function unbrotli(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<Unpacked> {
  const room = new OutputBuffer(limit);
  let at = 0;
  const input = {
    read(into: Uint8Array, from: number, count: number): number {
      const part = bytes.subarray(at, at + count);
      into.set(part, from);
      at += part.length;
      return part.length;
    },
  };
  const output = {
    // It would allocate a whole block at once; the output is stored elsewhere.
    buffer: { length: Number.POSITIVE_INFINITY },
    write(piece: Uint8Array, count: number): number {
      if (!room.take(piece.slice(0, count))) throw new LimitReached();
      return count;
    },
  };
  try {
    BrotliDecompress(input, output);
    return { bytes: room.taken(), end: "whole" };
  } catch (thrown) {
    if (thrown instanceof LimitReached) return { bytes: room.taken(), end: "limit" };
    // It stops early, after at most the limit and one window. The browser's decoder returns what is available.
    const rest = await inflate(bytes, "brotli", limit);
    return rest.bytes.length > room.length ? rest : { bytes: room.taken(), end: "broken" };
  }
}

function unzstd(bytes: Uint8Array<ArrayBuffer>, limit: number): Unpacked {
  const room = new OutputBuffer(limit);
  const stream = new Decompress((piece) => {
    if (!room.take(piece)) throw new LimitReached();
  });
  try {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES)
      stream.push(bytes.slice(at, at + SLICE_BYTES), at + SLICE_BYTES >= bytes.length);
    return { bytes: room.taken(), end: "whole" };
  } catch (thrown) {
    return { bytes: room.taken(), end: thrown instanceof LimitReached ? "limit" : "broken" };
  }
}

/** Collects pieces up to a limit. */
class OutputBuffer {
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False once nothing more fits. */
  take(piece: Uint8Array): boolean {
    const fits = piece.subarray(0, this.#limit - this.length);
    this.#pieces.push(fits);
    this.length += fits.length;
    return this.length < this.#limit;
  }

  taken(): Uint8Array<ArrayBuffer> {
    return concat(this.#pieces);
  }
}
