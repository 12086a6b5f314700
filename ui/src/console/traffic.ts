// The traffic of edges, routes and tunnels, as counted by the server, and its evaluation.
import type { Traffic, TrafficFaults, TrafficPoint } from "../api/generated";
import { count } from "../model/format";
import { apiQuery } from "./management";

/** Polling interval in milliseconds while it is displayed. */
export const POLL_INTERVAL_MS = 2_000;

export const statusQuery = apiQuery(["/status"], (api) => api.request("GET", "/status", {}), {
  every: POLL_INTERVAL_MS,
});

export const trafficQuery = apiQuery<ReadonlyMap<string, Traffic>>(
  ["/traffic"],
  async (api) => {
    const { traffic } = await api.request("GET", "/traffic", {});
    return new Map(traffic.map((one) => [one.id, one]));
  },
  { every: POLL_INTERVAL_MS },
);

export const NO_TRAFFIC: TrafficPoint = { requests: 0, refused: 0, failed: 0 };

export function sum(points: readonly TrafficPoint[]): TrafficPoint {
  let { requests, refused, failed } = NO_TRAFFIC;
  for (const point of points) {
    requests += point.requests;
    refused += point.refused;
    failed += point.failed;
  }
  return { requests, refused, failed };
}

/** `1,200/min`: what was counted in the last minute, or since a start less than a minute ago. */
export function rate(requestsOfAMinute: number): string {
  return `${count(requestsOfAMinute)}/min`;
}

export type Health = "idle" | "ok" | "warn" | "bad";

/** The failure shares from which there is a problem, and a serious one. */
const WARN = 0.01;
const BAD = 0.05;

export function healthOf({ requests, failed }: TrafficPoint): Health {
  if (requests === 0) return "idle";
  const share = failed / requests;
  return share >= BAD ? "bad" : share >= WARN ? "warn" : "ok";
}

/** `2.5% errors`; empty without failures. */
export function failureShare({ requests, failed }: TrafficPoint): string {
  if (requests === 0 || failed === 0) return "";
  const share = (failed / requests) * 100;
  return `${share < 10 ? Number(share.toFixed(1)) || "<0.1" : Math.round(share)}% errors`;
}

const FAULTS: readonly [keyof TrafficFaults, string][] = [
  ["service", "the local service"],
  ["agent", "the agent"],
  ["server", "this server"],
  ["configuration", "the configuration"],
  ["visitor", "the visitor"],
];

/** The parties at fault for refused and failed requests, the most frequent first. */
export function faultsOf(
  faults: TrafficFaults,
): { party: keyof TrafficFaults; who: string; requests: number }[] {
  const all = FAULTS.map(([party, who]) => ({ party, who, requests: faults[party] }));
  return all.filter(({ requests }) => requests > 0).toSorted((one, other) => other.requests - one.requests);
}
