import { expect, it } from "vitest";
import type { Timing } from "../api/types";
import { timingPhases, totalDuration } from "./timing";

const nothing: Timing = {
  edge: null,
  modules: null,
  queue: null,
  transit: null,
  connect: null,
  sent: null,
  first_byte: null,
  last_byte: null,
};
const bars = (timing: Partial<Timing>) =>
  timingPhases({ ...nothing, ...timing }).map(({ name, from, took }) => [name, from, took]);

it("puts the phases one after the other, parts inside their whole", () => {
  const all = {
    edge: 100,
    modules: 30,
    queue: 50,
    transit: 10,
    connect: 5,
    sent: 25,
    first_byte: 200,
    last_byte: 300,
  };
  expect(bars(all)).toEqual([
    ["At the edge", 0, 100],
    ["Modules", 20, 30],
    ["Finding a tunnel", 50, 50],
    ["Through the tunnel", 100, 10],
    ["Connecting", 110, 5],
    ["Sending", 115, 20],
    ["Waiting", 135, 175],
    ["Receiving", 310, 100],
  ]);
  expect(totalDuration(timingPhases(all))).toBe(410);
});

it("leaves out what was not measured, and never has a bar of less than nothing", () => {
  expect(bars({})).toEqual([]);
  expect(totalDuration([])).toBe(0);
  // The response began before the request was complete.
  expect(bars({ connect: 5, sent: 90, first_byte: 40, last_byte: 100 })).toEqual([
    ["Connecting", 0, 5],
    ["Sending", 5, 85],
    ["Waiting", 40, 0],
    ["Receiving", 40, 60],
  ]);
});
