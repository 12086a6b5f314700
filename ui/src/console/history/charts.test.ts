import { expect, it } from "vitest";
import type { TrafficInterval } from "../../api/generated";
import { percentileLines } from "./LatencyChart";
import { stacked } from "./OutcomesChart";
import { slotOfKey } from "./SeriesChart";
import type { Slot } from "./series";

function slot(more: Partial<TrafficInterval> | null): Slot {
  const none = { requests: 0, succeeded: 0, redirected: 0, refused: 0, failed: 0, bytes_in: 0, bytes_out: 0 };
  return { at: 0, traffic: more && { at: "2026-11-25T09:00:00Z", ...none, latency: null, ...more } };
}

it("stacks the classes from the failures up, each only where it has requests", () => {
  const both = slot({ requests: 10, failed: 5, succeeded: 5 });
  const { top, layers } = stacked([slot(null), both, slot({ requests: 10, succeeded: 10 })]);
  expect(top).toBe(10);
  expect(layers.map(({ name, runs }) => [name, runs.length])).toEqual([
    ["failed", 1],
    ["refused", 0],
    ["redirected", 0],
    ["succeeded", 1],
  ]);
  expect(layers[0]?.runs[0]).toEqual({
    edge: "M0 150L360 75L720 150",
    area: "M0 150L360 75L720 150L720 150L360 150L0 150Z",
  });
  expect(layers[3]?.runs[0]?.area).toBe("M0 150L360 0L720 0L720 150L360 75L0 150Z");
});

it("interrupts the lines of percentiles where nothing was requested", () => {
  const fast = slot({ requests: 1, latency: { p50: 1000, p95: 2000, p99: 2000 } });
  const { top, lines } = percentileLines([fast, fast, slot(null), fast, slot(null)]);
  expect(top).toBe(2000);
  expect(lines[0]).toEqual({ name: "p50", path: "M0 75L180 75", dots: "M540 75h0" });
  expect(percentileLines([slot(null)])).toEqual({
    top: 1000,
    lines: ["p50", "p95", "p99"].map((name) => ({ name, path: "", dots: "" })),
  });
});

it("moves the cursor by keys within the chart", () => {
  const keys = ["ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End", "Escape", "x"];
  expect(keys.map((key) => slotOfKey(key, 5, 59))).toEqual([4, 6, 0, 15, 0, 59, null, undefined]);
  expect(slotOfKey("ArrowRight", 59, 59)).toBe(59);
});
