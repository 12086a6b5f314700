// The last requests that the server keeps, in words, and as the filter language of the inspector reads them.
import type { RecentRequest, TrafficFaults } from "../../api/generated";
import type { Summary } from "../../api/types";
import { moduleLabel } from "../../model/decisions";
import { quoted, understand } from "../../model/filter";

/** The requests that a filter admits, or what is wrong with it. */
export type RequestFilter =
  { kind: "usable"; matches(request: RecentRequest): boolean } | { kind: "unusable"; reason: string };

export function compileRequestFilter(text: string): RequestFilter {
  const compiled = understand(text);
  switch (compiled.kind) {
    case "here":
      return { kind: "usable", matches: (request) => compiled.matches(asSummary(request)) };
    case "agent":
      return {
        kind: "unusable",
        reason:
          "The server keeps no headers and bodies, and the filter cannot have regular expressions here. Use status, method, host, path, tunnel, remote, dur, size, error or pending.",
      };
    case "mistake":
      return { kind: "unusable", reason: `The filter is invalid at character ${compiled.position}.` };
  }
}

/** Every request that was refused by Postern or failed. */
export const FAILED = "error:*";
/** Requests that Postern refused or could not serve, which have a code. */
export const REFUSED = "error:ERR_*";
export const STATUS_4XX = "status:4xx";
export const STATUS_5XX = "status:5xx";

export function withCode(code: string): string {
  return `error:${quoted(code)}`;
}

/** Requests that failed because of this party. */
export function withFault(party: keyof TrafficFaults): string {
  return `error:${quoted(`fault ${party};`)}`;
}

function asSummary(request: RecentRequest): Summary {
  const { fault, refused_by: module, error_code: code, msg } = request;
  return {
    id: request.id,
    tunnel_name: request.tunnel_id,
    method: request.method,
    path: request.path,
    host: request.host,
    status_code: request.status,
    status: String(request.status),
    start: request.at,
    duration: request.complete ? request.duration_microseconds * 1000 : null,
    request_size: request.bytes_in,
    response_size: request.bytes_out,
    remote_addr: request.ip,
    cut: false,
    replay_of: null,
    note: request.id,
    error: fault === "" ? null : `fault ${fault}; ${module}; ${code}; ${msg}`,
  };
}

export interface Verdict {
  tone: "ok" | "warn" | "bad" | "idle";
  text: string;
}

/** The decision about a request, in a few words. */
export function verdictOf(request: RecentRequest): Verdict {
  const { refused_by: module, error_code: code, fault, decisions } = request;
  if (module !== "") return { tone: "bad", text: `Refused by ${inside(moduleLabel({ module }))}` };
  if (code !== "")
    return { tone: "bad", text: fault === "agent" || fault === "service" ? "Failed" : "Refused" };
  if (fault === "service") return { tone: "bad", text: "Failed at the local service" };
  if (fault !== "") return { tone: "warn", text: "Refused by the local service" };
  const warned = decisions.find(({ verdict }) => verdict === "warned");
  if (warned) return { tone: "warn", text: `${moduleLabel(warned)} warned` };
  return request.complete ? { tone: "ok", text: "Passed" } : { tone: "idle", text: "Passed, still open" };
}

/** A label inside a sentence: names of protocols keep their capitals. */
function inside(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

export interface Place {
  to: string;
  search: Record<string, string>;
}

/** The place that shows the requests of an edge or a tunnel; null for kinds without requests. */
export function requestsPlace(id: string, filter: string): Place | null {
  if (id.startsWith("edghts_")) return { to: `/edges/https/${id}`, search: { tab: "requests", filter } };
  return id.startsWith("tn_") ? { to: `/tunnels/${id}`, search: { filter } } : null;
}
