import { expect, it } from "vitest";
import type { TrafficInterval, TrafficSeries } from "../../api/generated";
import { latencyText, outcomesText, slotsOf } from "./series";

const interval = (at: string, more: Partial<TrafficInterval> = {}): TrafficInterval => ({
  at,
  requests: 0,
  succeeded: 0,
  redirected: 0,
  refused: 0,
  failed: 0,
  bytes_in: 0,
  bytes_out: 0,
  latency: null,
  ...more,
});

const series = (step: "minute" | "hour", until: string, intervals: TrafficInterval[]): TrafficSeries => ({
  id: null,
  kind: null,
  range: step === "minute" ? "hour" : "quarter",
  step,
  from: "2026-11-25T09:00:00Z",
  until,
  total: interval("2026-11-25T09:00:00Z"),
  intervals,
});

it("has a slot for each interval, also for those without traffic", () => {
  const second = interval("2026-11-25T09:01:00Z", { requests: 7 });
  const slots = slotsOf(series("minute", "2026-11-25T09:03:00Z", [second]));
  expect(slots.map(({ at }) => new Date(at).toISOString().slice(11, 16))).toEqual([
    "09:00",
    "09:01",
    "09:02",
  ]);
  expect(slots.map(({ traffic }) => traffic?.requests ?? null)).toEqual([null, 7, null]);
  expect(slotsOf(series("hour", "2026-11-27T09:00:00Z", []))).toHaveLength(48);
});

it("leaves out intervals that are not in the range", () => {
  const slots = slotsOf(series("minute", "2026-11-25T09:02:00Z", [interval("2026-11-25T10:00:00Z")]));
  expect(slots.every(({ traffic }) => traffic === null)).toBe(true);
});

it("says what became of requests and connections", () => {
  const mixed = interval("2026-11-25T09:01:00Z", { requests: 1200, succeeded: 1190, refused: 9, failed: 1 });
  expect(outcomesText(mixed, "request")).toBe("1,200 requests: 1,190 successful, 9 refused, 1 failed");
  const one = interval("2026-11-25T09:01:00Z", { requests: 1, redirected: 1 });
  expect(outcomesText(one, "connection")).toBe("1 connection: 1 redirected");
  expect(outcomesText(null, "connection")).toBe("no connections");
  expect(outcomesText(interval("2026-11-25T09:01:00Z"), "request")).toBe("no requests");
});

it("says latencies in the unit that fits", () => {
  const latency = { p50: 850, p95: 14_300, p99: 2_400_000 };
  expect(latencyText(interval("2026-11-25T09:01:00Z", { latency }))).toBe(
    "p50 0.8 ms, p95 14 ms, p99 2.40 s",
  );
  expect(latencyText(interval("2026-11-25T09:01:00Z"))).toBe("");
  expect(latencyText(null)).toBe("");
});
