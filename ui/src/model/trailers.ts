// Reads the trailers of a chunked body; only the end of the body is needed.
import { latin1 } from "./bytes";
import type { Header } from "./httpMessage";

export function parseTrailers(end: Uint8Array): Header[] {
  const last = /(?:^|\r?\n)0+[ \t]*(?:;[^\n]*)?\r?\n([\s\S]*)$/.exec(latin1(end));
  const headers: Header[] = [];
  for (const line of (last?.[1] ?? "").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) break;
    headers.push({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() });
  }
  return headers;
}
