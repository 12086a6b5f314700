// The picture of a graph: where its nodes are, and the lines between them.
import { grouped } from "./grouped";
import type { Arrangement, Boxes } from "./arrange";
import type { TopologyLink, TopologyNode } from "./graph";
import type { BoxLink, Column, Plan } from "./plan";
import { AGENT } from "./sizes";
import { spread } from "./spread";

export interface Point {
  x: number;
  y: number;
}

export interface Placed extends Point {
  node: TopologyNode;
  width: number;
  height: number;
}

export interface Line {
  link: TopologyLink;
  /** From the right side of a node to the left side of another, level within the columns between them. */
  points: readonly Point[];
}

export interface Layout {
  /** An agent comes before the services in it. */
  nodes: readonly Placed[];
  lines: readonly Line[];
  columns: readonly Column[];
  width: number;
  height: number;
  /** Whether nodes have only one line. */
  dense: boolean;
}

/** Greatest distance of two lines that leave or reach the same node. */
const MAX_PORT_GAP = 7;

/** What has to be arranged: plain data, because that takes long and is done elsewhere. */
export function boxesOf({ boxes, links, columns, sizes, columnOf }: Plan): Boxes {
  return {
    boxes: boxes.map((box) => ({
      id: box.id,
      column: columnOf(box),
      width: columns[columnOf(box)]?.width ?? 0,
      height: sizes.heightOf(box),
    })),
    links: links.map(({ link, from, to }) => ({ id: link.id, from: from.id, to: to.id })),
    gap: sizes.gap,
  };
}

export function layout(plan: Plan, arrangement: Arrangement): Layout {
  const arranged = centredOnRoutes(plan, arrangement);
  const placed = plan.boxes.flatMap((box) => {
    const services = placedServices(box, plan, arranged);
    return [around(placedBox(box, plan, arranged), services), ...services];
  });
  const lines = linesOf(plan, arranged, placed);
  return moved(placed, lines, plan);
}

/** The same with each edge beside the middle of what it alone leads to. */
function centredOnRoutes(plan: Plan, arranged: Arrangement): Arrangement {
  const { boxes, links, sizes, columnOf } = plan;
  const into = grouped(links, ({ to }) => to.id);
  const outOf = grouped(links, ({ from }) => from.id);
  const middle = (id: string) => arranged.middles.get(id) ?? 0;
  const first = boxes
    .filter((box) => columnOf(box) === 0)
    .toSorted((one, other) => middle(one.id) - middle(other.id));
  const wishes = first.map((box) => {
    const own = (outOf.get(box.id) ?? []).flatMap(({ link, to }) => {
      const bend = arranged.bends.get(link.id)?.[0];
      if (bend !== undefined) return [bend];
      return into.get(to.id)?.length === 1 ? [middle(to.id)] : [];
    });
    const at = own.length === 0 ? middle(box.id) : (Math.min(...own) + Math.max(...own)) / 2;
    return { at, size: sizes.heightOf(box) };
  });
  const middles = new Map(arranged.middles);
  for (const [index, at] of spread(wishes, sizes.gap).entries()) {
    const box = first[index];
    if (box) middles.set(box.id, at);
  }
  return { ...arranged, middles };
}

function placedBox(node: TopologyNode, { columns, columnOf, sizes }: Plan, { middles }: Arrangement): Placed {
  const { x, width } = columns[columnOf(node)] ?? { x: 0, width: 0 };
  const height = sizes.heightOf(node);
  return { node, x, y: (middles.get(node.id) ?? 0) - height / 2, width, height };
}

/** The services of an agent, in the order in which lines reach it. */
function placedServices(agent: TopologyNode, plan: Plan, arranged: Arrangement): Placed[] {
  if (agent.column !== "agent") return [];
  const box = placedBox(agent, plan, arranged);
  const into = grouped(plan.links, ({ link }) => link.to);
  const arrival = ({ id }: TopologyNode) => {
    const heights = (into.get(id) ?? []).map((link) => heightBefore(link, arranged));
    return heights.length === 0 ? box.y : heights.reduce((sum, height) => sum + height, 0) / heights.length;
  };
  const inOrder = plan.services
    .filter((service) => service.agent === agent.id)
    .map((service) => ({ service, at: arrival(service) }))
    .toSorted((one, other) => one.at - other.at);
  // An agent alone in its column has room: its services are beside what leads to them.
  const isAlone = plan.boxes.filter(({ column }) => column === "agent").length === 1;
  const middles = spread(
    inOrder.map(({ at }) => ({ at: isAlone ? at : box.y, size: AGENT.service })),
    AGENT.gap,
  );
  const top = isAlone ? 0 : box.y + AGENT.head + AGENT.service / 2 - (middles[0] ?? 0);
  return inOrder.map(({ service }, index) => ({
    node: service,
    x: box.x + AGENT.inset,
    y: top + (middles[index] ?? 0) - AGENT.service / 2,
    width: box.width - 2 * AGENT.inset,
    height: AGENT.service,
  }));
}

