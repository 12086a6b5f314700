// Headers added to or removed from requests and responses.
import { counted } from "../../model/format";
import type { Body, Draft, Field, ModuleDescriptor, Pair } from "./descriptor";
import { isRecord, textOf, textsOf } from "./texts";

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t -~]*$/;
/** Headers of a single connection and headers that frame a message. */
const FRAMING = new Set(
  "connection content-length expect http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Variables for `${…}` in a value. */
export const VARIABLES: readonly (readonly [name: string, sentence: string])[] = [
  ["conn.client_ip", "The address of the visitor's socket."],
  ["conn.client_port", "The port of the visitor's socket."],
  ["conn.tls.version", "The version of TLS, such as 1.3."],
  ["conn.tls.cipher_suite", "The cipher suite of the connection."],
  ["conn.tls.sni", "The server name of the handshake."],
  ["req.id", "The id of the request, as in the log and on error pages."],
  ["req.method", "The method of the request."],
  ["req.scheme", "https or http."],
  ["req.host", "The host the request is for."],
  ["req.path", "The path as it was sent."],
  ["req.query", "The query as it was sent."],
  ["req.version", "The version of HTTP."],
  ["res.status", "The status of the response; empty in requests."],
];

export function pairs(value: unknown): Pair[] {
  return Array.isArray(value) ? value.filter((item): item is Pair => isRecord(item) && "name" in item) : [];
}

function wrongName(name: string, direction: "request" | "response"): string | null {
  const lower = name.toLowerCase();
  if (!NAME.test(name)) return `“${name}” is not a header name: use letters, digits and hyphens.`;
  if (name.length > 256) return "A name has at most 256 bytes.";
  if (FRAMING.has(lower))
    return `“${lower}” cannot be changed: it belongs to one connection or frames a message.`;
  if (direction === "request" && lower === "user-agent")
    return "“user-agent” cannot be changed: the backend gets the visitor's own value.";
  return null;
}

function wrongPair({ name, value }: Pair, direction: "request" | "response"): string | null {
  if (name.trim() === "") return "Enter a header name.";
  if (name.toLowerCase().startsWith("postern-"))
    return "Headers that begin with “postern-” are reserved for this server.";
  if (value.length > 4096) return "A value has at most 4096 bytes.";
  if (!VALUE.test(value)) return "A value can contain only printable ASCII and tabs.";
  return wrongName(name.trim(), direction);
}

function fields(direction: "request" | "response"): Field[] {
  return [
    {
      kind: "headers",
      name: "add",
      label: "Add",
      help: "Added to the existing headers; a name that is also removed is replaced. Values may contain variables.",
      most: 100,
      wrong: (pair) => wrongPair(pair, direction),
    },
    {
      kind: "list",
      name: "remove",
      label: "Remove",
      help: "Removed with all their values.",
      most: 100,
      longest: 256,
      placeholder: direction === "request" ? "x-debug" : "server",
      wrong: (text) => wrongName(text, direction),
    },
  ];
}

function read(view: Body): Draft {
  const add = isRecord(view["add"]) ? view["add"] : {};
  return {
    add: Object.entries(add).map(([name, value]) => ({ name, value: textOf(value) })),
    remove: textsOf(view["remove"]),
  };
}

function write(draft: Draft): Body {
  const add = pairs(draft["add"]).map(({ name, value }) => [name.trim().toLowerCase(), value]);
  return { add: Object.fromEntries(add), remove: textsOf(draft["remove"]) };
}

function mistakes(draft: Draft): Record<string, string> {
  const names = pairs(draft["add"]).map(({ name }) => name.trim().toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined && twice !== "") return { add: `“${twice}” occurs twice: case does not matter.` };
  const removed = textsOf(draft["remove"]).map((name) => name.toLowerCase());
  if (removed.includes("host") && !names.includes("host"))
    return { remove: "“host” can be removed only where another one is added." };
  return {};
}

function summary(view: Body): string {
  const added = isRecord(view["add"]) ? Object.keys(view["add"]).length : 0;
  return `${counted(added, "header")} added, ${textsOf(view["remove"]).length} removed`;
}

export const requestHeaders: ModuleDescriptor = {
  name: "request_headers",
  label: "Request headers",
  about: "Changes the headers of requests as the last stage before the backend.",
  owners: ["https_route"],
  trace: "request_headers",
  without: "The backend gets the visitors' headers unchanged.",
  fields: fields("request"),
  summary,
  read,
  write,
  mistakes,
};

export const responseHeaders: ModuleDescriptor = {
  name: "response_headers",
  label: "Response headers",
  about: "Changes the headers of responses as the last stage before the visitor.",
  owners: ["https_route"],
  trace: "response_headers",
  without: "Visitors get the backend's headers unchanged.",
  fields: fields("response"),
  summary,
  read,
  write,
  mistakes,
};
