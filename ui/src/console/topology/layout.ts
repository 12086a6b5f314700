// The positions of the nodes of a graph: a column for each step of the path, neighbours near each other.
import { COLUMNS, type Graph, type TopologyNode } from "./graph";

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 66;
const COLUMN_GAP = 36;
const ROW_GAP = 10;

export interface Placed {
  node: TopologyNode;
  x: number;
  y: number;
}

export function layout({ nodes, links }: Graph): Placed[] {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of links) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const columns = COLUMNS.map((column) => nodes.filter((node) => node.column === column)).filter(
    (column) => column.length > 0,
  );
  const rows = new Map<string, number>();
  /** Places a column: each node in the row of its first neighbour that has one, as far as others permit. */
  const place = (column: readonly TopologyNode[]) => {
    const wished = column.map((node, index) => ({
      node,
      row: Math.min(...(neighbours.get(node.id) ?? []).flatMap((id) => rows.get(id) ?? []), Infinity),
      index,
    }));
    let free = 0;
    // Nodes without a neighbour come last, in the order of the graph.
    for (const { node, row } of wished.toSorted((one, other) => compare(one, other))) {
      free = Number.isFinite(row) ? Math.max(free, row) : free;
      rows.set(node.id, free);
      free += 1;
    }
  };
  // The longest column has the order of the graph; the others follow it to both sides.
  const longest = columns.reduce(
    (found, column, index) => (column.length > (columns[found]?.length ?? 0) ? index : found),
    0,
  );
  for (let index = longest; index >= 0; index -= 1) place(columns[index] ?? []);
  for (let index = longest + 1; index < columns.length; index += 1) place(columns[index] ?? []);
  return columns.flatMap((column, index) =>
    column.map((node) => ({
      node,
      x: index * (NODE_WIDTH + COLUMN_GAP),
      y: (rows.get(node.id) ?? 0) * (NODE_HEIGHT + ROW_GAP),
    })),
  );
}

interface Wish {
  row: number;
  index: number;
}

function compare(one: Wish, other: Wish): number {
  return one.row === other.row ? one.index - other.index : one.row - other.row;
}

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** Zoom below which the texts of nodes cannot be read. */
const MIN_READABLE_ZOOM = 0.72;
const MARGIN = 16;
/** Room for the buttons below the graph. */
const FOOT = 52;

/** What is shown first: the whole graph where it can be read, otherwise its beginning. */
export function firstViewport(placed: readonly Placed[], width: number, height: number): Viewport {
  const right = Math.max(...placed.map(({ x }) => x + NODE_WIDTH), NODE_WIDTH);
  const bottom = Math.max(...placed.map(({ y }) => y + NODE_HEIGHT), NODE_HEIGHT);
  const across = (width - 2 * MARGIN) / right;
  const down = (height - MARGIN - FOOT) / bottom;
  const whole = Math.min(across, down, 1);
  const zoom = whole >= MIN_READABLE_ZOOM ? whole : Math.min(Math.max(across, MIN_READABLE_ZOOM), 1);
  return {
    x: Math.max((width - right * zoom) / 2, MARGIN),
    y: Math.max((height - FOOT - bottom * zoom + MARGIN) / 2, MARGIN),
    zoom,
  };
}

/** Width of a link by its requests per minute: from 1.5 to 9, on a logarithmic scale. */
export function widthOf(requestsOfAMinute: number): number {
  return Math.min(9, 1.5 + 1.5 * Math.log10(1 + requestsOfAMinute));
}
