import { describe, expect, it } from "vitest";
import type { TopologyNode } from "./graph";
import { firstViewport, NODE_HEIGHT, NODE_WIDTH, type Placed } from "./layout";

/** A graph of so many columns and rows. */
const grid = (columns: number, rows: number): Placed[] =>
  Array.from({ length: columns * rows }, (_, index) => ({
    node: {} as TopologyNode,
    x: (index % columns) * (NODE_WIDTH + 36),
    y: Math.floor(index / columns) * (NODE_HEIGHT + 10),
  }));

describe("what is shown first", () => {
  it("is the whole graph, in the middle", () => {
    const { x, y, zoom } = firstViewport(grid(2, 2), 1000, 600);
    expect(zoom).toBe(1);
    expect(x).toBe((1000 - (2 * NODE_WIDTH + 36)) / 2);
    expect(y).toBeGreaterThan(16);
  });

  it.each([
    [6, 18, 1000, 530],
    [7, 40, 1400, 800],
    [7, 300, 700, 400],
  ])("of %d columns and %d rows in %d by %d pixels can be read, from its first row", (...given) => {
    const [columns, rows, width, height] = given;
    const { x, y, zoom } = firstViewport(grid(columns, rows), width, height);
    expect(zoom).toBeGreaterThanOrEqual(0.72);
    expect([x, y].every((margin) => margin >= 16)).toBe(true);
    expect(y).toBe(16);
  });
});
