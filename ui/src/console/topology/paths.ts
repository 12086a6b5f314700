// The same graph as paths from the visitor to the local service: one row for each.
import type { Column, Graph, TopologyLink, TopologyNode } from "./graph";

export interface Path {
  id: string;
  at: Partial<Record<Column, TopologyNode>>;
  /** The last link with traffic of this path alone, as far as that is counted. */
  last: TopologyLink | null;
  /** The traffic of its first node, of the most specific one that is counted. */
  counted: TopologyNode;
}

/** Maximum number of paths. */
export const MAX_PATHS = 1_000;

export function pathsOf({ nodes, links }: Graph): Path[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const onwards = new Map<string, TopologyLink[]>();
  const reached = new Set<string>();
  for (const link of links) {
    onwards.set(link.from, [...(onwards.get(link.from) ?? []), link]);
    reached.add(link.to);
  }
  const found: Path[] = [];
  const walk = (node: TopologyNode, at: Path["at"], last: TopologyLink | null, counted: TopologyNode) => {
    if (found.length >= MAX_PATHS) return;
    // Backends of backends share a column: the one nearer to the service is kept.
    const path = { ...at, [node.column]: node };
    const most = node.minute === null ? counted : node;
    const next = onwards.get(node.id) ?? [];
    if (next.length === 0) {
      const ids = Object.values(path).map((one) => one.id);
      found.push({ id: ids.join(" "), at: path, last, counted: most });
    }
    for (const link of next) {
      const to = known.get(link.to);
      // A configuration has no cycles; data read at two moments might.
      if (to && !Object.values(path).includes(to)) walk(to, path, link, most);
    }
  };
  for (const node of nodes) if (!reached.has(node.id)) walk(node, {}, null, node);
  return found;
}
