// Parts of the graph: what a search finds, or one node, with every path through them.
import type { ClusterNode, Graph, TopologyNode } from "./graph";
import { grouped } from "./grouped";
import { containsWords, searchWords } from "../../model/words";

/** The subgraph for a search: the matching nodes, and every path through them. */
export function subgraph(graph: Graph, words: string): Graph {
  const wanted = searchWords(words);
  if (wanted.length === 0) return graph;
  const matches = ({ id, kind, title, note, server }: TopologyNode) =>
    containsWords(`${id}\n${kind}\n${title}\n${note}\n${server?.name ?? ""}`, wanted);
  return pathsThrough(
    graph,
    graph.nodes.filter(matches).map(({ id }) => id),
  );
}

/** The ids of a node, or of the agents of a server; empty if it is not there. */
export function focusOf(graph: Graph, cluster: readonly ClusterNode[], focus: string): readonly string[] {
  const known = new Set(graph.nodes.map(({ id }) => id));
  const server = cluster.find(({ id }) => id === focus);
  return (server ? server.agents : [focus]).filter((id) => known.has(id));
}

export function pathsThrough(graph: Graph, ids: readonly string[]): Graph {
  return restrictedTo(graph, idsOnPaths(graph, ids));
}

/** The ids of all nodes on paths through these ones; an agent is on the paths to its services. */
export function idsOnPaths(graph: Graph, ids: readonly string[]): Set<string> {
  const given = new Set(ids);
  const services = graph.nodes.filter(({ agent }) => agent !== undefined && given.has(agent));
  const starts = [...ids, ...services.map(({ id }) => id)];
  const kept = new Set([
    ...reach(graph, starts, ({ from, to }) => [from, to]),
    ...reach(graph, starts, ({ from, to }) => [to, from]),
  ]);
  for (const { id, agent } of graph.nodes) if (agent !== undefined && kept.has(id)) kept.add(agent);
  return kept;
}

export function restrictedTo(graph: Graph, ids: ReadonlySet<string>): Graph {
  return {
    nodes: graph.nodes.filter(({ id }) => ids.has(id)),
    links: graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

function reach(
  { links }: Graph,
  starts: readonly string[],
  along: (link: Graph["links"][number]) => readonly [string, string],
): Set<string> {
  const next = grouped(links, (link) => along(link)[0]);
  const reached = new Set(starts);
  const waiting = [...starts];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
    for (const link of next.get(id) ?? []) {
      const [, there] = along(link);
      if (reached.has(there)) continue;
      reached.add(there);
      waiting.push(there);
    }
  return reached;
}
