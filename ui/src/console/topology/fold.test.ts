import { describe, expect, it } from "vitest";
import { fold, isBusy } from "./fold";
import { graphOf } from "./graph";
import { sampleData } from "./sample";

const NONE: ReadonlySet<string> = new Set();
const edgesOf = ({ nodes }: { nodes: readonly { column: string; id: string }[] }) =>
  nodes.filter(({ column }) => column === "edge").map(({ id }) => id);

/** Edges of which every tenth has traffic; without agents, nothing is connected. */
function graph(edges: number, connected: boolean) {
  const data = sampleData(edges, (edge) => edge % 10 === 0);
  if (connected) return graphOf(data);
  const groups = data.groups.map((group) => ({ ...group, tunnels: [] }));
  return graphOf({ ...data, groups, tunnels: [], sessions: [] });
}

describe("folding", () => {
  it("leaves few edges as they are", () => {
    const few = graph(12, false);
    expect(fold(few, NONE)).toEqual({ graph: few, idle: [] });
  });

  it.each([50, 200])("of %d edges leaves those with traffic, and what they lead to", (edges) => {
    const many = graph(edges, false);
    const { graph: shown, idle } = fold(many, NONE);
    expect(shown.nodes.filter(({ column }) => column === "edge").every(isBusy)).toBe(true);
    expect(edgesOf(shown)).toHaveLength(edges / 10);
    expect(edgesOf(shown).length + idle.length).toBe(edgesOf(many).length);
    const ids = new Set(shown.nodes.map(({ id }) => id));
    expect(shown.links.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
    expect(ids.has("edghtsrt_10_1")).toBe(true);
    expect(ids.has("edghtsrt_11_1")).toBe(false);
  });

  it("leaves the first edges where none has traffic", () => {
    const data = sampleData(50, () => false);
    const quiet = graphOf({ ...data, groups: [], tunnels: [], sessions: [] });
    const { graph: shown, idle } = fold(quiet, NONE);
    expect(edgesOf(shown)).toEqual(edgesOf(quiet).slice(0, 12));
    expect(idle.map(({ id }) => id)).toEqual(edgesOf(quiet).slice(12));
  });

  it("leaves edges with a connected service, up to fifty", () => {
    expect(fold(graph(50, true), NONE).idle).toEqual([]);
    expect(edgesOf(fold(graph(200, true), NONE).graph)).toHaveLength(20);
  });

  it("leaves what other edges share with a folded one", () => {
    const data = sampleData(40, (edge) => edge === 0);
    const [shared] = data.groups;
    const shares = data.httpsEdges.map((edge) => ({
      ...edge,
      routes: edge.routes.map((route) => ({
        ...route,
        backend: { enabled: true, backend: { id: shared?.id ?? "", uri: "" } },
      })),
    }));
    const { graph: shown, idle } = fold(
      graphOf({ ...data, httpsEdges: shares, groups: data.groups.slice(0, 1), tunnels: [], tcpEdges: [] }),
      NONE,
    );
    expect(idle.length).toBeGreaterThan(20);
    expect(shown.nodes.map(({ column }) => column)).toEqual(["edge", "route", "backend"]);
  });

  it("keeps an edge that was busy before, and folds no single one", () => {
    const many = graph(50, false);
    const { idle } = fold(many, NONE);
    const [first, ...others] = idle.map(({ id }) => id);
    expect(edgesOf(fold(many, new Set([first ?? ""])).graph)).toContain(first);
    expect(fold(many, new Set(others)).idle).toEqual([]);
  });
});
