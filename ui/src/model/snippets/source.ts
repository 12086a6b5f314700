// Input of a snippet: the captured request without its connection-specific headers.
import { mask, isSecret } from "../secrets";
import type { Header } from "../httpMessage";

export interface Snippet {
  method: string;
  url: string;
  headers: readonly Header[];
  /** The body without transfer coding; its content coding is kept, as the headers say. */
  body: Uint8Array;
  /** The path of a PEM file with the authority that vouches for the address, where the system trusts none. */
  authority?: string | null;
}

/** Headers that every client sets itself or that belong to the connection. */
const CONNECTION_HEADERS = new Set([
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

/** The headers to send; secrets are masked unless `reveal` is set. */
export function sentHeaders({ url, headers }: Snippet, reveal: boolean): Header[] {
  const host = hostAndPort(url);
  return headers
    .filter(({ name, value }) => {
      const lower = name.toLowerCase();
      // A header value cannot contain a line break.
      if (CONNECTION_HEADERS.has(lower) || !TOKEN.test(name) || /[\0\r\n]/.test(value)) return false;
      return lower !== "host" || value !== host;
    })
    .map(({ name, value }) => ({ name, value: isSecret(name) && !reveal ? mask(name, value) : value }));
}

/** Host and port of an address. */
export function hostAndPort(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
}
