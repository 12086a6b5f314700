import { expect, it } from "vitest";
import { timeline } from "./timeline";

const NOW = Date.parse("2026-03-01T00:00:00Z");
const inDays = (days: number) => new Date(NOW + days * 86_400_000).toISOString();
const of = (...days: number[]) => timeline(days.map(inDays), (end) => end, NOW);

it("reaches as far as most certificates do", () => {
  expect(of().reach.days).toBe(30);
  expect(of(5, 20).reach.days).toBe(30);
  expect(of(5, 80).reach.days).toBe(90);
  expect(of(5, 364).reach.days).toBe(365);
  expect(of(4000).reach.days).toBe(730);
});

it("puts what has ended at the beginning and what ends late at the end", () => {
  const { marks } = of(-10, 45, 90, 5000);
  expect(marks.map(({ at }) => at)).toEqual([0, expect.closeTo(45 / 730), expect.closeTo(90 / 730), 1]);
});

it("puts together what ends about the same time", () => {
  const { marks } = of(10, 10.1, 10.2, 80);
  expect(marks.map(({ of: together }) => together.length)).toEqual([3, 1]);
});
