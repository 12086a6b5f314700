// The head of one side of an exchange and the location of its body, which is not read before it is shown.
import { fromBase64 } from "../../model/bytes";
import { bodyPath, readTrailers } from "../../model/details";
import { parseMessage, type Header } from "../../model/httpMessage";
import type { Services } from "../../services";
import { RemoteBytes } from "./content";

export type SideName = "request" | "response";

export interface BodyOf {
  startLine: string;
  /** The path of the request, without its query. */
  path: string;
  headers: Header[];
  trailers: Header[];
  windows: RemoteBytes;
  cut: boolean;
  /** WebSocket messages or server-sent events were captured in it. */
  frames: number | null;
}

/** Null while there is no response; `error` then gives the reason, where it is known. */
export async function readSide(
  { host, model }: Services,
  id: string,
  side: SideName,
): Promise<{ body: BodyOf | null; error: string | null }> {
  const captured = await model.api.captured(id);
  const message = captured[side];
  if (message === null) return { body: null, error: captured.error ?? null };
  const { startLine, headers } = parseMessage(fromBase64(message.raw));
  const windows = await RemoteBytes.open(host, bodyPath(id, side), message.body_size === 0);
  return {
    body: {
      startLine,
      path: pathOf(captured.request.raw),
      headers,
      trailers: await readTrailers(host, id, side, headers, message.body_size ?? 0),
      windows,
      cut: captured.cut?.[side] ?? false,
      frames: captured.frames ?? null,
    },
    error: captured.error ?? null,
  };
}

function pathOf(raw: string): string {
  const [, target = ""] = parseMessage(fromBase64(raw)).startLine.split(" ");
  return target.replace(/[?#].*$/s, "");
}
