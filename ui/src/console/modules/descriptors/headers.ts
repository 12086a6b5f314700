// Headers added to or removed from requests and responses.
import { counted } from "../../../model/format";
import { filledRows } from "../../form/draft";
import type { Body, Draft, Field, Row, Value } from "../../form/field";
import { isRecord, rowsOf, textsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t -~]*$/;
/** Headers of a single connection and headers that frame a message. */
const FRAMING = new Set(
  "connection content-length expect http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Variables for `${…}` in a value. */
const VARIABLES: readonly (readonly [name: string, sentence: string])[] = [
  ["conn.client_ip", "The address of the visitor's socket."],
  ["conn.client_port", "The port of the visitor's socket."],
  ["conn.tls.version", "The version of TLS, such as 1.3."],
  ["conn.tls.cipher_suite", "The cipher suite of the connection."],
  ["conn.tls.sni", "The server name of the handshake."],
  ["geo.country", "The country of the visitor, such as DE; empty when unknown."],
  ["geo.continent", "The continent of the visitor, such as EU; empty when unknown."],
  ["geo.city", "The city of the visitor; empty when unknown."],
  ["geo.asn", "The number of the visitor's autonomous system; empty when unknown."],
  ["req.id", "The ID of the request, as in the log and on error pages."],
  ["req.method", "The method of the request."],
  ["req.scheme", "https or http."],
  ["req.host", "The host the request is for."],
  ["req.path", "The path as it was sent."],
  ["req.query", "The query as it was sent."],
  ["req.version", "The version of HTTP."],
  ["res.status", "The status of the response; empty in requests."],
];

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

function wrongHeader({ name = "", value = "" }: Row, direction: "request" | "response"): string | null {
  if (name.toLowerCase().startsWith("postern-"))
    return "Headers that begin with “postern-” are reserved for this server.";
  if (value.length > 4096) return "A value has at most 4096 bytes.";
  if (!VALUE.test(value)) return "A value can contain only printable ASCII and tabs.";
  return wrongName(name.trim(), direction);
}

function fields(direction: "request" | "response"): Field[] {
  return [
    {
      kind: "rows",
      name: "add",
      label: "Add",
      help: "Added to the existing headers; a name that is also removed is replaced. Values may contain variables.",
      columns: [
        { name: "name", label: "Name", placeholder: "x-request-id" },
        { name: "value", label: "Value", placeholder: "${req.id}" },
      ],
      shape: "map",
      add: "Add header",
      maxItems: 100,
      variables: VARIABLES,
      check: (row) => wrongHeader(row, direction),
      write: (rows) => Object.fromEntries(headersOf(rows).map(({ name, value }) => [name, value])),
    },
    {
      kind: "list",
      name: "remove",
      label: "Remove",
      help: "Removed with all their values.",
      maxItems: 100,
      maxLength: 256,
      placeholder: direction === "request" ? "x-debug" : "server",
      check: (text) => wrongName(text, direction),
    },
  ];
}

/** The headers to add, as the API stores them. */
function headersOf(value: Value | undefined): { name: string; value: string }[] {
  return filledRows(rowsOf(value)).map(({ name = "", value: text = "" }) => ({
    name: name.trim().toLowerCase(),
    value: text,
  }));
}

function mistakes(draft: Draft): Record<string, string> {
  const names = headersOf(draft["add"]).map(({ name }) => name);
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
  about: "Changes the headers of requests as the last module before the backend.",
  owners: ["https_route"],
  stage: 130,
  trace: "request_headers",
  without: "The backend gets the visitors' headers unchanged.",
  fields: fields("request"),
  summary,
  mistakes,
};

export const responseHeaders: ModuleDescriptor = {
  name: "response_headers",
  label: "Response headers",
  about: "Changes the headers of responses as the last module before the visitor.",
  owners: ["https_route"],
  stage: 160,
  changesResponses: true,
  trace: "response_headers",
  without: "Visitors get the backend's headers unchanged.",
  fields: fields("response"),
  summary,
  mistakes,
};

export default [requestHeaders, responseHeaders];
