// A captured request as Python that needs only the standard library: every header and byte is sent as captured.
import { escaped } from "./escaped";
import { hostAndPort, sentHeaders, type Snippet } from "./source";

export function pythonSnippet(source: Snippet, reveal: boolean): string {
  const { method, url, body } = source;
  const [host, port] = place(hostAndPort(url));
  const target = url.slice(url.indexOf("//") + 2 + hostAndPort(url).length) || "/";
  const kind = /^http:/i.test(url) ? "HTTPConnection" : "HTTPSConnection";
  const headers = sentHeaders(source, reveal);
  const options = [
    ...(headers.some(({ name }) => name.toLowerCase() === "host") ? ["skip_host=True"] : []),
    "skip_accept_encoding=True",
  ];
  const context = source.authority
    ? `, context=ssl.create_default_context(cafile=${text(source.authority)})`
    : "";
  const encoder = new TextEncoder();
  const lines = [
    "import http.client",
    ...(source.authority ? ["import ssl"] : []),
    "",
    `connection = http.client.${kind}(${text(host)}${port === null ? "" : `, ${port}`}${context})`,
    `connection.putrequest(${text(method)}, ${text(plain(target))}, ${options.join(", ")})`,
    ...headers.map(
      ({ name, value }) => `connection.putheader(${text(name)}, ${bytes(encoder.encode(value))})`,
    ),
  ];
  if (body.length > 0) lines.push(`connection.putheader("Content-Length", "${body.length}")`);
  lines.push(
    `connection.endheaders(${body.length > 0 ? bytes(body) : ""})`,
    "response = connection.getresponse()",
    "print(response.status, response.reason)",
    "print(response.read())",
  );
  return lines.join("\n");
}

function place(host: string): [string, number | null] {
  const parts = /^(.*?)(?::(\d+))?$/s.exec(host.replace(/^.*@/s, ""));
  return [parts?.[1] ?? host, parts?.[2] === undefined ? null : Number(parts[2])];
}

/** Percent-encodes characters that a request target cannot contain: anything but ASCII without spaces. */
function plain(target: string): string {
  return Array.from(new TextEncoder().encode(target), (byte) =>
    byte > 0x20 && byte < 0x7f
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}

function text(value: string): string {
  const units = Array.from(value, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code < 0x7f && character !== '"' && character !== "\\") return character;
    return `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `"${units.join("")}"`;
}

function bytes(value: Uint8Array): string {
  return `b"${escaped(value)}"`;
}
