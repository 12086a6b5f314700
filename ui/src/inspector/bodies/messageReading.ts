// How the messages of a protobuf or gRPC body are read.
import { headerValue, type Header, type MediaType } from "../../model/httpMessage";
import type { Origin } from "./messageChoice";
import type { MessageReading } from "./reading/open";

/** For which requests a message type is chosen. The messages of one WebSocket share a type, and so do its parts of the same name. */
export function choiceKey(label: string, origin: Origin | null): string {
  return origin === null ? "message" : `${label} ${origin.path}`;
}

export function messageReading(
  as: MessageReading["as"],
  headers: readonly Header[],
  { type: mediaType }: MediaType,
  messageType: string | null,
  revision: number,
): MessageReading {
  if (as === "Protobuf") return { as, messageType, revision };
  return {
    as,
    coding: headerValue(headers, "grpc-encoding") ?? "identity",
    words: mediaType.endsWith("+json"),
    base64: /-text(?:\+|$)/.test(mediaType),
    messageType,
    revision,
  };
}
