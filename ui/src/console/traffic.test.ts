import { expect, it } from "vitest";
import { failureShare, faultsOf, healthOf, rate, sum } from "./traffic";

const point = (requests: number, failed = 0, refused = 0) => ({ requests, refused, failed });

it("says rates as what a minute counted, so that they hold after a start too", () => {
  expect([0, 3, 120_000].map(rate)).toEqual(["0/min", "3/min", "120,000/min"]);
});

it("calls it bad from five failures in a hundred on, and says nothing of silence", () => {
  expect(healthOf(point(0))).toBe("idle");
  expect(healthOf(point(1000, 9))).toBe("ok");
  expect(healthOf(point(1000, 10))).toBe("warn");
  expect(healthOf(point(1000, 50))).toBe("bad");
  expect(healthOf(point(10, 0, 10)), "refusals are not failures").toBe("ok");
});

it("says how much fails", () => {
  expect(failureShare(point(10))).toBe("");
  expect(failureShare(point(1000, 25))).toBe("2.5% errors");
  expect(failureShare(point(3, 1))).toBe("33% errors");
  expect(failureShare(point(100_000, 1))).toBe("<0.1% errors");
});

it("adds points", () => {
  expect(sum([point(1, 1), point(2, 0, 2)])).toEqual(point(3, 1, 2));
});

it("names who is at fault, the most frequent first", () => {
  const faults = { visitor: 1, configuration: 0, agent: 5, service: 2, server: 0 };
  expect(faultsOf(faults).map(({ who }) => who)).toEqual(["the agent", "the local service", "the visitor"]);
});
