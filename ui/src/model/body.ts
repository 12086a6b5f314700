// What a body is, and therefore how it can be looked at.
import { decodeText, latin1, utf8 } from "./bytes";
import { headerValue, mediaType, pairs, parseMessage, type Header, type MediaType } from "./wire";

export type BodyKind = "empty" | "json" | "form" | "multipart" | "image" | "text" | "binary";

export interface Body {
  kind: BodyKind;
  media: MediaType;
  bytes: Uint8Array;
}

const IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/svg+xml",
  "image/x-icon",
  "image/bmp",
]);
const TEXTS = /^text\/|[/+](?:xml|javascript|ecmascript|x-ndjson|graphql|yaml|x-yaml|toml|sql|css|html)$/;

export function classify(headers: readonly Header[], bytes: Uint8Array): Body {
  const media = mediaType(headerValue(headers, "content-type"));
  return { kind: kindOf(media, bytes), media, bytes };
}

function kindOf(media: MediaType, bytes: Uint8Array): BodyKind {
  if (bytes.length === 0) return "empty";
  if (IMAGES.has(media.type)) return "image";
  if (media.type === "multipart/form-data" && media.parameters.has("boundary")) return "multipart";
  const text = looksLikeText(bytes);
  if (/[/+]json$/.test(media.type) && text) return "json";
  if (media.type === "application/x-www-form-urlencoded" && text) return "form";
  if (TEXTS.test(media.type)) return "text";
  if (!text) return "binary";
  // No type, or one that says nothing: the first character tells JSON.
  return /^\s*[{[]/.test(latin1(bytes.subarray(0, 64))) ? "json" : "text";
}

function looksLikeText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 4096);
  return !start.includes(0) && (utf8(start) !== null || utf8(bytes) !== null);
}

export function bodyText(body: Body): string {
  return decodeText(body.bytes, body.media.parameters.get("charset") ?? null);
}

export function formFields(body: Body): Header[] {
  return pairs(bodyText(body).trim());
}

export interface Part {
  name: string;
  fileName: string | null;
  type: string;
  bytes: Uint8Array;
}

const PART_LIMIT = 200;

/** The parts of a multipart form, as far as it is well formed; null where no boundary is found. */
export function multipartParts(body: Body): Part[] | null {
  const boundary = body.media.parameters.get("boundary");
  if (!boundary) return null;
  const text = latin1(body.bytes);
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  let at = text.startsWith(delimiter) ? 0 : text.indexOf(`\r\n${delimiter}`);
  if (at === -1) return null;
  if (at > 0) at += 2;
  while (parts.length < PART_LIMIT) {
    const start = text.indexOf("\n", at + delimiter.length);
    if (start === -1 || text.startsWith("--", at + delimiter.length)) break;
    const next = text.indexOf(`\r\n${delimiter}`, start - 1);
    parts.push(
      readPart(body.bytes.subarray(start + 1, next === -1 ? body.bytes.length : Math.max(start + 1, next))),
    );
    if (next === -1) break;
    at = next + 2;
  }
  return parts;
}

function readPart(bytes: Uint8Array): Part {
  const lines = "Part\r\n";
  const whole = new Uint8Array(lines.length + bytes.length);
  whole.set(new TextEncoder().encode(lines));
  whole.set(bytes, lines.length);
  const message = parseMessage(whole);
  const disposition = mediaType(headerValue(message.headers, "content-disposition"));
  return {
    name: disposition.parameters.get("name") ?? "",
    fileName: disposition.parameters.get("filename") ?? null,
    type: mediaType(headerValue(message.headers, "content-type")).type || "text/plain",
    bytes: message.body,
  };
}
