import { describe, expect, it } from "vitest";
import { curveThrough, widthOf } from "./curve";
import { graphOf, type Graph } from "./graph";
import type { Layout, Placed } from "./layout";
import { drawn, measure, sampleData } from "./sample";
import { firstViewport, revealing, visibleStrips, wholeViewport } from "./viewport";

const sample = (edges: number) => {
  const graph = graphOf(sampleData(edges));
  return { graph, picture: drawn(graph) };
};

/** The nodes that stand on their own; services are inside their agents. */
const boxes = ({ nodes }: Layout) => nodes.filter(({ node }) => node.column !== "service");
const middle = ({ y, height }: Placed) => y + height / 2;

const positions = ({ nodes }: Layout) => nodes.map(({ node, x, y }) => `${node.id} ${x} ${y}`).toSorted();

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function overlap(one: Placed, other: Placed): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

describe.each([9, 50, 200])("the picture of %d edges", (edges) => {
  const { graph, picture } = sample(edges);
  const placed = new Map(picture.nodes.map((one) => [one.node.id, one]));

  it("has every node and every link once", () => {
    expect(picture.nodes.map(({ node }) => node.id).toSorted()).toEqual(
      graph.nodes.map(({ id }) => id).toSorted(),
    );
    expect(picture.lines.map(({ link }) => link.id).toSorted()).toEqual(
      graph.links.map(({ id }) => id).toSorted(),
    );
  });

  it("has no two nodes on each other, and services within their agents", () => {
    const all = boxes(picture);
    const overlapping = all.flatMap((one, index) =>
      all.slice(index + 1).filter((other) => overlap(one, other)),
    );
    expect(overlapping).toEqual([]);
    for (const service of picture.nodes.filter(({ node }) => node.agent !== undefined)) {
      const agent = placed.get(service.node.agent ?? "");
      expect(agent && service.y >= agent.y && service.y + service.height <= agent.y + agent.height).toBe(
        true,
      );
    }
  });

  it("keeps lines apart from each other and from nodes, up to the service", () => {
    const paths = picture.lines.map(({ points }) => curveThrough(points));
    expect(new Set(paths).size).toBe(paths.length);
    const ends = picture.lines.map(({ link, points }) => `${link.to} ${points.at(-1)?.y}`);
    expect(new Set(ends).size, "each reaches its node at a height of its own").toBe(ends.length);
    for (const { link, points } of picture.lines) {
      expect(points[0]?.x).toBe((placed.get(link.from)?.x ?? 0) + (placed.get(link.from)?.width ?? 0));
      const level = points.slice(1, -1);
      const crossed = boxes(picture).filter(({ x, y, width, height }) =>
        level.some((point) => point.x >= x && point.x <= x + width && point.y > y && point.y < y + height),
      );
      expect(crossed, `${link.id} passes no node`).toEqual([]);
    }
  });

  it("has each edge in the middle of its routes", () => {
    for (const edge of boxes(picture).filter(({ node }) => node.kind === "HTTPS edge")) {
      const routes = graph.links
        .filter(({ from }) => from === edge.node.id)
        .flatMap(({ to }) => placed.get(to) ?? []);
      const heights = routes.map(middle);
      const centre = (Math.min(...heights) + Math.max(...heights)) / 2;
      expect(Math.abs(centre - middle(edge)), edge.node.title).toBeLessThanOrEqual(edge.height / 2);
    }
  });

  it("is the same whatever the order of the records and the traffic", () => {
    const data = sampleData(edges, (edge) => edge % 3 === 0);
    const other = graphOf({
      ...data,
      httpsEdges: data.httpsEdges.toReversed(),
      tcpEdges: data.tcpEdges.toReversed(),
      tunnels: data.tunnels.toReversed(),
      groups: data.groups.toReversed(),
    });
    expect(positions(drawn(other))).toEqual(positions(picture));
  });

  it("begins with the first names", () => {
    const names = picture.nodes
      .filter(({ node }) => node.kind === "HTTPS edge")
      .toSorted((one, two) => one.y - two.y)
      .map(({ node }) => Number(/\d+/.exec(node.title)?.[0]));
    const half = Math.ceil(names.length / 2);
    expect(mean(names.slice(0, half))).toBeLessThan(mean(names.slice(half)));
  });

  it("keeps the order of its edges when one is added", () => {
    const order = ({ nodes }: Layout) =>
      nodes
        .filter(({ node }) => node.column === "edge" && !node.id.endsWith(`_${edges}`))
        .toSorted((one, two) => one.y - two.y)
        .map(({ node }) => node.id);
    const names = order(picture);
    const grown = order(sample(edges + 1).picture).filter((id) => names.includes(id));
    expect(grown).toEqual(names);
  });
});

