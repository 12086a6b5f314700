// The messages of a stream: those of a WebSocket or an event stream one by one, those of a gRPC call by direction.
import type { Summary } from "../api/types";
import type { Detail } from "../model/details";
import { headerValue } from "../model/httpMessage";
import { FramesView } from "./bodies/FramesView";
import { Sides } from "./Sides";
import { isComplete } from "./useDetail";

/** Whether an exchange has messages; those of a gRPC call are known with its headers. */
export function hasMessages(summary: Summary, detail: Detail | null): boolean {
  return summary.frames != null || isGrpc(detail);
}

function isGrpc(detail: Detail | null): boolean {
  const messages = [detail?.request, detail?.response];
  return messages.some((message) =>
    headerValue(message?.headers ?? [], "content-type")?.startsWith("application/grpc"),
  );
}

export function MessagesTab({ summary, detail }: { summary: Summary; detail: Detail }) {
  if (summary.frames == null) return <Sides id={summary.id} complete={isComplete(summary)} />;
  const type = headerValue(detail.response?.headers ?? [], "content-type");
  const label = type?.startsWith("text/event-stream") ? "Events" : "Messages";
  return <FramesView id={summary.id} label={label} />;
}
