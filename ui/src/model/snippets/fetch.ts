// A captured request as JavaScript with `fetch`, for browsers, Node.js, Deno and Bun.
import { latin1, toBase64, utf8 } from "../bytes";
import { sentHeaders, type Snippet } from "./source";

export function fetchSnippet(source: Snippet, reveal: boolean): string {
  const { method, url, body } = source;
  const headers = sentHeaders(source, reveal).map(
    ({ name, value }) => `    [${literal(name)}, ${literal(byteString(value))}],`,
  );
  const lines = [`  method: ${literal(method)},`];
  if (headers.length > 0) lines.push("  headers: [", ...headers, "  ],");
  const bodiless = method === "GET" || method === "HEAD";
  if (body.length > 0 && !bodiless) lines.push(`  body: ${bytes(body)},`);
  const note =
    body.length > 0 && bodiless ? `// fetch sends no body with ${method}; this request had one.\n` : "";
  return `${note}const response = await fetch(${literal(url)}, {\n${lines.join("\n")}\n});`;
}

/** Header values are byte strings, one byte per character. */
function byteString(value: string): string {
  return latin1(new TextEncoder().encode(value));
}

function bytes(body: Uint8Array): string {
  const text = utf8(body);
  // Only text that encodes to the same bytes may be written as a string.
  const same =
    text !== null && new TextEncoder().encode(text).length === body.length && !text.startsWith("\ufeff");
  return same
    ? literal(text)
    : `Uint8Array.from(atob(${literal(toBase64(body))}), (character) => character.charCodeAt(0))`;
}

/** JSON is JavaScript except for two line terminators; `</script>` would end the script of a page. */
function literal(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("</", "<\\/");
}
