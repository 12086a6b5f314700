import { describe, expect, it } from "vitest";
import { boxHeight, MAX_HEIGHT, ScrollMap } from "./scrollMap";

const VIEW = 700;

function mapped(total: number): ScrollMap {
  const map = new ScrollMap();
  map.resize(total, VIEW);
  return map;
}

/** Scrolls as a browser does: no further than the box. */
function scroll(map: ScrollMap, from: number, by: number): number {
  return map.follow(Math.min(Math.max(from + by, 0), MAX_HEIGHT - VIEW));
}

describe("a list that fits into a box", () => {
  it("is scrolled by the browser alone", () => {
    const map = mapped(MAX_HEIGHT);
    expect(boxHeight(MAX_HEIGHT)).toBe(MAX_HEIGHT);
    for (const box of [0, 12.5, 9_000_000, MAX_HEIGHT - VIEW]) {
      expect(map.follow(box)).toBe(box);
      expect(map.position).toBe(box);
      expect(map.offset).toBe(0);
    }
  });
});

describe.each([MAX_HEIGHT + 1, 2 * MAX_HEIGHT, 64_000_000, 9_000_000_000])("a list of %d pixels", (total) => {
  it("has a box that browsers lay out", () => {
    expect(boxHeight(total)).toBe(MAX_HEIGHT);
  });

  it("ends where the box ends", () => {
    const map = mapped(total);
    map.follow(MAX_HEIGHT - VIEW);
    expect(map.position).toBeCloseTo(total - VIEW, 3);
    map.follow(0);
    expect(map.position).toBe(0);
  });

  it("scrolls by pixels, wherever it is", () => {
    const map = mapped(total);
    let box = map.moveTo(total / 3);
    for (let step = 0; step < 10_000; step += 1) {
      const before = map.position;
      box = scroll(map, box, 120);
      expect(map.position).toBeCloseTo(before + 120, 3);
    }
    expect(Math.abs(box / (MAX_HEIGHT - VIEW) - map.position / (total - VIEW))).toBeLessThan(0.02);
  });

  it.each([-1, 1])("reaches its ends in small steps (%d)", (direction) => {
    const map = mapped(total);
    const end = direction < 0 ? 0 : total - VIEW;
    let box = map.moveTo(end - direction * 400_000);
    let steps = 0;
    while (map.position !== end && steps < 1000) {
      box = scroll(map, box, direction * 500);
      steps += 1;
    }
    expect(map.position).toBe(end);
    expect(steps).toBeGreaterThan(795);
    expect(box).toBeCloseTo(direction < 0 ? 0 : MAX_HEIGHT - VIEW, 3);
  });

  it("goes to every position", () => {
    const map = mapped(total);
    for (let share = 0; share <= 1; share += 0.01) {
      const position = share * (total - VIEW);
      const box = map.moveTo(position);
      expect(box).toBeGreaterThanOrEqual(0);
      expect(box).toBeLessThanOrEqual(MAX_HEIGHT - VIEW + 0.001);
      expect(map.position - map.offset).toBeCloseTo(box, 3);
      expect(map.position).toBeCloseTo(position, 3);
    }
  });
});
