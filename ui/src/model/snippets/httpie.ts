// A captured request as an HTTPie command for a POSIX shell.
import { octal, printable, quote } from "./curl";
import { sentHeaders, type Snippet } from "./source";

export function httpieCommand(source: Snippet, reveal: boolean): string {
  const { method, body } = source;
  const text = printable(body);
  // Without this HTTPie reads a body from whatever its input is.
  const parts = text === null ? ["http"] : ["http --ignore-stdin"];
  if (/\/\.\.?(?:\/|$|\?)/.test(source.url)) parts.push("--path-as-is");
  if (source.authority) parts.push(quote(`--verify=${source.authority}`));
  if (text !== null && body.length > 0) parts.push(`--raw ${quote(text)}`);
  parts.push(`${quote(method)} ${quote(source.url)}`);
  const headers = sentHeaders(source, reveal);
  for (const { name, value } of headers)
    parts.push(quote(value === "" ? `${name};` : `${name}:${protect(value)}`));
  // Without this header HTTPie would declare the body as JSON.
  if (body.length > 0 && !headers.some(({ name }) => name.toLowerCase() === "content-type"))
    parts.push(quote("Content-Type:"));
  const command = parts.join(" \\\n  ");
  return text === null ? `printf ${quote(octal(body))} |\n${command}` : command;
}

/** HTTPie takes `:=` and `:@` for other separators than that of a header. */
function protect(value: string): string {
  return /^[=@:]/.test(value) ? `\\${value}` : value;
}
