// A captured request as a curl command for a POSIX shell.
import { latin1, utf8 } from "../bytes";
import { sentHeaders, type Snippet } from "./source";

/** Quotes one word for sh: single quotes make everything literal. */
export function quote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlCommand(source: Snippet, reveal: boolean): string {
  const { method, body } = source;
  const parts = ["curl"];
  if (source.authority) parts.push(`--cacert ${quote(source.authority)}`);
  if (/[[\]{}]/.test(source.url)) parts.push("--globoff");
  if (/\/\.\.?(?:\/|$|\?)/.test(source.url)) parts.push("--path-as-is");
  if (method === "HEAD") parts.push("--head");
  else if (method !== (body.length > 0 ? "POST" : "GET")) parts.push(`--request ${quote(method)}`);
  // The address never begins with a dash, so it cannot be mistaken for an option.
  parts.push(quote(source.url));

  const headers = sentHeaders(source, reveal);
  for (const { name, value } of headers)
    parts.push(`--header ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`);
  const typed = headers.some(({ name }) => name.toLowerCase() === "content-type");
  if (body.length === 0) return parts.join(" \\\n  ");
  // Without this header curl would declare the body as a form.
  if (!typed) parts.push(`--header ${quote("Content-Type:")}`);
  const text = printable(body);
  if (text !== null) return [...parts, `--data-raw ${quote(text)}`].join(" \\\n  ");
  return `printf ${quote(octal(body))} |\n${[...parts, "--data-binary @-"].join(" \\\n  ")}`;
}

/** The body as text where a shell argument can carry it: UTF-8 without control characters except tab and line feed. */
export function printable(body: Uint8Array): string | null {
  const text = utf8(body);
  if (text === null || new TextEncoder().encode(text).length !== body.length) return null;
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  return /[\u0000-\u0008\u000b-\u001f\u007f]|^\ufeff/.test(text) ? null : text;
}

/** A format for printf: every byte that is not a plain letter, digit or sign becomes three octal digits. */
export function octal(body: Uint8Array): string {
  return latin1(body).replace(
    /[^A-Za-z0-9 _.,:;=/(){}[\]<>+]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}
