// A captured request as a curl command for a POSIX shell that sends the same request again.
import { latin1, utf8 } from "./bytes";
import { hidden, isSecret } from "./secrets";
import type { Header } from "./wire";

export interface CurlSource {
  method: string;
  url: string;
  headers: readonly Header[];
  /** Unframed, but still content-encoded, as the headers say. */
  body: Uint8Array;
}

/** curl says these itself, or they belong to the connection. */
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

/** One word for sh: single quotes make everything literal. */
export function quote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlCommand(source: CurlSource, reveal: boolean): string {
  const { method, headers, body } = source;
  const parts = ["curl"];
  if (/[[\]{}]/.test(source.url)) parts.push("--globoff");
  if (/\/\.\.?(?:\/|$|\?)/.test(source.url)) parts.push("--path-as-is");
  if (method === "HEAD") parts.push("--head");
  else if (method !== (body.length > 0 ? "POST" : "GET")) parts.push(`--request ${quote(method)}`);
  // The address never begins with a dash, so that it cannot be taken for an option.
  parts.push(quote(source.url));

  const host = authority(source.url);
  let typed = false;
  for (const { name, value } of headers) {
    const lower = name.toLowerCase();
    if (OWN.has(lower) || !TOKEN.test(name) || value.includes("\0") || (lower === "host" && value === host))
      continue;
    typed ||= lower === "content-type";
    const shown = isSecret(name) && !reveal ? hidden(name, value) : value;
    parts.push(`--header ${quote(shown === "" ? `${name};` : `${name}: ${shown}`)}`);
  }
  if (body.length === 0) return parts.join(" \\\n  ");
  // Without this curl would say that the body is a form.
  if (!typed) parts.push(`--header ${quote("Content-Type:")}`);
  const text = printable(body);
  if (text !== null) return [...parts, `--data-raw ${quote(text)}`].join(" \\\n  ");
  return `printf ${quote(octal(body))} |\n${[...parts, "--data-binary @-"].join(" \\\n  ")}`;
}

function authority(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
}

/** The body as text where a shell argument can carry it: UTF-8, no control characters but tab and line feed. */
function printable(body: Uint8Array): string | null {
  const text = utf8(body);
  if (text === null || new TextEncoder().encode(text).length !== body.length) return null;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u0008\u000b-\u001f\u007f]|^\ufeff/.test(text) ? null : text;
}

/** A format for printf: every byte that is not a plain letter, digit or sign stands as three octal digits. */
function octal(body: Uint8Array): string {
  return latin1(body).replace(
    /[^A-Za-z0-9 _.,:;=/(){}[\]<>+]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}
