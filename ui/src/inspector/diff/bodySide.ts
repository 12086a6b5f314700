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

const mediaOf = ({ headers }: BodyOf) => mediaType(headerValue(headers, "content-type"));

export const kindOfMessages = (body: BodyOf) => messageKindOf(mediaOf(body));

/** Null for a body that is neither protobuf nor gRPC. */
export function messageReadingOf(
  body: BodyOf,
  side: SideName,
  declared: ProtoDescription,
  { choices, revision }: ProtoSnapshot,
): MessageReading | null {
  const media = mediaOf(body);
  const kind = messageKindOf(media);
  if (kind === null) return null;
  const origin = { path: body.path, side };
  const chosen = choices.get(choiceKey(`${side} body`, origin));
  const { type } = messageChoice(declared, chosen, origin, media.parameters, kind === "gRPC");
  return messageReading(kind, body.headers, media, type, revision);
}

export async function sideOf(
  body: BodyOf,
  byLines: boolean,
  message: MessageReading | null,
): Promise<BodySide> {
  const { windows, headers, cut } = body;
  return {
    bytes: await windows.read(0, Math.min(windows.length, MAX_COMPARED_BYTES)),
    message,
    codings: codingsOf(headerValue(headers, "content-encoding")),
    charset: mediaOf(body).parameters.get("charset") ?? null,
    cut: cut || windows.length > MAX_COMPARED_BYTES,
    byLines,
  };
}
