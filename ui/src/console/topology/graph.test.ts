import { describe, expect, it } from "vitest";
import type {
  HttpsEdge,
  Node,
  TcpEdge,
  Traffic,
  Tunnel,
  TunnelGroupBackend,
  TunnelSession,
} from "../../api/generated";
import { clusterOf, graphOf, type Graph, type GraphData } from "./graph";
import { focusOf, pathsThrough, subgraph } from "./subgraph";
import { pathsOf } from "./paths";

const base = { uri: "", created_at: "", description: "", metadata: "" };

function traffic(id: string, kind: Traffic["kind"], requests: number, failed = 0): [string, Traffic] {
  const faults = { visitor: 0, configuration: 0, agent: 0, service: 0, server: 0 };
  const total = { requests, redirected: 0, refused: 0, failed, faults, bytes_in: 0, bytes_out: 0 };
  return [id, { id, kind, total, last_minute: { requests, refused: 0, failed }, history: null }];
}

const to = (id: string) => ({ enabled: true, backend: { id, uri: "" } });

const shop = {
  ...base,
  id: "edghts_shop",
  hostports: ["shop.test:443", "www.shop.test:443"],
  routes: [
    {
      ...base,
      id: "edghtsrt_api",
      match_type: "path_prefix",
      match: "/api",
      backend: to("bkdwd_w"),
      ip_restriction: { enabled: true, ip_policies: [] },
      oidc: { enabled: false },
      compression: { enabled: true },
    },
    { ...base, id: "edghtsrt_page", match_type: "exact_path", match: "/", backend: to("bkdhr_f") },
  ],
} as unknown as HttpsEdge;

const ssh = {
  ...base,
  id: "edgtcp_ssh",
  hostports: ["test:22001"],
  backend: to("bkdtg_g"),
} as unknown as TcpEdge;

const group = {
  ...base,
  id: "bkdtg_g",
  labels: { app: "shop" },
  tunnels: [
    { id: "tn_1", uri: "" },
    { id: "tn_2", uri: "" },
  ],
} as TunnelGroupBackend;

const tunnel = (id: string, session: string, service: string, url = ""): Tunnel =>
  ({
    ...base,
    id,
    public_url: url,
    proto: url ? "https" : "",
    tunnel_session: { id: session, uri: "" },
    forwards_to: service,
    labels: {},
  }) as unknown as Tunnel;

const session = (id: string): TunnelSession =>
  ({ id, ip: `10.0.0.${id.at(-1)}`, os: "linux", agent_version: "0.1.0" }) as TunnelSession;

function parts(changes: Partial<GraphData> = {}): GraphData {
  return {
    httpsEdges: [shop],
    tlsEdges: [],
    tcpEdges: [ssh],
    groups: [group],
    weighted: [{ ...base, id: "bkdwd_w", backends: { bkdtg_g: 3, bkdhr_f: 1 } }],
    failover: [],
    fixed: [{ ...base, id: "bkdhr_f", body: "", headers: {}, status_code: 503 }],
    statics: [],
    servers: [],
    tunnels: [
      tunnel("tn_1", "ts_1", "http://localhost:80"),
      tunnel("tn_2", "ts_2", "http://localhost:80"),
      tunnel("tn_3", "ts_2", "http://localhost:99", "https://own.localhost"),
    ],
    sessions: [session("ts_1"), session("ts_2")],
    traffic: new Map([
      traffic("edghtsrt_api", "https_route", 60, 6),
      traffic("tn_1", "tunnel", 40),
      traffic("tn_2", "tunnel", 20),
    ]),
    ...changes,
  };
}

const links = (graph: Graph) =>
  graph.links.map(({ from, to: there, label }) => [from, there, label].filter(Boolean));

describe("a graph", () => {
  it("leads from edges over routes and stages to backends, agents and local services", () => {
    const graph = graphOf(parts());
    expect(links(graph)).toEqual([
      ["edghts_shop", "edghtsrt_api"],
      ["edghtsrt_api", "stages:edghtsrt_api"],
      ["bkdtg_g", "service:ts_1:localhost:80"],
      ["bkdtg_g", "service:ts_2:localhost:80"],
      ["bkdwd_w", "bkdtg_g", "75%"],
      ["bkdwd_w", "bkdhr_f", "25%"],
      ["stages:edghtsrt_api", "bkdwd_w"],
      ["edghts_shop", "edghtsrt_page"],
      ["edghtsrt_page", "bkdhr_f"],
      ["edgtcp_ssh", "bkdtg_g"],
      ["at:tn_3", "service:ts_2:localhost:99"],
    ]);
    const stages = graph.nodes.find(({ id }) => id === "stages:edghtsrt_api");
    expect(stages?.title, "what is turned off does nothing").toBe("IP restriction → Compression");
    expect(graph.nodes.find(({ id }) => id === "edghts_shop")).toMatchObject({
      title: "shop.test",
      note: "and 1 more",
    });
  });

  it("carries what was counted, each tunnel once", () => {
    const graph = graphOf(parts());
    const link = graph.links.find(({ id }) => id === "edghts_shop>edghtsrt_api");
    expect(link?.minute).toEqual({ requests: 60, refused: 0, failed: 6 });
    const requests = (id: string) => graph.nodes.find((node) => node.id === id)?.minute?.requests;
    expect(requests("service:ts_2:localhost:80")).toBe(20);
    expect(requests("ts_1")).toBe(40);
  });

  it("keeps what it cannot read as a part of its own, and does without anything", () => {
    const graph = graphOf(parts({ weighted: [], fixed: [], groups: [] }));
    expect(graph.nodes.filter(({ note }) => note === "not loaded").map(({ id }) => id)).toEqual([
      "bkdwd_w",
      "bkdhr_f",
      "bkdtg_g",
    ]);
    expect(graphOf(parts({ httpsEdges: [], tcpEdges: [], tunnels: [] })).nodes).toEqual([]);
  });
});

