// Detects the kind of a body by its media type or else by its first bytes, and the views that suit it.
import { latin1, utf8 } from "../../../model/bytes";
import type { MediaType } from "../../../model/httpMessage";
import { imageInfo } from "./imageInfo";

export type BodyKind =
  | "json"
  | "graphqlRequest"
  | "graphql"
  | "jsonLines"
  | "xml"
  | "svg"
  | "html"
  | "form"
  | "multipart"
  | "image"
  | "grpc"
  | "protobuf"
  | "text"
  | "binary";

export type BodyViewName =
  | "GraphQL"
  | "Tree"
  | "Lines"
  | "Pretty"
  | "XML"
  | "Page"
  | "Fields"
  | "Parts"
  | "Image"
  | "Protobuf"
  | "gRPC"
  | "Text"
  | "Hex";

/** The views that suit a kind, the best first. All others remain available. */
export const VIEWS_BY_KIND: Record<BodyKind, readonly BodyViewName[]> = {
  json: ["Tree", "Pretty", "Text", "Hex"],
  graphqlRequest: ["GraphQL", "Tree", "Pretty", "Text", "Hex"],
  graphql: ["GraphQL", "Text", "Hex"],
  jsonLines: ["Lines", "Text", "Hex"],
  xml: ["XML", "Text", "Hex"],
  svg: ["XML", "Image", "Text", "Hex"],
  html: ["Text", "Page", "XML", "Hex"],
  form: ["Fields", "Text", "Hex"],
  multipart: ["Parts", "Text", "Hex"],
  image: ["Image", "Hex"],
  grpc: ["gRPC", "Hex"],
  protobuf: ["Protobuf", "Hex"],
  text: ["Text", "Hex"],
  binary: ["Hex"],
};

export const ALL_VIEWS: readonly BodyViewName[] = [
  "Tree",
  "Lines",
  "Pretty",
  "GraphQL",
  "XML",
  "Page",
  "Fields",
  "Parts",
  "Image",
  "Protobuf",
  "gRPC",
  "Text",
  "Hex",
];

/** Number of bytes needed for the detection. */
export const SNIFF_BYTES = 4096;

const TEXTS = /^text\/|[/+](?:javascript|ecmascript|graphql|yaml|x-yaml|toml|sql|css|x-sh)$/;

/** A member `query` that begins as a GraphQL document does. */
const GRAPHQL_QUERY =
  /[{,]\s*"query"\s*:\s*"(?:\\[nrt]|[\s,]|#(?:(?!\\n).)*\\n)*(?:(?:query|mutation|subscription|fragment)\b[^"]|\{)/;

export function bodyKindOf(media: MediaType, start: Uint8Array): BodyKind {
  const { type } = media;
  const text = looksLikeText(start);
  if (type === "image/svg+xml") return "svg";
  if (imageInfo(start) && (type.startsWith("image/") || !text)) return "image";
  const message = messageKindOf(media);
  if (message !== null) return message === "gRPC" ? "grpc" : "protobuf";
  if (type.startsWith("multipart/") && media.parameters.has("boundary")) return "multipart";
  if (!text && !TEXTS.test(type)) return "binary";
  if (/[/+](?:x-ndjson|jsonl|json-lines|x-jsonlines|ndjson|json-seq)$/.test(type)) return "jsonLines";
  if (/[/+]graphql$/.test(type)) return "graphql";
  if (/[/+]json$/.test(type)) return GRAPHQL_QUERY.test(latin1(start)) ? "graphqlRequest" : "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/[/+]xml$/.test(type)) return "xml";
  if (type !== "" && type !== "application/octet-stream" && type !== "text/plain") return "text";
  return sniffed(latin1(start));
}

/** Whether a body consists of protocol buffers; null if not. */
export function messageKindOf({ type }: MediaType): "gRPC" | "Protobuf" | null {
  if (/^application\/grpc(?:-web)?(?:-text)?(?:\+|$)/.test(type)) return "gRPC";
  return /^application\/(?:x-protobuf|protobuf|vnd\.google\.protobuf|x-google-protobuf)$/.test(type)
    ? "Protobuf"
    : null;
}

/** For uninformative media types: decides by the beginning of the text. */
function sniffed(start: string): BodyKind {
  const text = start.replace(/^\u00ef\u00bb\u00bf/, "").trimStart();
  if (/^<!doctype html|^<html[\s>]/i.test(text)) return "html";
  if (/^<svg[\s>]/i.test(text)) return "svg";
  if (/^<\?xml\s|^<[A-Za-z][\w:.-]*[\s>/]/.test(text)) return "xml";
  if (/^\{[^\n]*\}\r?\n\s*\{/.test(text)) return "jsonLines";
  return /^(?:\{\s*["}]|\[\s*(?:["{[\]\d-]|true|false|null))/.test(text) ? "json" : "text";
}

export function looksLikeText(start: Uint8Array): boolean {
  return !start.includes(0) && utf8(start) !== null;
}
