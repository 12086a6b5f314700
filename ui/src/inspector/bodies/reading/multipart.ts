// The parts of a multipart body, found by their boundary (RFC 2046, section 5.1).
import { headerValue, mediaType, parseMessage, type Header } from "../../../model/httpMessage";

export interface MultipartPart {
  name: string;
  fileName: string | null;
  headers: Header[];
  /** Range of the part's own body. */
  from: number;
  to: number;
}

export interface MultipartBody {
  parts: MultipartPart[];
  /** There are more parts than are listed. */
  more: boolean;
  /** The closing boundary was found. */
  complete: boolean;
}

export const MAX_PARTS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;
const CR = 13;
const LF = 10;
const DASH = 45;

/** Null where no part begins. */
export function readMultipart(bytes: Uint8Array, boundary: string): MultipartBody | null {
  if (boundary === "" || boundary.length > 200) return null;
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  let at = startsWith(bytes, delimiter, 0) ? 0 : next(bytes, delimiter, 0);
  if (at === -1) return null;
  const parts: MultipartPart[] = [];
  for (;;) {
    at += delimiter.length;
    if (bytes[at] === DASH && bytes[at + 1] === DASH) return { parts, more: false, complete: true };
    const line = bytes.indexOf(LF, at);
    if (line === -1) return { parts, more: false, complete: false };
    if (parts.length === MAX_PARTS) return { parts, more: true, complete: false };
    const from = line + 1;
    // The line break before the next boundary belongs to the boundary.
    const found = next(bytes, delimiter, line);
    const end = found === -1 ? bytes.length : found;
    const to = found === -1 ? end : Math.max(from, end - (bytes[end - 2] === CR ? 2 : 1));
    parts.push(part(bytes, from, to));
    if (found === -1) return { parts, more: false, complete: false };
    at = found;
  }
}

function part(bytes: Uint8Array, from: number, to: number): MultipartPart {
  // The head of a part is parsed like that of a message, but has no start line.
  const first = new TextEncoder().encode("Part\r\n");
  const head = bytes.subarray(from, Math.min(to, from + MAX_HEAD_BYTES));
  const whole = new Uint8Array(first.length + head.length);
  whole.set(first);
  whole.set(head, first.length);
  const message = parseMessage(whole);
  const disposition = mediaType(headerValue(message.headers, "content-disposition"));
  const { parameters } = disposition;
  return {
    name: parameters.get("name") ?? "",
    fileName: extended(parameters.get("filename*")) ?? parameters.get("filename") ?? null,
    headers: message.headers,
    from: Math.min(from + message.head.length - first.length, to),
    to,
  };
}

/** Decodes an extended value such as `UTF-8''na%C3%AFve.txt` (RFC 8187). */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function startsWith(bytes: Uint8Array, what: Uint8Array, at: number): boolean {
  for (let index = 0; index < what.length; index += 1) if (bytes[at + index] !== what[index]) return false;
  return true;
}

/** The next delimiter at the beginning of a line, searched from a line's end. */
function next(bytes: Uint8Array, delimiter: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (startsWith(bytes, delimiter, at + 1)) return at + 1;
  }
  return -1;
}
