// What a snippet sends: the captured request without what belongs to its connection.
import { hidden, isSecret } from "../secrets";
import type { Header } from "../wire";

export interface Snippet {
  method: string;
  url: string;
  headers: readonly Header[];
  /** Unframed, but still content-encoded, as the headers say. */
  body: Uint8Array;
}

/** Every client says these itself, or they belong to the connection. */
const OWN = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
]);
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The headers to send; without `reveal` secrets are hidden. */
export function sentHeaders({ url, headers }: Snippet, reveal: boolean): Header[] {
  const host = authority(url);
  return headers
    .filter(({ name, value }) => {
      const lower = name.toLowerCase();
      // No header can carry a line of its own.
      if (OWN.has(lower) || !TOKEN.test(name) || /[\0\r\n]/.test(value)) return false;
      return lower !== "host" || value !== host;
    })
    .map(({ name, value }) => ({ name, value: isSecret(name) && !reveal ? hidden(name, value) : value }));
}

/** Host and port of an address. */
export function authority(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
}
