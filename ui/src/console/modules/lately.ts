// What a stage did lately, from the visits that an edge has turned away.
import type { Decision, RefusedVisit } from "../../api/generated";
import { span } from "../../model/format";
import type { ModuleDescriptor } from "./descriptor";

/** The server remembers so many of each edge. */
export const REMEMBERED = 100;

export interface Lately {
  refused: number;
  warned: number;
  /** The newest of them, a moment in RFC 3339. */
  last: string;
}

/** The decision that ended a visit; none where a stage let everybody pass and what lies behind them failed. */
export function refusing(visit: RefusedVisit): Decision | null {
  const last = visit.decisions.at(-1);
  return last?.verdict === "refused" ? last : null;
}

/** By the names that decisions have for stages. What no stage refused is the backend's. Visits are newest first. */
export function lately(visits: readonly RefusedVisit[], route: string | null): ReadonlyMap<string, Lately> {
  const found = new Map<string, Lately>();
  const count = (stage: string, member: "refused" | "warned", at: string) => {
    const before = found.get(stage) ?? { refused: 0, warned: 0, last: at };
    found.set(stage, { ...before, [member]: before[member] + 1 });
  };
  for (const visit of visits) {
    if (route !== null && visit.route?.id !== route) continue;
    count(refusing(visit)?.module ?? "backend", "refused", visit.at);
    for (const { module, verdict } of visit.decisions)
      if (verdict === "warned") count(module, "warned", visit.at);
  }
  return found;
}

/** `refused 4, last 12 s ago`; empty where nothing happened. */
export function words(module: ModuleDescriptor, did: Lately | undefined, now: number): string {
  if (!did) return "";
  const verb = module.trace === "backend" ? "failed" : "refused";
  const many = did.refused >= REMEMBERED ? `${REMEMBERED} or more` : String(did.refused);
  const ago = Math.max(0, (now - Date.parse(did.last)) / 1000);
  return `${verb} ${many}, last ${span(ago)} ago`;
}
