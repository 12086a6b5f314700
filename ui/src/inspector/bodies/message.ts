// The head of one side of an exchange and where its body is: all that is read before anybody looks at the body.
import type { Host } from "../../host/host";
import { fromAnswer } from "../../api/problem";
import type { CapturedRequest } from "../../api/types";
import { fromBase64 } from "../../model/bytes";
import { bodyPath, readTrailers } from "../../model/details";
import { parseMessage, type Header } from "../../model/wire";
import { Windows } from "./content";

export type SideName = "request" | "response";

export interface BodyOf {
  startLine: string;
  headers: Header[];
  trailers: Header[];
  windows: Windows;
  cut: boolean;
  /** Messages of a WebSocket or events were followed in it. */
  frames: number | null;
}

/** Null for a response that has not come; then `error` says why, where that is known. */
export async function readSide(
  host: Host,
  id: string,
  side: SideName,
): Promise<{ body: BodyOf | null; error: string | null }> {
  const path = `/api/requests/http/${encodeURIComponent(id)}`;
  const { status, body: answer } = await host.request("GET", `${path}?raw=head`, null);
  if (status !== 200) throw fromAnswer(status, answer);
  const captured = JSON.parse(answer) as CapturedRequest;
  const message = captured[side];
  if (message === null) return { body: null, error: captured.error ?? null };
  const { startLine, headers } = parseMessage(fromBase64(message.raw));
  const windows = await Windows.open(host, bodyPath(id, side));
  return {
    body: {
      startLine,
      headers,
      trailers: await readTrailers(host, id, side, headers, message.body_size ?? 0),
      windows,
      cut: captured.cut?.[side] ?? false,
      frames: captured.frames ?? null,
    },
    error: captured.error ?? null,
  };
}
