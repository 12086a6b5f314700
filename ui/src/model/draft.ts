// A captured request that somebody changes before it is sent again.
import type { Replay } from "../api/agent";
import { decodeText, utf8 } from "./bytes";
import type { Detail } from "./details";
import { headerValue, type Header } from "./wire";

export interface Draft {
  method: string;
  path: string;
  headers: readonly Header[];
  /** Null leaves the body as it was captured, byte for byte. */
  body: string | null;
  through: "local" | "edge";
  /** Null for the tunnel it came through. */
  tunnel: string | null;
}

/** The agent says these by itself, as the body is. */
const COMPUTED = new Set(["content-length", "transfer-encoding"]);

export function draftOf({ captured, request }: Detail): Draft {
  return {
    method: captured.request.method,
    path: captured.request.uri,
    headers: request.headers.filter(({ name }) => !COMPUTED.has(name.toLowerCase())),
    body: null,
    through: "local",
    tunnel: null,
  };
}

/** More is not edited by hand. */
export const EDITABLE = 256 * 1024;

/** The body as text that can be edited; null where it is none, or is compressed, or is too long. */
export function bodyText({ request }: Detail, body: Uint8Array): string | null {
  const coding = headerValue(request.headers, "content-encoding") ?? "identity";
  if (coding.toLowerCase() !== "identity" || body.length >= EDITABLE || body.includes(0)) return null;
  return utf8(body) === null ? null : decodeText(body, null);
}

/** What stands in the way of sending; null for nothing. */
export function obstacle(draft: Draft, { request }: Detail): string | null {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(draft.method)) return "The method is one word, such as GET.";
  if (draft.path === "" || /\s/.test(draft.path)) return "The path has no spaces; write %20 for one.";
  const nameless = draft.headers.find(({ name, value }) => name.trim() === "" && value !== "");
  if (nameless) return "A header has no name.";
  if (request.cut && draft.body === null)
    return "Only the beginning of the body was captured. Write another body to send the request.";
  return null;
}

/** Only what differs is said; the rest is sent as it was captured. */
export function wishOf(id: string, draft: Draft, detail: Detail): Replay {
  const original = draftOf(detail);
  const wish: Replay = { id, through: draft.through };
  if (draft.tunnel !== null) wish.tunnel_name = draft.tunnel;
  if (draft.method !== original.method) wish.method = draft.method;
  if (draft.path !== original.path) wish.path = draft.path;
  if (!sameHeaders(draft.headers, original.headers))
    wish.headers = draft.headers
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }): [string, string] => [name.trim(), value]);
  if (draft.body !== null) wish.body = draft.body;
  return wish;
}

function sameHeaders(some: readonly Header[], others: readonly Header[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, value }, index) => name === others[index]?.name && value === others[index]?.value)
  );
}
