// One HTTP message as it was on the wire: start line, headers in their order and spelling, body bytes.
import { latin1, utf8 } from "./bytes";

export interface Header {
  name: string;
  value: string;
}

export interface WireMessage {
  startLine: string;
  headers: Header[];
  /** Bytes up to and including the empty line. */
  head: Uint8Array;
  /** Everything after the head, still framed and encoded. */
  body: Uint8Array;
}

/** Parses a message and never fails: bytes without an empty line are all head. */
export function parseMessage(raw: Uint8Array): WireMessage {
  const end = endOfHead(raw);
  const head = raw.subarray(0, end);
  const lines = headText(head).split(/\r?\n/);
  const startLine = lines.shift() ?? "";
  const headers: Header[] = [];
  for (const line of lines) {
    if (line === "") continue;
    const colon = line.indexOf(":");
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last) last.value += ` ${line.trim()}`;
    else if (colon > 0) headers.push({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() });
    else headers.push({ name: line, value: "" });
  }
  return { startLine, headers, head, body: raw.subarray(end) };
}

/** Names and addresses beyond ASCII are usually UTF-8; otherwise each byte becomes one character. */
export function headText(head: Uint8Array): string {
  return utf8(head) ?? latin1(head);
}

function endOfHead(raw: Uint8Array): number {
  const LF = 10;
  const CR = 13;
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) {
    if (raw[at + 1] === LF) return at + 2;
    if (raw[at + 1] === CR && raw[at + 2] === LF) return at + 3;
  }
  return raw.length;
}

/** All values of a header, joined with commas (RFC 9110, section 5.3), or null where it was not sent. */
export function headerValue(headers: readonly Header[], name: string): string | null {
  const lower = name.toLowerCase();
  const values = headers
    .filter((header) => header.name.toLowerCase() === lower)
    .map((header) => header.value);
  return values.length === 0 ? null : values.join(", ");
}

export interface MediaType {
  /** The media type in lower case without parameters, such as `application/json`. */
  type: string;
  parameters: Map<string, string>;
}

export function mediaType(value: string | null): MediaType {
  const [type = "", ...rest] = (value ?? "").split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals === -1) continue;
    const text = part.slice(equals + 1).trim();
    parameters.set(part.slice(0, equals).trim().toLowerCase(), text.replace(/^"([\s\S]*)"$/, "$1"));
  }
  return { type: type.trim().toLowerCase(), parameters };
}

/** Names and values of a query or a form body. Invalid escapes are kept as they are. */
export function pairs(encoded: string): Header[] {
  if (encoded === "") return [];
  return encoded.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    return { name: unescape(name), value: equals === -1 ? "" : unescape(pair.slice(equals + 1)) };
  });
}

function unescape(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
