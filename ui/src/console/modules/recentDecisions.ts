// Recent refusals of each stage, from the visits that an edge has refused.
import type { Decision, RefusedVisit } from "../../api/generated";
import { since } from "../../model/format";
import type { ModuleDescriptor } from "./descriptor";

/** Number of refusals that the server keeps for each edge. */
export const MAX_REMEMBERED = 100;

export interface RecentDecisions {
  refused: number;
  warned: number;
  /** Time of the latest one, RFC 3339. */
  last: string;
}

/** The decision that ended a visit; none where every stage passed and the backend failed. */
export function refusingDecision(visit: RefusedVisit): Decision | null {
  const last = visit.decisions.at(-1);
  return last?.verdict === "refused" ? last : null;
}

/** Counts by the stage names of the decisions. Failures after all stages count for the backend. Newest first. */
export function recentDecisions(
  visits: readonly RefusedVisit[],
  route: string | null,
): ReadonlyMap<string, RecentDecisions> {
  const found = new Map<string, RecentDecisions>();
  const count = (stage: string, member: "refused" | "warned", at: string) => {
    const before = found.get(stage) ?? { refused: 0, warned: 0, last: at };
    found.set(stage, { ...before, [member]: before[member] + 1 });
  };
  for (const visit of visits) {
    if (route !== null && visit.route?.id !== route) continue;
    count(refusingDecision(visit)?.module ?? "backend", "refused", visit.at);
    for (const { module, verdict } of visit.decisions)
      if (verdict === "warned") count(module, "warned", visit.at);
  }
  return found;
}

/** `refused 4, last 2 minutes ago`; empty without any. */
export function recentText(module: ModuleDescriptor, did: RecentDecisions | undefined, now: number): string {
  if (!did) return "";
  const verb = module.trace === "backend" ? "failed" : "refused";
  const many = did.refused >= MAX_REMEMBERED ? `${MAX_REMEMBERED} or more` : String(did.refused);
  return `${verb} ${many}, last ${since(did.last, now)}`;
}
