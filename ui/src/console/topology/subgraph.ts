// The subgraph for a search: the matching nodes, and every path through them.
import type { Graph, TopologyNode } from "./graph";

export function subgraph(graph: Graph, words: string): Graph {
  const needles = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length === 0) return graph;
  const matches = (node: TopologyNode) => {
    const text = `${node.id}\n${node.kind}\n${node.title}\n${node.note}`.toLowerCase();
    return needles.every((word) => text.includes(word));
  };
  const found = graph.nodes.filter(matches).map(({ id }) => id);
  const keptIds = new Set([
    ...reach(graph, found, ({ from, to }) => [from, to]),
    ...reach(graph, found, ({ from, to }) => [to, from]),
  ]);
  return {
    nodes: graph.nodes.filter(({ id }) => keptIds.has(id)),
    links: graph.links.filter(({ from, to }) => keptIds.has(from) && keptIds.has(to)),
  };
}

function reach(
  { links }: Graph,
  starts: readonly string[],
  along: (link: Graph["links"][number]) => readonly [string, string],
): Set<string> {
  const next = new Map<string, string[]>();
  for (const link of links) {
    const [isMatch, there] = along(link);
    next.set(isMatch, [...(next.get(isMatch) ?? []), there]);
  }
  const reached = new Set(starts);
  const waiting = [...starts];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
    for (const there of next.get(id) ?? [])
      if (!reached.has(there)) {
        reached.add(there);
        waiting.push(there);
      }
  return reached;
}