describe("the layout", () => {
  it("fits into the room there is: the widest columns give way, down to what can be read", () => {
    const { graph, picture } = sample(9);
    const room = Math.floor(picture.width * 0.9);
    const narrow = drawn(graph, room);
    expect(narrow.width).toBeLessThanOrEqual(room);
    expect(narrow.width).toBeGreaterThan(room - narrow.columns.length);
    const widths = picture.columns.map(({ width }) => width);
    const narrowest = drawn(graph, 10);
    expect(narrowest.columns.slice(0, -1).map(({ width }) => width)).toEqual(
      widths.slice(0, -1).map((width) => Math.min(width, 148)),
    );
    const services = narrowest.nodes.filter(({ node }) => node.column === "service");
    expect(services.length).toBeGreaterThan(0);
    for (const { node, width } of services)
      expect(width, `${node.title} with its port`).toBeGreaterThanOrEqual(measure(node.title, "title") + 82);
    expect(drawn(graph, picture.width)).toEqual(picture);
  });

  it("is as wide as the texts, within bounds", () => {
    const [shop] = sampleData(1).httpsEdges;
    const named = (host: string) => {
      const graph = graphOf({ ...sampleData(1), httpsEdges: shop ? [{ ...shop, hostports: [host] }] : [] });
      return drawn(graph).columns[0]?.width ?? 0;
    };
    expect(named("a-name-of-middle-length.test:443")).toBeGreaterThan(
      "a-name-of-middle-length.test".length * 7.5,
    );
    expect(named(`${"x".repeat(500)}:443`)).toBeLessThan(300);
  });

  it("gives backends of backends a column each, and leaves out what leads in a circle", () => {
    const failover = [
      { id: "bkdfo_1", backends: ["bkdfo_2", "bkdhr_1"] },
      { id: "bkdfo_2", backends: ["bkdhr_1", "bkdfo_1"] },
    ].map((one) => ({ uri: "", created_at: "", description: "", metadata: "", ...one }));
    const data = sampleData(8);
    const tcpEdges = data.tcpEdges.map((edge) => ({
      ...edge,
      backend: { enabled: true, backend: { id: "bkdfo_1", uri: "" } },
    }));
    const graph = graphOf({ ...data, httpsEdges: [], tcpEdges, failover } as typeof data);
    const { nodes, lines } = drawn(graph);
    const x = new Map(nodes.map((one) => [one.node.id, one.x]));
    expect(x.get("bkdfo_2")).not.toBe(x.get("bkdfo_1"));
    expect(lines.every(({ link }) => (x.get(link.from) ?? 0) < (x.get(link.to) ?? 0))).toBe(true);
  });

  it("has the services of an agent that is alone beside what leads to them", () => {
    const data = sampleData(40);
    const tunnels = data.tunnels.map((tunnel) => ({ ...tunnel, tunnel_session: { id: "ts_0", uri: "" } }));
    const { nodes, lines } = drawn(graphOf({ ...data, tunnels, sessions: data.sessions.slice(0, 1) }));
    const agents = nodes.filter(({ node }) => node.column === "agent");
    expect(agents).toHaveLength(1);
    const services = nodes.filter(({ node }) => node.column === "service");
    for (const [index, service] of services.entries()) {
      const [agent, before] = [agents[0], services[index - 1]];
      expect(agent && service.y >= agent.y && service.y + service.height <= agent.y + agent.height).toBe(
        true,
      );
      if (before) expect(service.y).toBeGreaterThanOrEqual(before.y + before.height);
    }
    const steep = lines.filter(({ link, points: [...points] }) => {
      const [end, before] = [points.at(-1), points.at(-2)];
      return link.to.startsWith("service:") && end && before && Math.abs(end.y - before.y) > 150;
    });
    expect(steep.length, "few lines lead far up or down").toBeLessThan(services.length / 4);
  });

  it("of nothing is empty", () => {
    const empty: Graph = { nodes: [], links: [] };
    expect(drawn(empty)).toMatchObject({ nodes: [], lines: [], width: 0, height: 0 });
  });

  it("draws busy links wider, within bounds", () => {
    expect(widthOf(0)).toBe(1.5);
    expect(widthOf(1000)).toBeGreaterThan(widthOf(10));
    expect(widthOf(1e12)).toBe(9);
  });
});

describe("what is shown first", () => {
  it("is the whole graph, in the middle", () => {
    const { x, y, zoom } = firstViewport({ width: 400, height: 200 }, 1000, 600);
    expect(zoom).toBe(1);
    expect(x).toBe(300);
    expect(y).toBeGreaterThan(34);
  });

  it.each([9, 50, 200])("of %d edges can be read, from its first row", (edges) => {
    const { x, y, zoom } = firstViewport(sample(edges).picture, 1160, 620);
    expect(zoom).toBeGreaterThanOrEqual(0.75);
    expect(x).toBeGreaterThanOrEqual(16);
    expect(y).toBe(34);
  });
});

describe("a viewport", () => {
  const size = { width: 1400, height: 13_000 };

  it("shows the whole graph between the heading and the buttons", () => {
    const { y, zoom } = wholeViewport(size, 1160, 620);
    expect(y).toBeGreaterThanOrEqual(34);
    expect(y + size.height * zoom).toBeLessThanOrEqual(620 - 52 + 1);
  });

  it("moves no further than a node needs to be seen", () => {
    const start = { x: 16, y: 34, zoom: 1 };
    const node = { x: 300, y: 200, width: 120, height: 28 };
    expect(revealing(start, node, 1160, 620)).toEqual(start);
    const low = revealing(start, { ...node, y: 5000 }, 1160, 620);
    expect(low.x).toBe(16);
    expect(low.y + 5000 + 28).toBe(620 - 52);
    const right = revealing(start, { ...node, x: 1300 }, 1160, 620);
    expect(right.x + 1300 + 120).toBe(1160 - 16);
  });

  it("draws what is visible, in strips", () => {
    const [top, bottom] = visibleStrips({ y: -5000, zoom: 1 }, 620);
    expect(top).toBeLessThanOrEqual(5000 - 400);
    expect(bottom).toBeGreaterThanOrEqual(5620 + 400);
    expect(bottom - top).toBeLessThan(2500);
    expect(visibleStrips({ y: -5010, zoom: 1 }, 620)).toEqual([top, bottom]);
  });
});
