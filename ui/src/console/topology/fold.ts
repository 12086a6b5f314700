// Many edges without traffic would bury the few that work: they are folded.
import type { Graph, TopologyNode } from "./graph";
import { idsOnPaths, restrictedTo } from "./subgraph";

/** Number of edges up to which nothing is folded. */
const MAX_UNFOLDED = 12;
/** Number of edges up to which an edge with a connected service stays, even without traffic. */
const MAX_CONNECTED = 50;

export interface Folded {
  graph: Graph;
  /** The edges that are folded. */
  idle: readonly TopologyNode[];
}

/** Edges in `kept` are not folded: an edge that was drawn stays where it is while the page is open. */
export function fold(graph: Graph, kept: ReadonlySet<string>): Folded {
  const edges = graph.nodes.filter(({ column }) => column === "edge");
  if (edges.length <= MAX_UNFOLDED) return { graph, idle: [] };
  const quiet = edges.filter((edge) => !isBusy(edge) && !kept.has(edge.id));
  const connected = connectedEdges(graph);
  const unconnected = quiet.filter(({ id }) => !connected.has(id));
  const foldable = edges.length - unconnected.length > MAX_CONNECTED ? quiet : unconnected;
  // A picture of nothing would help no one: the first edges stay.
  const idle = foldable.length === edges.length ? foldable.slice(MAX_UNFOLDED) : foldable;
  // One edge less would save nothing.
  if (idle.length < 2) return { graph, idle: [] };
  const away = new Set(idle.map(({ id }) => id));
  const shown = edges.filter(({ id }) => !away.has(id)).map(({ id }) => id);
  return { graph: restrictedTo(graph, idsOnPaths(graph, shown)), idle };
}

export function isBusy({ minute }: TopologyNode): boolean {
  return minute !== null && minute.requests > 0;
}

/** The edges with a path to a local service. */
function connectedEdges(graph: Graph): Set<string> {
  const services = graph.nodes.filter(({ column }) => column === "service");
  return idsOnPaths(
    graph,
    services.map(({ id }) => id),
  );
}
