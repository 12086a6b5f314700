// The way through the picture with the arrow keys: along the lines to both sides, up and down within a column.
import type { Layout, Placed } from "./layout";

export type WalkKey = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End";

const KEYS: readonly string[] = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

export function isWalkKey(key: string): key is WalkKey {
  return KEYS.includes(key);
}

/** The node that a key leads to; the same one where there is no other. */
export function walk(layout: Layout, id: string, key: WalkKey): string {
  const here = layout.nodes.find(({ node }) => node.id === id);
  if (!here) return id;
  switch (key) {
    case "ArrowRight":
      return nearest(here, ahead(layout, here)) ?? id;
    case "ArrowLeft":
      return nearest(here, behind(layout, here)) ?? id;
    default:
      return inColumn(layout, here, key);
  }
}

/** Where the lines of a node lead; an agent leads to the services in it. */
function ahead(layout: Layout, { node }: Placed): Placed[] {
  const services = layout.nodes.filter((one) => one.node.agent === node.id);
  return [...services, ...ends(layout, (line) => (line.from === node.id ? line.to : null))];
}

/** Where the lines to a node come from; those to an agent reach its services. */
function behind(layout: Layout, { node }: Placed): Placed[] {
  const inside = new Set([
    node.id,
    ...layout.nodes.filter((one) => one.node.agent === node.id).map((one) => one.node.id),
  ]);
  return ends(layout, (line) => (inside.has(line.to) ? line.from : null));
}

function ends(
  { nodes, lines }: Layout,
  endOf: (link: { from: string; to: string }) => string | null,
): Placed[] {
  const ids = new Set(lines.map(({ link }) => endOf(link)));
  return nodes.filter(({ node }) => ids.has(node.id));
}

function nearest(here: Placed, others: readonly Placed[]): string | undefined {
  const distance = (other: Placed) => Math.abs(middle(other) - middle(here));
  return others.toSorted((one, other) => distance(one) - distance(other))[0]?.node.id;
}

function middle({ y, height }: Placed): number {
  return y + height / 2;
}

/** An agent comes before its services, in one column with them. */
function inColumn({ nodes }: Layout, here: Placed, key: WalkKey): string {
  const start = (placed: Placed) =>
    placed.node.agent === undefined
      ? placed.x
      : (nodes.find(({ node }) => node.id === placed.node.agent)?.x ?? placed.x);
  const column = nodes
    .filter((other) => start(other) === start(here))
    .toSorted((one, other) => one.y - other.y);
  const at = column.findIndex(({ node }) => node.id === here.node.id);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: column.length - 1 }[
    key as "ArrowUp" | "ArrowDown" | "Home" | "End"
  ];
  return (column[to] ?? here).node.id;
}
