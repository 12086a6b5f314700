// A captured request for PowerShell 7.
import { toBase64 } from "../bytes";
import { printable } from "./curl";
import { sentHeaders, type Snippet } from "./source";

export function powershellCommand(source: Snippet, reveal: boolean): string {
  const { method, url, body } = source;
  const headers = joined(sentHeaders(source, reveal));
  const lines = [`  Uri = ${literal(url)}`, `  CustomMethod = ${literal(method)}`];
  if (headers.size > 0) {
    lines.push("  Headers = @{");
    for (const { name, value } of headers.values()) lines.push(`    ${literal(name)} = ${literal(value)}`);
    lines.push("  }");
  }
  if (body.length > 0) lines.push(`  Body = ${bytes(body)}`);
  // Otherwise values that are unusual are refused, and responses from 400 on are exceptions.
  lines.push("  SkipHeaderValidation = $true", "  SkipHttpErrorCheck = $true");
  return [
    "$request = @{",
    ...lines,
    "}",
    "$response = Invoke-WebRequest @request",
    "$response.StatusCode",
    "$response.Content",
  ].join("\n");
}

/** One header for each name: a table of PowerShell has no name twice. */
function joined(headers: readonly { name: string; value: string }[]) {
  const byName = new Map<string, { name: string; value: string }>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const former = byName.get(key);
    const separator = key === "cookie" ? "; " : ", ";
    byName.set(
      key,
      former ? { name: former.name, value: `${former.value}${separator}${value}` } : { name, value },
    );
  }
  return byName;
}

/** A string without variables. PowerShell takes typographic quotes for the straight one. */
export function literal(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** Versions before 7.4 do not send text as UTF-8, so the body is bytes. */
function bytes(body: Uint8Array): string {
  const text = printable(body);
  return text === null
    ? `[Convert]::FromBase64String('${toBase64(body)}')`
    : `[Text.Encoding]::UTF8.GetBytes(${literal(text)})`;
}
