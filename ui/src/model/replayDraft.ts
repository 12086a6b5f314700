// A captured request that is edited before it is replayed.
import type { ReplayCommand } from "../api/types";
import { decodeText, utf8 } from "./bytes";
import type { Detail } from "./details";
import { headerValue, type Header } from "./httpMessage";

export interface ReplayDraft {
  method: string;
  path: string;
  headers: readonly Header[];
  /** Null sends the captured body unchanged, byte for byte. */
  body: string | null;
  through: "local" | "edge";
  /** Null for the tunnel of the captured request. */
  tunnel: string | null;
}

/** Headers that the agent sets itself to match the body. */
const COMPUTED_HEADERS = new Set(["content-length", "transfer-encoding"]);

export function replayDraftOf({ captured, request }: Detail): ReplayDraft {
  return {
    method: captured.request.method,
    path: captured.request.uri,
    headers: request.headers.filter(({ name }) => !COMPUTED_HEADERS.has(name.toLowerCase())),
    body: null,
    through: "local",
    tunnel: null,
  };
}

/** Maximum size of an editable body, in bytes. */
export const MAX_EDITABLE_BYTES = 256 * 1024;

/** The body as editable text; null where it is not text, is compressed or is too long. */
export function bodyText({ request }: Detail, body: Uint8Array): string | null {
  const coding = headerValue(request.headers, "content-encoding") ?? "identity";
  if (coding.toLowerCase() !== "identity" || body.length >= MAX_EDITABLE_BYTES || body.includes(0))
    return null;
  return utf8(body) === null ? null : decodeText(body, null);
}

/** Returns the reason the draft cannot be sent, or null. */
export function draftProblem(draft: ReplayDraft, { request }: Detail): string | null {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(draft.method))
    return "The method must be one word, such as GET.";
  if (draft.path === "" || /\s/.test(draft.path)) return "The path cannot contain spaces; write %20 instead.";
  const nameless = draft.headers.find(({ name, value }) => name.trim() === "" && value !== "");
  if (nameless) return "A header has no name.";
  if (request.cut && draft.body === null)
    return "Only the beginning of the body was captured. Write another body to send the request.";
  return null;
}

/** Contains only the differences; everything else is sent as captured. */
export function replayOf(id: string, draft: ReplayDraft, detail: Detail): ReplayCommand {
  const original = replayDraftOf(detail);
  const replay: ReplayCommand = { id, through: draft.through };
  if (draft.tunnel !== null) replay.tunnel_name = draft.tunnel;
  if (draft.method !== original.method) replay.method = draft.method;
  if (draft.path !== original.path) replay.path = draft.path;
  if (!sameHeaders(draft.headers, original.headers))
    replay.headers = draft.headers
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }): [string, string] => [name.trim(), value]);
  if (draft.body !== null) replay.body = draft.body;
  return replay;
}

function sameHeaders(some: readonly Header[], others: readonly Header[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, value }, index) => name === others[index]?.name && value === others[index]?.value)
  );
}
