// What of a body is compared, and how it is read.
import { headerValue, mediaType } from "../../model/httpMessage";
import type { ProtoSnapshot } from "../../model/protoFiles";
import type { BodyOf, SideName } from "../bodies/message";
import { messageChoice } from "../bodies/messageChoice";
import { choiceKey, messageReading } from "../bodies/messageReading";
import { messageKindOf } from "../bodies/reading/bodyKind";
import { codingsOf } from "../bodies/reading/contentEncoding";
import type { MessageReading } from "../bodies/reading/open";
import type { ProtoDescription } from "../bodies/reading/protoSchema";
import type { BodySide } from "./reading/compare";

/** Maximum number of bytes of each body that are compared. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

export function kindOfMessages({ headers }: BodyOf): MessageReading["as"] | null {
  return messageKindOf(mediaType(headerValue(headers, "content-type")));
}

/** Null for a body that is neither protobuf nor gRPC. */
export function messageReadingOf(
  { path, headers }: BodyOf,
  side: SideName,
  declared: ProtoDescription,
  { files, choices, revision }: ProtoSnapshot,
): MessageReading | null {
  const media = mediaType(headerValue(headers, "content-type"));
  const kind = messageKindOf(media);
  if (kind === null) return null;
  const origin = { path, side };
  const chosen = choices.get(choiceKey(`${side} body`, origin));
  const { type } =
    files.length === 0
      ? { type: null }
      : messageChoice(declared, chosen, origin, media.parameters, kind === "gRPC");
  return messageReading(kind, headers, media, type, revision);
}

export async function sideOf(
  { windows, headers, cut }: BodyOf,
  byLines: boolean,
  message: MessageReading | null,
): Promise<BodySide> {
  const media = mediaType(headerValue(headers, "content-type"));
  return {
    bytes: await windows.read(0, Math.min(windows.length, MAX_COMPARED_BYTES)),
    message,
    codings: codingsOf(headerValue(headers, "content-encoding")),
    charset: media.parameters.get("charset") ?? null,
    cut: cut || windows.length > MAX_COMPARED_BYTES,
    byLines,
  };
}