/** An agent reaches from its own line above its first service to below its last. */
function around(box: Placed, services: readonly Placed[]): Placed {
  const [first, last] = [services[0], services.at(-1)];
  if (!first || !last) return box;
  const y = first.y - AGENT.head;
  return { ...box, y, height: last.y + last.height + AGENT.gap + 2 - y };
}

/** The height from which a line reaches its end, and the one to which it leaves its start. */
function heightBefore({ link, from }: BoxLink, { bends, middles }: Arrangement): number {
  return bends.get(link.id)?.at(-1) ?? middles.get(from.id) ?? 0;
}

function heightAfter(
  { link, to }: BoxLink,
  { bends }: Arrangement,
  placed: ReadonlyMap<string, Placed>,
): number {
  const end = placed.get(link.to) ?? placed.get(to.id);
  return bends.get(link.id)?.[0] ?? (end ? end.y + end.height / 2 : 0);
}

function linesOf(plan: Plan, arranged: Arrangement, nodes: readonly Placed[]): Line[] {
  const placed = new Map(nodes.map((one) => [one.node.id, one]));
  const leaving = ports(plan.links, placed, "from", (link) => heightAfter(link, arranged, placed));
  const reaching = ports(plan.links, placed, "to", (link) => heightBefore(link, arranged));
  return plan.links.flatMap(({ link, from, to }): Line[] => {
    const [start, end] = [placed.get(link.from), placed.get(link.to)];
    if (!start || !end) return [];
    const passed = plan.columns.slice(plan.columnOf(from) + 1, plan.columnOf(to));
    const level = passed.flatMap(({ x, width }, index) => {
      const y = arranged.bends.get(link.id)?.[index] ?? 0;
      return [
        { x, y },
        { x: x + width, y },
      ];
    });
    return [
      {
        link,
        points: [
          { x: start.x + start.width, y: leaving.get(link.id) ?? 0 },
          ...level,
          { x: end.x, y: reaching.get(link.id) ?? 0 },
        ],
      },
    ];
  });
}

/** The heights at which lines leave or reach a node: apart from each other, in the order of their other ends. */
function ports(
  links: readonly BoxLink[],
  placed: ReadonlyMap<string, Placed>,
  end: "from" | "to",
  otherEnd: (link: BoxLink) => number,
): Map<string, number> {
  const heights = new Map<string, number>();
  for (const [id, atNode] of grouped(links, ({ link }) => link[end])) {
    const { y, height } = placed.get(id) ?? { y: 0, height: 0 };
    const gap = Math.min(MAX_PORT_GAP, (height - 10) / atNode.length);
    const inOrder = atNode
      .map((one) => ({ id: one.link.id, at: otherEnd(one) }))
      .toSorted((one, other) => one.at - other.at);
    for (const [index, one] of inOrder.entries())
      heights.set(one.id, y + height / 2 + (index - (inOrder.length - 1) / 2) * gap);
  }
  return heights;
}

/** Moves everything so that it begins at the top. */
function moved(nodes: readonly Placed[], lines: readonly Line[], { columns, sizes }: Plan): Layout {
  const tops = [...nodes.map(({ y }) => y), ...lines.flatMap(({ points }) => points.map(({ y }) => y))];
  const top = tops.reduce((least, y) => Math.min(least, y), Infinity);
  const shift = Number.isFinite(top) ? -top : 0;
  const last = columns.at(-1);
  return {
    nodes: nodes.map((one) => ({ ...one, y: one.y + shift })),
    lines: lines.map(({ link, points }) => ({
      link,
      points: points.map(({ x, y }) => ({ x, y: y + shift })),
    })),
    columns,
    width: last ? last.x + last.width : 0,
    height: nodes.reduce((most, { y, height }) => Math.max(most, y + height + shift), 0),
    dense: sizes.dense,
  };
}
