import { describe, expect, it } from "vitest";
import { graphOf } from "./graph";
import { drawn, sampleData } from "./sample";
import { walk, type WalkKey } from "./walk";

const layout = drawn(graphOf(sampleData(9)));
const title = (id: string) => layout.nodes.find(({ node }) => node.id === id)?.node.title;
const path = (from: string, ...keys: WalkKey[]) => keys.reduce((id, key) => walk(layout, id, key), from);

describe("arrow keys", () => {
  it("follow the lines from an edge to its service, and back", () => {
    const end = path("edghts_0", "ArrowRight", "ArrowRight", "ArrowRight");
    expect(title(end)).toBe("localhost:8000");
    expect(walk(layout, end, "ArrowRight")).toBe(end);
    expect(path(end, "ArrowLeft", "ArrowLeft", "ArrowLeft")).toBe("edghts_0");
    expect(walk(layout, "edghts_0", "ArrowLeft")).toBe("edghts_0");
  });

  it("lead up and down within a column, to its first and to its last", () => {
    const edges = layout.nodes
      .filter(({ node }) => node.column === "edge")
      .toSorted((one, other) => one.y - other.y)
      .map(({ node }) => node.id);
    const [first = "", second] = edges;
    expect(walk(layout, first, "ArrowDown")).toBe(second);
    expect(path(first, "ArrowDown", "ArrowUp", "ArrowUp")).toBe(first);
    expect(walk(layout, first, "End")).toBe(edges.at(-1));
    expect(path(first, "End", "Home")).toBe(first);
    const down = edges.map((_, steps) => path(first, ...Array<WalkKey>(steps).fill("ArrowDown")));
    expect(down, "each is reached").toEqual(edges);
  });

  it("lead into agents, and out of them", () => {
    const service = walk(layout, "ts_0", "ArrowRight");
    expect(layout.nodes.find(({ node }) => node.id === service)?.node.agent).toBe("ts_0");
    expect(layout.nodes.find(({ node }) => node.id === walk(layout, "ts_0", "ArrowLeft"))?.node.column).toBe(
      "backend",
    );
    expect(layout.nodes.find(({ node }) => node.id === walk(layout, "ts_0", "ArrowDown"))?.node.agent).toBe(
      "ts_0",
    );
  });

  it("leave a node that is gone", () => {
    expect(walk(layout, "edghts_gone", "ArrowDown")).toBe("edghts_gone");
  });
});
