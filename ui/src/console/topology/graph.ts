// The configuration and the connections as one graph: edge, route, stages, backend, local service of an agent.
import type {
  FailoverBackend,
  HttpResponseBackend,
  HttpsEdge,
  Node,
  StaticBackend,
  TcpEdge,
  TlsEdge,
  Traffic,
  TrafficPoint,
  Tunnel,
  TunnelGroupBackend,
  TunnelSession,
  WeightedBackend,
} from "../../api/generated";
import { MODULES } from "../modules";
import { pathOf } from "../edges/routePath";
import { isRecord } from "../form/values";
import { NO_TRAFFIC, sum } from "../traffic";
import { unnamed } from "../../model/ids";

export type Column = "edge" | "route" | "stages" | "chooser" | "backend" | "agent" | "service";

/** From the visitor to the agent, which is drawn around its local services. */
export const COLUMNS: readonly Column[] = ["edge", "route", "stages", "chooser", "backend", "agent"];

export interface TopologyNode {
  id: string;
  column: Column;
  /** The kind, such as `HTTPS edge`. */
  kind: string;
  title: string;
  /** A second line; empty without further details. */
  note: string;
  /** Its page in the console. */
  path: string | null;
  /** Its traffic in the last minute; null where that is not counted. */
  minute: TrafficPoint | null;
  /** The tunnel's public address, which identifies it at the agent of this computer. */
  tunnel?: string;
  /** The node of the agent that a local service belongs to. */
  agent?: string;
  /** The server that an agent is connected to, where there are several. */
  server?: ClusterNode;
}

/** One of several servers that share the configuration, and the nodes of its agents. */
export interface ClusterNode {
  id: string;
  name: string;
  /** `serving`, `draining`; or that it is not connected. */
  state: string;
  healthy: boolean;
  agents: readonly string[];
}

export interface TopologyLink {
  id: string;
  from: string;
  to: string;
  minute: TrafficPoint;
  /** A label such as the share of a weighted backend. */
  label?: string;
}

/** Links lead to local services; their agents have none. */
export interface Graph {
  nodes: readonly TopologyNode[];
  links: readonly TopologyLink[];
}

export interface GraphData {
  httpsEdges: readonly HttpsEdge[];
  tlsEdges: readonly TlsEdge[];
  tcpEdges: readonly TcpEdge[];
  groups: readonly TunnelGroupBackend[];
  weighted: readonly WeightedBackend[];
  failover: readonly FailoverBackend[];
  fixed: readonly HttpResponseBackend[];
  statics: readonly StaticBackend[];
  tunnels: readonly Tunnel[];
  sessions: readonly TunnelSession[];
  /** The servers; more than one only in a cluster. */
  servers: readonly Node[];
  traffic: ReadonlyMap<string, Traffic>;
}

type Owner = HttpsEdge["routes"][number] | TlsEdge | TcpEdge;

/** Modules that are not drawn as stages: their target is drawn as a link. */
const NOT_DRAWN = new Set(["backend"]);

/** What an agent is besides its name. */
function describing({ host_name, ip, os, agent_version }: TunnelSession): string {
  return [host_name && ip, os, agent_version].filter(Boolean).join(", ");
}

/** The enabled stages in execution order. */
export function stagesOfOwner(owner: Owner): string[] {
  const set = owner as Record<string, unknown>;
  const runs = MODULES.filter(({ name }) => {
    const module = set[name];
    return !NOT_DRAWN.has(name) && isRecord(module) && module["enabled"] !== false;
  });
  return [...new Set(runs.map(({ label }) => label))];
}

export function graphOf(data: GraphData): Graph {
  const builder = new Builder(data);
  for (const edge of data.httpsEdges) builder.httpsEdge(edge);
  for (const edge of data.tlsEdges) builder.connectionEdge(edge, "TLS edge", `/edges/tls/${edge.id}`);
  for (const edge of data.tcpEdges) builder.connectionEdge(edge, "TCP edge", `/edges/tcp/${edge.id}`);
  for (const tunnel of data.tunnels) if (tunnel.public_url !== "") builder.ownAddress(tunnel);
  return builder.graph();
}

