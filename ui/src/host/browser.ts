// The page in a plain browser, served by the agent itself: fetch and server-sent events on its own origin.
import { ApiError, UNREACHABLE } from "../api/problem";
import type { AgentEvent } from "../api/types";
import type { InspectorTarget } from "../api/desktop.generated";
import type { FeedListener, Host } from "./host";

const RETRY_AFTER_MS = 2_000;
const IDEMPOTENT = ["GET", "PUT", "DELETE"];
const EVENT_NAMES = [
  "status",
  "tunnels",
  "request",
  "request_deleted",
  "requests_deleted",
  "requests_missed",
] as const;

export function browserHost(): Host {
  return {
    kind: "browser",
    agent: true,
    management: null,
    desktop: null,
    request,
    bytes,
    feed,
    openInspector,
    onInspectorTarget,
    openExternal,
    download,
    copyText,
  };
}

async function request(method: string, path: string, body: string | null) {
  const send = () =>
    fetch(path, {
      method,
      cache: "no-store",
      ...(body === null ? {} : { body, headers: { "Content-Type": "application/json" } }),
    });
  try {
    // A browser aborts requests when the network changes, even those to this machine. These can be repeated.
    const response = await (IDEMPOTENT.includes(method) ? send().catch(send) : send());
    return {
      status: response.status,
      body: await response.text(),
      location: response.headers.get("location"),
    };
  } catch {
    throw new ApiError(UNREACHABLE, "The agent does not respond.", 0);
  }
}

async function bytes(path: string, from: number, to: number) {
  try {
    const response = await fetch(path, { cache: "no-store", headers: { Range: `bytes=${from}-${to - 1}` } });
    return {
      status: response.status,
      total: totalOf(response.headers.get("Content-Range")),
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  } catch {
    throw new ApiError(UNREACHABLE, "The agent does not respond.", 0);
  }
}

/** Parses `bytes 0-9/100`; an unsatisfied range is an asterisk (RFC 9110, section 14.4). */
export function totalOf(contentRange: string | null): number | null {
  const digits = /\/(\d{1,15})$/.exec(contentRange ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

function feed(listener: FeedListener): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource("/api/events");
    source.addEventListener("open", () => listener.live());
    source.addEventListener("error", () => {
      listener.lost();
      // After an error response the browser gives up for good, after a broken connection it reconnects by itself.
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_AFTER_MS);
    });
    for (const name of EVENT_NAMES) {
      source.addEventListener(name, (message: MessageEvent<string>) => {
        const event = readEvent(name, message.data);
        if (event) listener.event(event);
      });
    }
  };
  open();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}

function readEvent(event: AgentEvent["event"], data: string): AgentEvent | null {
  try {
    return { event, data: JSON.parse(data) } as AgentEvent;
  } catch {
    return null;
  }
}

async function openInspector(target: InspectorTarget) {
  const query = new URLSearchParams();
  if (target.tunnel) query.set("tunnel", target.tunnel);
  if (target.request) query.set("request", target.request);
  location.assign(`./inspector.html${query.size > 0 ? `?${query}` : ""}`);
}

export function targetOfAddress(search: string): InspectorTarget {
  const query = new URLSearchParams(search);
  return { tunnel: query.get("tunnel"), request: query.get("request") };
}

function onInspectorTarget(listener: (target: InspectorTarget) => void) {
  listener(targetOfAddress(location.search));
  return () => {};
}

async function openExternal(url: string) {
  window.open(url, "_blank", "noopener,noreferrer");
}

/** The browser saves the file by itself, however large it is. */
async function download(path: string) {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}

async function copyText(text: string) {
  await navigator.clipboard.writeText(text);
}
