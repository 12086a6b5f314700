// The sizes of nodes: as wide as their texts, and lower where there are many of them.
import { grouped } from "./grouped";
import type { Graph, TopologyNode } from "./graph";

/** The width of a text in pixels. */
export type Measure = (text: string, font: "title" | "text") => number;

export const MIN_NODE_WIDTH = 96;
export const MAX_NODE_WIDTH = 264;
/** Width that columns keep where there is too little room for all of them. */
const MIN_NARROWED_WIDTH = 148;
/** Border and padding to both sides. */
const SIDES = 24;
/** Room for `⚠ 12,000/min`: traffic changes all the time, and must not move anything. */
const RATE_WIDTH = 82;

const NODE_HEIGHT = 46;
const DENSE_HEIGHT = 28;
/** Number of nodes in a column from which each has only one line. */
const MIN_DENSE = 16;

/** The inside of an agent: a line about itself, then its services. */
export const AGENT = { head: 30, service: 28, gap: 6, inset: 8 } as const;

export interface Sizes {
  /** Whether nodes have only one line. */
  dense: boolean;
  /** The least distance of two nodes in a column. */
  gap: number;
  widthOf(node: TopologyNode): number;
  /** The width without which the node cannot be told apart: a service is known by the port at its end. */
  leastWidthOf(node: TopologyNode): number;
  heightOf(node: TopologyNode): number;
}

export function sizesOf({ nodes }: Graph, measure: Measure): Sizes {
  const inColumn = grouped(nodes, ({ column }) => column);
  const dense = [...inColumn.values()].some(({ length }) => length >= MIN_DENSE);
  const services = grouped(
    nodes.filter(({ agent }) => agent !== undefined),
    ({ agent }) => agent,
  );
  const height = dense ? DENSE_HEIGHT : NODE_HEIGHT;
  return {
    dense,
    gap: dense ? 8 : 14,
    widthOf(node) {
      const title = measure(node.title, "title");
      const rate = node.minute === null ? 0 : RATE_WIDTH;
      const second = measure(secondLine(node), "text");
      if (node.column === "service") return within(title + rate + (second && second + 6) + 2 * AGENT.inset);
      if (node.column === "agent") return within(title + rate + second + 6);
      return within(dense ? title + rate : Math.max(title, second + rate));
    },
    leastWidthOf({ column, title, minute }) {
      if (column !== "service") return 0;
      return within(measure(title, "title") + (minute === null ? 0 : RATE_WIDTH) + 2 * AGENT.inset);
    },
    heightOf: (node) =>
      node.column === "agent"
        ? AGENT.head + (services.get(node.id)?.length ?? 0) * (AGENT.service + AGENT.gap) + 2
        : height,
  };
}

/** A width, and the one below which its texts cannot be told apart. */
export interface WidthRange {
  wanted: number;
  least: number;
}

/** Widths that together fit into the room: the widest ones are cut to the same width, down to what each needs at least. */
export function narrowed(ranges: readonly WidthRange[], room: number): number[] {
  let widths = ranges.map(({ wanted }) => wanted);
  for (let most = MAX_NODE_WIDTH; most >= MIN_NARROWED_WIDTH; most -= 1) {
    if (widths.reduce((sum, width) => sum + width, 0) <= room) break;
    widths = ranges.map(({ wanted, least }) => Math.min(wanted, Math.max(least, most)));
  }
  return widths;
}

function within(text: number): number {
  return Math.min(Math.max(Math.ceil(text) + SIDES, MIN_NODE_WIDTH), MAX_NODE_WIDTH);
}

/** What follows the title: `Route, only for orders`. A column of agents says itself that they are agents. */
export function secondLine({ column, kind, note, server }: TopologyNode): string {
  const own = column === "agent" || column === "service" ? "" : kind;
  return [own, server && `node ${server.name}`, note].filter(Boolean).join(", ");
}