/** The servers of a cluster; none where a server works alone. */
export function clusterOf({ servers, sessions }: Pick<GraphData, "servers" | "sessions">): ClusterNode[] {
  if (servers.length < 2) return [];
  return servers
    .map((server) => ({
      id: server.id,
      name: server.name || unnamed(server.id),
      state: server.link === "down" ? "not connected" : server.state,
      healthy: server.link !== "down" && server.state === "serving",
      agents: sessions.filter(({ node }) => node?.id === server.id).map(({ id }) => id),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
}

class Builder {
  readonly #nodes = new Map<string, TopologyNode>();
  readonly #links = new Map<string, TopologyLink>();
  readonly #traffic: GraphData["traffic"];
  readonly #backends: ReadonlyMap<string, () => void>;
  readonly #tunnels: ReadonlyMap<string, Tunnel>;
  readonly #sessions: ReadonlyMap<string, TunnelSession>;
  readonly #servers: ReadonlyMap<string, ClusterNode>;

  constructor(data: GraphData) {
    this.#traffic = data.traffic;
    this.#tunnels = new Map(data.tunnels.map((tunnel) => [tunnel.id, tunnel]));
    this.#sessions = new Map(data.sessions.map((session) => [session.id, session]));
    this.#servers = new Map(clusterOf(data).map((server) => [server.id, server]));
    const backends: [string, () => void][] = [
      ...data.groups.map((one): [string, () => void] => [one.id, () => this.#group(one)]),
      ...data.weighted.map((one): [string, () => void] => [one.id, () => this.#weighted(one)]),
      ...data.failover.map((one): [string, () => void] => [one.id, () => this.#failover(one)]),
      ...data.fixed.map((one): [string, () => void] => [one.id, () => this.#fixed(one)]),
      ...data.statics.map((one): [string, () => void] => [one.id, () => this.#static(one)]),
    ];
    this.#backends = new Map(backends);
  }

  graph(): Graph {
    return { nodes: [...this.#nodes.values()], links: [...this.#links.values()] };
  }

  httpsEdge(edge: HttpsEdge): void {
    const path = `/edges/https/${edge.id}`;
    this.#edge(edge, "HTTPS edge", path);
    for (const route of edge.routes) {
      const minute = this.#minute(route.id);
      const own = `${path}/routes/${route.id}`;
      this.#put({
        id: route.id,
        column: "route",
        kind: "Route",
        title: pathOf(route),
        note: route.description,
        path: own,
        minute,
      });
      this.#join(edge.id, route.id, minute);
      this.#onwards(route, minute, own);
    }
  }

  connectionEdge(edge: TlsEdge | TcpEdge, kind: string, path: string): void {
    this.#edge(edge, kind, path);
    this.#onwards(edge, this.#minute(edge.id), path);
  }

  ownAddress(tunnel: Tunnel): void {
    const minute = this.#minute(tunnel.id);
    const id = `at:${tunnel.id}`;
    this.#put({
      id,
      column: "edge",
      kind: "Tunnel's address",
      title: tunnel.public_url.replace(/^https?:\/\//, ""),
      note: tunnel.proto,
      path: `/tunnels/${tunnel.id}`,
      minute,
      tunnel: tunnel.public_url,
    });
    this.#through(id, tunnel);
  }

  #edge(edge: HttpsEdge | TlsEdge | TcpEdge, kind: string, path: string): void {
    const [first, ...others] = edge.hostports;
    const more = others.length > 0 ? `and ${others.length} more` : "";
    this.#put({
      id: edge.id,
      column: "edge",
      kind,
      title: first?.replace(/:443$/, "") ?? "No address",
      note: [edge.description, more].filter(Boolean).join(", "),
      path: path,
      minute: this.#minute(edge.id),
    });
  }

  /** Adds the stages of a route or edge, and its target. */
  #onwards(owner: Owner, minute: TrafficPoint, path: string): void {
    const stages = stagesOfOwner(owner);
    let from = owner.id;
    if (stages.length > 0) {
      const id = `stages:${owner.id}`;
      const title = stages.join(" → ");
      this.#put({ id, column: "stages", kind: "Modules", title, note: "", path, minute });
      this.#join(from, id, minute);
      from = id;
    }
    if (owner.backend && owner.backend.enabled) {
      this.#reach(owner.backend.backend.id);
      this.#join(from, owner.backend.backend.id, minute);
    }
  }

  /** Adds a backend and its targets, once. */
  #reach(id: string): void {
    if (this.#nodes.has(id)) return;
    const draw = this.#backends.get(id);
    if (draw) return draw();
    this.#put({
      id,
      column: "backend",
      kind: "Backend",
      title: unnamed(id),
      note: "not loaded",
      path: null,
      minute: null,
    });
  }

  #backend(id: string, column: Column, kind: string, title: string, note: string, path: string): void {
    this.#put({ id, column, kind, title, note, path: `/backends/${path}/${id}`, minute: null });
  }

  #group(group: TunnelGroupBackend): void {
    const labels = Object.entries(group.labels).map(([key, value]) => `${key}=${value}`);
    this.#backend(
      group.id,
      "backend",
      "Tunnel group",
      labels.join(", ") || unnamed(group.id),
      group.tunnels.length === 0 ? "no tunnel carries these labels" : group.description,
      "tunnel_group",
    );
    for (const { id } of group.tunnels) {
      const tunnel = this.#tunnels.get(id);
      if (tunnel) this.#through(group.id, tunnel);
    }
  }

  #weighted(backend: WeightedBackend): void {
    this.#backend(
      backend.id,
      "chooser",
      "Weighted backend",
      backend.description || "by weight",
      "",
      "weighted",
    );
    const shares = Object.entries(backend.backends);
    const all = shares.reduce((total, [, weight]) => total + weight, 0);
    for (const [id, weight] of shares) {
      this.#reach(id);
      const label = all === 0 ? "0%" : `${Math.round((weight / all) * 100)}%`;
      this.#join(backend.id, id, NO_TRAFFIC, label);
    }
  }

  #failover(backend: FailoverBackend): void {
    this.#backend(
      backend.id,
      "chooser",
      "Failover backend",
      backend.description || "in order",
      "",
      "failover",
    );
    for (const [index, id] of backend.backends.entries()) {
      this.#reach(id);
      this.#join(backend.id, id, NO_TRAFFIC, `${index + 1}.`);
    }
  }

  #fixed(backend: HttpResponseBackend): void {
    this.#backend(
      backend.id,
      "backend",
      "HTTP response",
      backend.description || `responds with ${backend.status_code}`,
      "",
      "http_response",
    );
  }

  #static(backend: StaticBackend): void {
    this.#backend(backend.id, "backend", "Static backend", backend.address, backend.description, "static");
  }

  /** Links a backend or address to the local service of a tunnel. */
  #through(from: string, tunnel: Tunnel): void {
    const minute = this.#minute(tunnel.id);
    // Labelled tunnels have no scheme, and http:// would take the room of the port.
    const target = tunnel.forwards_to.replace(/^http:\/\//, "");
    const agent = tunnel.tunnel_session.id;
    this.#agent(agent);
    const service = `service:${agent}:${target}`;
    this.#put({
      id: service,
      column: "service",
      kind: "Local service",
      title: target.replace(/^https:\/\//, "") || "not specified",
      note: target.startsWith("https://") ? "over TLS" : "",
      path: `/tunnels/${tunnel.id}`,
      minute: NO_TRAFFIC,
      agent,
      ...(tunnel.public_url ? { tunnel: tunnel.public_url } : {}),
    });
    this.#join(from, service, minute);
    this.#pass(tunnel.id, service, minute);
    this.#pass(tunnel.id, agent, minute);
  }

  #agent(id: string): void {
    const session = this.#sessions.get(id);
    const server = session?.node ? this.#servers.get(session.node.id) : undefined;
    this.#put({
      id,
      column: "agent",
      kind: "Agent",
      title: session ? session.host_name || session.ip : unnamed(id),
      note: session ? describing(session) : "",
      path: `/tunnel_sessions/${id}`,
      minute: NO_TRAFFIC,
      ...(server ? { server } : {}),
    });
  }

  #minute(id: string): TrafficPoint {
    return this.#traffic.get(id)?.last_minute ?? NO_TRAFFIC;
  }

  #put(node: TopologyNode): void {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  /** Adds the traffic of a tunnel to a node, once even if several paths lead through the tunnel. */
  #pass(tunnel: string, id: string, minute: TrafficPoint): void {
    const counter = `${id} ${tunnel}`;
    const node = this.#nodes.get(id);
    if (!node || this.#counted.has(counter)) return;
    this.#counted.add(counter);
    this.#nodes.set(id, { ...node, minute: sum([node.minute ?? NO_TRAFFIC, minute]) });
  }

  #join(from: string, to: string, minute: TrafficPoint, label?: string): void {
    const id = `${from}>${to}`;
    const before = this.#links.get(id);
    this.#links.set(id, {
      id,
      from,
      to,
      minute: before ? sum([before.minute, minute]) : minute,
      ...(label === undefined ? {} : { label }),
    });
  }

  readonly #counted = new Set<string>();
}
