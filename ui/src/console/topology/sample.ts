// Graphs of any size for tests: edges with routes, modules, backends that choose, agents and their services.
import type {
  HttpsEdge,
  TcpEdge,
  Traffic,
  Tunnel,
  TunnelGroupBackend,
  TunnelSession,
  WeightedBackend,
} from "../../api/generated";
import { arrange } from "./arrange";
import type { Graph, GraphData } from "./graph";
import { boxesOf, layout, type Layout } from "./layout";
import { planOf } from "./plan";
import type { Measure } from "./sizes";

const base = { uri: "", created_at: "", description: "", metadata: "" };
const ref = (id: string) => ({ id, uri: "" });
const to = (id: string) => ({ enabled: true, backend: ref(id) });

/** Every letter has the same width. */
export const measure: Measure = (text, font) => text.length * (font === "title" ? 7.5 : 6.5);

/** The picture of a graph, without a worker. */
export function drawn(graph: Graph, room = Infinity): Layout {
  const plan = planOf(graph, measure, room);
  return layout(plan, arrange(boxesOf(plan)));
}

/**
 * So many edges: seven of ten are HTTPS edges with up to three routes, two are addresses of tunnels, one is a TCP edge.
 * Each agent has five services. `busy`: whether the edge of this number has traffic.
 */
export function sampleData(edges: number, busy: (edge: number) => boolean = () => true): GraphData {
  const data = { https: [] as HttpsEdge[], tcp: [] as TcpEdge[], tunnels: [] as Tunnel[] };
  const groups: TunnelGroupBackend[] = [];
  const weighted: WeightedBackend[] = [];
  const traffic = new Map<string, Traffic>();
  const count = (id: string, kind: Traffic["kind"], requests: number) => {
    const point = { requests, refused: 0, failed: 0 };
    const faults = { visitor: 0, configuration: 0, agent: 0, service: 0, server: 0 };
    traffic.set(id, {
      id,
      kind,
      total: { ...point, redirected: 0, faults, bytes_in: 0, bytes_out: 0 },
      last_minute: point,
      history: null,
    });
  };
  for (let number = 0; number < edges; number += 1) {
    const session = `ts_${Math.floor(number / 5)}`;
    const requests = busy(number) ? 10 + number : 0;
    const tunnel = {
      ...base,
      id: `tn_${number}`,
      public_url: number % 10 < 8 ? "" : `https://own-${number}.example.org`,
      proto: number % 10 < 8 ? "" : "https",
      tunnel_session: ref(session),
      forwards_to: `http://localhost:${8000 + number}`,
      labels: {},
    } as unknown as Tunnel;
    data.tunnels.push(tunnel);
    count(tunnel.id, "tunnel", requests);
    if (number % 10 >= 8) continue;
    const group = {
      ...base,
      id: `bkdtg_${number}`,
      labels: { app: `app-${number}` },
      tunnels: [ref(tunnel.id)],
    };
    groups.push(group as TunnelGroupBackend);
    if (number % 10 === 7) {
      data.tcp.push({
        ...base,
        id: `edgtcp_${number}`,
        hostports: [`tcp-${number}.example.org:22`],
        backend: to(group.id),
      } as unknown as TcpEdge);
      count(`edgtcp_${number}`, "tcp_edge", requests);
      continue;
    }
    const canary = number % 7 === 3;
    if (canary)
      weighted.push({
        ...base,
        id: `bkdwd_${number}`,
        backends: { [group.id]: 3, [`bkdtg_${number === 0 ? 0 : number - 1}`]: 1 },
      } as WeightedBackend);
    const routes = Array.from({ length: 1 + (number % 3) }, (_, index) => ({
      ...base,
      id: `edghtsrt_${number}_${index}`,
      match_type: "path_prefix",
      match: `/${index}`,
      backend: to(canary && index === 0 ? `bkdwd_${number}` : group.id),
      ...(index === 1 ? { compression: { enabled: true } } : {}),
    }));
    data.https.push({
      ...base,
      id: `edghts_${number}`,
      hostports: [`shop-${number}.example.org:443`],
      routes,
    } as unknown as HttpsEdge);
    count(`edghts_${number}`, "https_edge", requests);
    for (const { id } of routes) count(id, "https_route", requests);
  }
  const sessions = new Set(data.tunnels.map(({ tunnel_session: { id } }) => id));
  return {
    httpsEdges: data.https,
    tlsEdges: [],
    tcpEdges: data.tcp,
    groups,
    weighted,
    failover: [],
    fixed: [],
    statics: [],
    tunnels: data.tunnels,
    sessions: [...sessions].map(
      (id) =>
        ({
          ...base,
          id,
          ip: `10.0.0.${id.slice(3)}`,
          os: "linux",
          agent_version: "1.0.0",
        }) as unknown as TunnelSession,
    ),
    servers: [],
    traffic,
  };
}
