// The same graph as paths from the visitor to the local service: one row for each.
import type { Column, Graph, TopologyNode } from "./graph";
import { grouped } from "./grouped";

export interface Path {
  id: string;
  at: Partial<Record<Column, TopologyNode>>;
  /** The backends in their order, each with the label of the link to it, such as its share. */
  backends: readonly { node: TopologyNode; label: string }[];
  /** The most specific node in front of the backends whose traffic is counted: the path's own traffic is not. */
  counted: TopologyNode;
}

/** Maximum number of paths. */
export const MAX_PATHS = 1_000;

interface Steps extends Omit<Path, "id"> {
  seen: readonly string[];
}

export function pathsOf({ nodes, links }: Graph): Path[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const onwards = grouped(links, ({ from }) => from);
  const reached = new Set(links.map(({ to }) => to));
  const found: Path[] = [];
  const walk = (node: TopologyNode, before: Steps, label: string) => {
    if (found.length >= MAX_PATHS) return;
    const steps = stepped(before, node, label, known);
    const next = onwards.get(node.id) ?? [];
    if (next.length === 0)
      found.push({
        id: steps.seen.join(" "),
        at: steps.at,
        backends: steps.backends,
        counted: steps.counted,
      });
    for (const link of next) {
      const to = known.get(link.to);
      // A configuration has no cycles; data read at two moments might.
      if (to && !steps.seen.includes(to.id)) walk(to, steps, link.label ?? "");
    }
  };
  for (const node of nodes)
    if (!reached.has(node.id) && node.column !== "agent")
      walk(node, { at: {}, backends: [], counted: node, seen: [] }, "");
  return found;
}

function stepped(
  before: Steps,
  node: TopologyNode,
  label: string,
  known: ReadonlyMap<string, TopologyNode>,
): Steps {
  const isBackend = node.column === "chooser" || node.column === "backend";
  const agent = node.agent === undefined ? undefined : known.get(node.agent);
  return {
    at: { ...before.at, [node.column]: node, ...(agent ? { agent } : {}) },
    backends: isBackend ? [...before.backends, { node, label }] : before.backends,
    counted: node.minute === null || node.column === "service" ? before.counted : node,
    seen: [...before.seen, node.id],
  };
}
