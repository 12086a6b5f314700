// What is given to the layout: the boxes in their order, the column of each, and the links between them.
import { grouped } from "./grouped";
import { COLUMNS, type Graph, type TopologyLink, type TopologyNode } from "./graph";
import { narrowed, secondLine, sizesOf, type Measure, type Sizes } from "./sizes";

export interface Column {
  label: string;
  x: number;
  width: number;
}

/** A link between boxes: the box of a local service is its agent. */
export interface BoxLink {
  link: TopologyLink;
  from: TopologyNode;
  to: TopologyNode;
}

export interface Plan {
  /** All nodes but the local services, which are in their agents. */
  boxes: readonly TopologyNode[];
  services: readonly TopologyNode[];
  links: readonly BoxLink[];
  columns: readonly Column[];
  sizes: Sizes;
  /** The index of the column of a box. */
  columnOf(box: TopologyNode): number;
}

/** Room for the lines between two columns. */
const COLUMN_GAP = 48;

const LABELS: Partial<Record<TopologyNode["column"], string>> = {
  edge: "Edges",
  route: "Routes",
  stages: "Modules",
  chooser: "Choice",
  backend: "Backends",
  agent: "Agents and services",
};

/** What the plan depends on, as a text: the nodes with their texts, and the links. Traffic is not part of it. */
export function shapeOf({ nodes, links }: Graph): string {
  const texts = nodes.map((node) => {
    const { id, column, agent, title, minute } = node;
    return [id, column, agent, title, secondLine(node), minute === null];
  });
  return JSON.stringify([texts, links.map(({ id }) => id)]);
}

/** `room`: the width within which the columns have to fit, if their texts can still be read then. */
export function planOf(graph: Graph, measure: Measure, room = Infinity): Plan {
  const { nodes, links } = walked(graph);
  const known = new Map(nodes.map((node) => [node.id, node]));
  const boxOf = (id: string) => {
    const node = known.get(id);
    return node?.agent === undefined ? node : known.get(node.agent);
  };
  const boxes = nodes.filter(({ column }) => column !== "service");
  const depths = chooserDepths(graph);
  const columnOf = columnsOfBoxes(boxes, depths);
  const sizes = sizesOf(graph, measure);
  return {
    boxes,
    services: nodes.filter(({ column }) => column === "service"),
    // Data read at two moments might lead backwards: such a link has no place in columns.
    links: links.flatMap((link) => {
      const [from, to] = [boxOf(link.from), boxOf(link.to)];
      return from && to && columnOf(from) < columnOf(to) ? [{ link, from, to }] : [];
    }),
    columns: placedColumns(nodes, (node) => columnOf(boxOf(node.id) ?? node), sizes, room),
    sizes,
    columnOf,
  };
}

/** The graph in the order of its edges' names, and what each leads to behind it: not the order of creation. */
function walked(graph: Graph): Graph {
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  const onwards = grouped(graph.links, ({ from }) => from);
  const nodes = new Set<TopologyNode>();
  const links: TopologyLink[] = [];
  const walk = (node: TopologyNode) => {
    if (nodes.has(node)) return;
    const agent = node.agent === undefined ? undefined : known.get(node.agent);
    if (agent) nodes.add(agent);
    nodes.add(node);
    for (const link of onwards.get(node.id) ?? []) {
      const to = known.get(link.to);
      if (!to) continue;
      links.push(link);
      walk(to);
    }
  };
  const byName = graph.nodes.toSorted(
    (one, other) =>
      one.title.localeCompare(other.title, undefined, { numeric: true }) || (one.id < other.id ? -1 : 1),
  );
  for (const node of byName) if (node.column === "edge") walk(node);
  for (const node of byName) walk(node);
  return { nodes: [...nodes], links };
}

/** For each backend that chooses among backends: the number of such backends before it. */
function chooserDepths(graph: Graph): Map<string, number> {
  const choosers = new Set(graph.nodes.filter(({ column }) => column === "chooser").map(({ id }) => id));
  const before = grouped(
    graph.links.filter(({ from, to }) => choosers.has(from) && choosers.has(to)),
    ({ to }) => to,
  );
  const depths = new Map<string, number>();
  const depthOf = (id: string, path: ReadonlySet<string>): number => {
    const known = depths.get(id);
    if (known !== undefined || path.has(id)) return known ?? 0;
    const others = (before.get(id) ?? []).map(({ from }) => depthOf(from, new Set([...path, id])) + 1);
    const depth = Math.max(0, ...others);
    depths.set(id, depth);
    return depth;
  };
  for (const id of choosers) depthOf(id, new Set());
  return depths;
}

/** The index of the column of a box: by kind, then by depth. Columns without boxes do not exist. */
function columnsOfBoxes(
  boxes: readonly TopologyNode[],
  depths: ReadonlyMap<string, number>,
): (box: TopologyNode) => number {
  const placeOf = ({ id, column }: TopologyNode) =>
    COLUMNS.indexOf(column) * (depths.size + 1) + (depths.get(id) ?? 0);
  const places = [...new Set(boxes.map(placeOf))].toSorted((one, other) => one - other);
  const columns = new Map(places.map((place, index) => [place, index]));
  return (box) => columns.get(placeOf(box)) ?? 0;
}

function placedColumns(
  nodes: readonly TopologyNode[],
  columnOf: (node: TopologyNode) => number,
  sizes: Sizes,
  room: number,
): Column[] {
  const inColumns = [...grouped(nodes, columnOf)]
    .toSorted(([one], [other]) => one - other)
    .map(([, inside]) => inside);
  const ranges = inColumns.map((inside) => ({
    wanted: Math.max(0, ...inside.map((node) => sizes.widthOf(node))),
    least: Math.max(0, ...inside.map((node) => sizes.leastWidthOf(node))),
  }));
  const widths = narrowed(ranges, room - COLUMN_GAP * (ranges.length - 1));
  let x = 0;
  return inColumns.map((inside, index) => {
    const kind = inside.find(({ column }) => column !== "service")?.column;
    const column = { label: (kind && LABELS[kind]) ?? "", x, width: widths[index] ?? 0 };
    x += column.width + COLUMN_GAP;
    return column;
  });
}