describe("ways", () => {
  it("are one for each end that can be reached", () => {
    const paths = pathsOf(graphOf(parts()));
    const ends = paths.map(({ at }) => [at.edge?.title, at.route?.title, at.agent?.title, at.service?.title]);
    expect(ends).toContainEqual(["shop.test", "/api/…", "10.0.0.1", "localhost:80"]);
    expect(ends).toContainEqual(["shop.test", "/", undefined, undefined]);
    expect(ends).toContainEqual(["own.localhost", undefined, "10.0.0.2", "localhost:99"]);
    expect(ends, "an address leads to its own service only").not.toContainEqual(
      expect.arrayContaining(["own.localhost", "localhost:80"]),
    );
    expect(new Set(paths.map(({ id }) => id)).size).toBe(paths.length);
  });

  it("name the backends on them with their shares, and count what is the path's own", () => {
    const [path] = pathsOf(graphOf(parts())).filter(({ at }) => at.stages !== undefined);
    expect(path?.backends.map(({ node, label }) => [node.kind, label])).toEqual([
      ["Weighted backend", ""],
      ["Tunnel group", "75%"],
    ]);
    expect(path?.counted.kind).toBe("Modules");
  });

  it("do not go around in circles", () => {
    const circle = {
      ...base,
      id: "bkdfo_f",
      backends: ["bkdfo_f"],
    };
    const edge = { ...ssh, backend: to("bkdfo_f") } as unknown as TcpEdge;
    const paths = pathsOf(
      graphOf(parts({ httpsEdges: [], tunnels: [], tcpEdges: [edge], failover: [circle] })),
    );
    expect(paths.length).toBeLessThanOrEqual(1);
  });
});

const server = (id: string, link: string, state = "serving") =>
  ({ ...base, id, name: id.slice(3), link, state }) as unknown as Node;

const servers = (data: GraphData) =>
  graphOf(data).nodes.flatMap(({ id, server: of }) => (of ? [[id, of.name]] : []));

describe("servers of a cluster", () => {
  const two = parts({
    servers: [server("nd_b", "down"), server("nd_a", "own")],
    sessions: [
      { ...session("ts_1"), node: { id: "nd_a", name: "a" } },
      { ...session("ts_2"), node: { id: "nd_b", name: "b" } },
    ],
  });

  it("are named at their agents, where there are several", () => {
    expect(servers(two)).toEqual([
      ["ts_1", "a"],
      ["ts_2", "b"],
    ]);
    expect(servers({ ...two, servers: two.servers.slice(1) }), "one alone is not named").toEqual([]);
  });

  it("have their state and their agents, by name", () => {
    expect(clusterOf(two)).toEqual([
      { id: "nd_a", name: "a", state: "serving", healthy: true, agents: ["ts_1"] },
      { id: "nd_b", name: "b", state: "not connected", healthy: false, agents: ["ts_2"] },
    ]);
    expect(clusterOf(parts())).toEqual([]);
  });

  it("can be focused on, as any node can", () => {
    const [graph, cluster] = [graphOf(two), clusterOf(two)];
    expect(focusOf(graph, cluster, "nd_b")).toEqual(["ts_2"]);
    expect(focusOf(graph, cluster, "edgtcp_ssh")).toEqual(["edgtcp_ssh"]);
    expect(focusOf(graph, cluster, "edgtcp_gone")).toEqual([]);
    const titles = pathsThrough(graph, focusOf(graph, cluster, "nd_b")).nodes.map(({ title }) => title);
    expect(titles).toContain("own.localhost");
    expect(titles).not.toContain("10.0.0.1");
  });
});

describe("a search", () => {
  it("keeps what matches and every way through it", () => {
    const graph = subgraph(graphOf(parts()), "localhost:99");
    expect(graph.nodes.map(({ id }) => id).toSorted()).toEqual(
      ["at:tn_3", "service:ts_2:localhost:99", "ts_2"].toSorted(),
    );
    expect(subgraph(graphOf(parts()), "nothing such").nodes).toEqual([]);
    expect(subgraph(graphOf(parts()), " ").nodes.length).toBe(graphOf(parts()).nodes.length);
  });
});
