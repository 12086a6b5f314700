// The heights of boxes and of the lines that pass them, by the library: it orders each column so that few lines cross.
import { Graph, layout, type Point, type RankerFunction } from "@dagrejs/dagre";

/** Boxes in columns, and the links between them, in the order in which they are preferred. */
export interface Boxes {
  boxes: readonly { id: string; column: number; width: number; height: number }[];
  links: readonly { id: string; from: string; to: string }[];
  /** The least distance of two boxes in a column. */
  gap: number;
}

export interface Arrangement {
  /** The middle of each box. */
  middles: ReadonlyMap<string, number>;
  /** For each link: its height in each column between its ends. */
  bends: ReadonlyMap<string, readonly number[]>;
}

const LINE_GAP = 12;

export function arrange({ boxes, links, gap }: Boxes): Arrangement {
  if (boxes.length === 0) return { middles: new Map(), bends: new Map() };
  const graph = new Graph({ multigraph: true });
  const columns = new Map(boxes.map(({ id, column }) => [id, column]));
  const columnOf = (id: string) => columns.get(id) ?? 0;
  // The columns are fixed; the library halves each step between two of them.
  const ranker: RankerFunction = (ranked) => {
    for (const id of ranked.nodes()) ranked.node(id).rank = 2 * columnOf(id);
  };
  graph.setGraph({ rankdir: "LR", nodesep: gap, edgesep: LINE_GAP, ranksep: 60, ranker });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { id, from, to } of links)
    graph.setEdge(from, to, { minlen: columnOf(to) - columnOf(from), weight: 1 }, id);
  layout(graph);

  // The library may as well begin at the bottom, where people do not begin to read.
  const heights = boxes.filter(({ column }) => column === 0).map(({ id }) => graph.node(id).y);
  const direction = isDescending(heights) ? -1 : 1;
  const centres: number[] = [];
  for (const { id, column } of boxes) centres[column] = graph.node(id).x;
  const bends = links.map(({ id, from, to }): [string, number[]] => {
    const { points = [] }: { points?: Point[] } = graph.edge(from, to, id);
    const passed = centres.slice(columnOf(from) + 1, columnOf(to));
    return [id, passed.map((x) => direction * heightAt(points, x))];
  });
  return {
    middles: new Map(boxes.map(({ id }) => [id, direction * graph.node(id).y])),
    bends: new Map(bends),
  };
}

function heightAt(points: readonly Point[], x: number): number {
  const [first] = points.toSorted((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x));
  return first?.y ?? 0;
}

/** Whether the values decrease more than they increase. */
function isDescending(values: readonly number[]): boolean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centre = (values.length - 1) / 2;
  return values.reduce((sum, value, index) => sum + (value - mean) * (index - centre), 0) < 0;
}
