// Traffic over a time range: the query, its intervals without gaps, and its words.
import type { TrafficInterval, TrafficRange, TrafficSeries } from "../../api/generated";
import { count, counted, duration } from "../../model/format";
import { apiQuery } from "../management";

export const RANGES: readonly { value: TrafficRange; label: string }[] = [
  { value: "hour", label: "Hour" },
  { value: "day", label: "24 hours" },
  { value: "week", label: "7 days" },
  { value: "quarter", label: "90 days" },
];

/** Polling interval in milliseconds while it is displayed, by the length of the intervals. */
const POLL_INTERVAL_MS = { minute: 10_000, hour: 60_000 } as const;
const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

/** The traffic of an edge or a route, or all together without an id. */
export function seriesQuery(id: string | null, range: TrafficRange) {
  const path = id === null ? "/traffic/series" : `/traffic/${encodeURIComponent(id)}/series`;
  const step = range === "hour" || range === "day" ? "minute" : "hour";
  return apiQuery(
    ["/traffic", "series", id, range],
    async (api) => (await api.send("GET", `${path}?range=${range}`)) as TrafficSeries,
    { every: POLL_INTERVAL_MS[step] },
  );
}

/** One interval of a chart. */
export interface Slot {
  /** Its start in milliseconds since 1970. */
  at: number;
  /** Null without traffic. */
  traffic: TrafficInterval | null;
}

/** All intervals, also those without traffic. */
export function slotsOf({ from, until, step, intervals }: TrafficSeries): Slot[] {
  const [first, end, length] = [Date.parse(from), Date.parse(until), STEP_MS[step]];
  const slots: Slot[] = Array.from({ length: Math.round((end - first) / length) }, (_, index) => ({
    at: first + index * length,
    traffic: null,
  }));
  for (const traffic of intervals) {
    const slot = slots[Math.round((Date.parse(traffic.at) - first) / length)];
    if (slot) slot.traffic = traffic;
  }
  return slots;
}

const minuteText = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** `25 Nov, 14:05`: the start of an interval in the reader's time zone. */
export function timeText(at: number): string {
  return minuteText.format(at);
}

export type Passing = "request" | "connection";

/** The classes of outcomes, from the bottom of the chart to its top. */
export const OUTCOMES = [
  { name: "failed", label: "Failed", status: "5xx" },
  { name: "refused", label: "Refused", status: "4xx" },
  { name: "redirected", label: "Redirected", status: "3xx" },
  { name: "succeeded", label: "Successful", status: "2xx" },
] as const;

export const PERCENTILES = ["p50", "p95", "p99"] as const;

/** `Failed (5xx)`; connections have no status. */
export function outcomeLabel({ label, status }: (typeof OUTCOMES)[number], passing: Passing): string {
  return passing === "request" ? `${label} (${status})` : label;
}

/** `53 requests: 40 successful, 5 redirected, 8 failed`. */
export function outcomesText(traffic: TrafficInterval | null, passing: Passing): string {
  if (!traffic || traffic.requests === 0) return `no ${passing}s`;
  const parts = OUTCOMES.toReversed().filter(({ name }) => traffic[name] > 0);
  const words = parts.map(({ name, label }) => `${count(traffic[name])} ${label.toLowerCase()}`).join(", ");
  return `${counted(traffic.requests, passing)}${words && `: ${words}`}`;
}

/** `p50 2.1 ms, p95 14 ms, p99 40 ms`; empty without latencies. */
export function latencyText(traffic: TrafficInterval | null): string {
  const latency = traffic?.latency;
  if (!latency) return "";
  return PERCENTILES.map((name) => `${name} ${latencyOf(latency[name])}`).join(", ");
}

/** `2.1 ms` from microseconds. */
export function latencyOf(microseconds: number): string {
  return duration(microseconds * 1000);
}
