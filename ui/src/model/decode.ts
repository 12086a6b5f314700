// From the body on the wire to the body that was meant: chunks joined, compression undone, both within limits.
import { concat, latin1 } from "./bytes";
import { headerValue, type Header } from "./wire";

/** More than this is not unpacked: a small body can hold gigabytes. */
export const DECODED_LIMIT = 8 * 1024 * 1024;

export const CHUNK_MISSING = "The last chunk is missing.";

export interface Unchunked {
  body: Uint8Array;
  trailers: Header[];
  /** False where the last chunk is missing, for example because the capture was cut. */
  complete: boolean;
}

export interface Decoded {
  bytes: Uint8Array;
  trailers: Header[];
  /** What was done or could not be done, in sentences. */
  notes: string[];
}

/** Takes the framing of `Transfer-Encoding: chunked` away, as far as it is well formed. */
export function unchunk(framed: Uint8Array): Unchunked {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < framed.length) {
    const lineEnd = framed.indexOf(10, at);
    if (lineEnd === -1) break;
    const line = latin1(framed.subarray(at, lineEnd)).trim();
    const digits = /^[0-9a-f]{1,12}(?=$|[ \t;])/i.exec(line);
    if (!digits) break;
    const length = Number.parseInt(digits[0], 16);
    at = lineEnd + 1;
    if (length === 0) {
      return { body: concat(parts), trailers: headersOf(latin1(framed.subarray(at))), complete: true };
    }
    parts.push(framed.subarray(at, Math.min(at + length, framed.length)));
    at += length;
    if (framed[at] === 13) at += 1;
    if (framed[at] === 10) at += 1;
  }
  return { body: concat(parts), trailers: [], complete: false };
}

/** The trailers at the end of a chunked body, of which only the end is needed. */
export function trailersOf(end: Uint8Array): Header[] {
  const text = latin1(end);
  const last = /(?:^|\r?\n)0+[ \t]*(?:;[^\n]*)?\r?\n([\s\S]*)$/.exec(text);
  return last ? headersOf(last[1] ?? "") : [];
}

function headersOf(rest: string): Header[] {
  const headers: Header[] = [];
  for (const line of rest.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) break;
    headers.push({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() });
  }
  return headers;
}

/** Undoes transfer and content encodings of a captured body. What cannot be undone stays as it was. */
export async function decodeBody(
  headers: readonly Header[],
  body: Uint8Array,
  limit: number = DECODED_LIMIT,
): Promise<Decoded> {
  const notes: string[] = [];
  let bytes = body;
  let trailers: Header[] = [];
  if (/\bchunked\b/i.test(headerValue(headers, "transfer-encoding") ?? "")) {
    const unframed = unchunk(body);
    bytes = unframed.body;
    trailers = unframed.trailers;
    if (!unframed.complete) notes.push(CHUNK_MISSING);
  }
  const encodings = (headerValue(headers, "content-encoding") ?? "")
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  for (const encoding of encodings.toReversed()) {
    if (bytes.length === 0) break;
    const unpacked = await unpack(bytes, encoding, limit);
    if (unpacked === null) {
      notes.push(`The ${encoding} encoding cannot be undone here; these are the encoded bytes.`);
      break;
    }
    bytes = unpacked.bytes;
    notes.push(`Decoded from ${encoding}.`);
    if (unpacked.end === "limit") notes.push(`Only the first ${limit / 1024 / 1024} MB were decoded.`);
    if (unpacked.end === "broken") notes.push("The encoded data ends early or is damaged.");
  }
  return { bytes, trailers, notes };
}

interface Unpacked {
  bytes: Uint8Array;
  end: "whole" | "limit" | "broken";
}

async function unpack(bytes: Uint8Array, encoding: string, limit: number): Promise<Unpacked | null> {
  if (encoding === "deflate") {
    const wrapped = await inflate(bytes, "deflate", limit);
    // Many servers send the bare form under this name.
    return wrapped && wrapped.bytes.length === 0 && wrapped.end === "broken"
      ? await inflate(bytes, "deflate-raw", limit)
      : wrapped;
  }
  const unpacked = await inflate(
    bytes,
    encoding === "x-gzip" ? "gzip" : encoding === "br" ? "brotli" : encoding,
    limit,
  );
  return unpacked && unpacked.bytes.length === 0 && unpacked.end === "broken" ? null : unpacked;
}

/** Null where this browser does not know the format. Reads no further than the limit. */
async function inflate(bytes: Uint8Array, format: string, limit: number): Promise<Unpacked | null> {
  let stream: DecompressionStream;
  try {
    stream = new DecompressionStream(format as CompressionFormat);
  } catch {
    return null;
  }
  const writer = stream.writable.getWriter();
  // Rejections surface at the reader as well; here they only must not go unhandled.
  writer.write(new Uint8Array(bytes)).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: concat(parts), end: "whole" };
      parts.push(value.subarray(0, limit - length));
      length += value.length;
      if (length >= limit) {
        await reader.cancel().catch(() => {});
        return { bytes: concat(parts), end: "limit" };
      }
    }
  } catch {
    return { bytes: concat(parts), end: "broken" };
  }
}
