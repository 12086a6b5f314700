// The positions of the nodes of a graph: a column for each step of the path, neighbours near each other.
import { COLUMNS, type Graph, type TopologyNode } from "./graph";

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 66;
const COLUMN_GAP = 36;
const ROW_GAP = 16;

export interface Placed {
  node: TopologyNode;
  x: number;
  y: number;
}

export function layout({ nodes, links }: Graph): Placed[] {
  const before = new Map<string, string[]>();
  for (const { from, to } of links) before.set(to, [...(before.get(to) ?? []), from]);
  const rows = new Map<string, number>();
  const columns = COLUMNS.map((column) => nodes.filter((node) => node.column === column)).filter(
    (column) => column.length > 0,
  );
  for (const [index, column] of columns.entries()) {
    const idealRow = (node: TopologyNode) => {
      const above = (before.get(node.id) ?? []).flatMap((id) => rows.get(id) ?? []);
      return above.length === 0 ? 0 : above.reduce((total, row) => total + row, 0) / above.length;
    };
    const wished = column.map((node) => ({ node, row: idealRow(node) }));
    const ordered = index === 0 ? wished : wished.toSorted((one, other) => one.row - other.row);
    let free = 0;
    for (const [position, { node, row }] of ordered.entries()) {
      // As near to its predecessors as the nodes above permit.
      free = index === 0 ? position : Math.max(free, row);
      rows.set(node.id, free);
      free += 1;
    }
  }
  return columns.flatMap((column, index) =>
    column.map((node) => ({
      node,
      x: index * (NODE_WIDTH + COLUMN_GAP),
      y: (rows.get(node.id) ?? 0) * (NODE_HEIGHT + ROW_GAP),
    })),
  );
}

/** Width of a link by its requests per minute: from 1.5 to 9, on a logarithmic scale. */
export function widthOf(requestsOfAMinute: number): number {
  return Math.min(9, 1.5 + 1.5 * Math.log10(1 + requestsOfAMinute));
}
