import { expect, it } from "vitest";
import { area, ceiling, line, linePoints, nonZeroRuns } from "./chart";

it("chooses a round number above every value", () => {
  expect([0, 1, 1.5, 2, 3, 7, 10, 11, 450, 999, 1001].map(ceiling)).toEqual([
    1, 1, 2, 2, 5, 10, 10, 20, 500, 1000, 2000,
  ]);
});

it("puts the first value left, the last right, and nothing above the top", () => {
  expect(linePoints([0, 5, 10, 99], 300, 100, 10)).toEqual([
    [0, 100],
    [100, 50],
    [200, 0],
    [300, 0],
  ]);
  expect(linePoints([4], 300, 100, 4)).toEqual([[0, 0]]);
  expect(linePoints([], 300, 100, 4)).toEqual([]);
});

it("draws lines, and areas that end at the bottom", () => {
  const places = linePoints([1, 2], 10, 20, 2);
  expect(line(places)).toBe("M0 10L10 0");
  expect(area(places, 20)).toBe("M0 10L10 0L10 20L0 20Z");
  expect(area([], 20)).toBe("");
});

it("leaves out where nothing is", () => {
  const values = [0, 0, 3, 0, 0, 0, 5, 6];
  expect(nonZeroRuns(values, [0, 1, 2, 3, 4, 5, 6, 7])).toEqual([
    [1, 2, 3],
    [5, 6, 7],
  ]);
  expect(nonZeroRuns([1, 0, 2], ["a", "b", "c"])).toEqual([["a", "b", "c"]]);
  expect(nonZeroRuns([0, 0], ["a", "b"])).toEqual([]);
});
