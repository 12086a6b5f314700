// The configuration and the connections as one graph: edge, route, stages, backend, agent, local service.
import type {
  FailoverBackend,
  HttpResponseBackend,
  HttpsEdge,
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

export type Column = "edge" | "route" | "stages" | "chooser" | "backend" | "agent" | "service";

/** From the visitor to the local service. */
export const COLUMNS: readonly Column[] = [
  "edge",
  "route",
  "stages",
  "chooser",
  "backend",
  "agent",
  "service",
];

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
}

export interface TopologyLink {
  id: string;
  from: string;
  to: string;
  minute: TrafficPoint;
  /** A label such as the share of a weighted backend. */
  label?: string;
}

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
  traffic: ReadonlyMap<string, Traffic>;
}

type Owner = HttpsEdge["routes"][number] | TlsEdge | TcpEdge;

/** Modules that are not drawn as stages: their target is drawn as a link. */
const NOT_DRAWN = new Set(["backend"]);

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

class Builder {
  readonly #nodes = new Map<string, TopologyNode>();
  readonly #links = new Map<string, TopologyLink>();
  readonly #traffic: GraphData["traffic"];
  readonly #backends: ReadonlyMap<string, () => void>;
  readonly #tunnels: ReadonlyMap<string, Tunnel>;
  readonly #sessions: ReadonlyMap<string, TunnelSession>;

  constructor(data: GraphData) {
    this.#traffic = data.traffic;
    this.#tunnels = new Map(data.tunnels.map((tunnel) => [tunnel.id, tunnel]));
    this.#sessions = new Map(data.sessions.map((session) => [session.id, session]));
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
      title: id,
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
      labels.join(", ") || group.id,
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

  /** Links a backend or address through a tunnel to its local service. */
  #through(from: string, tunnel: Tunnel): void {
    const minute = this.#minute(tunnel.id);
    const session = this.#sessions.get(tunnel.tunnel_session.id);
    // Labelled tunnels have no scheme, and http:// would take the room of the port.
    const target = tunnel.forwards_to.replace(/^http:\/\//, "");
    // An agent has a node for each of its services: it shows which address leads to which of them.
    const agent = `${tunnel.tunnel_session.id}:${target}`;
    this.#put({
      id: agent,
      column: "agent",
      kind: "Agent",
      title: session?.ip ?? tunnel.tunnel_session.id,
      note: session ? `${session.os}, ${session.agent_version}` : "",
      path: `/tunnel_sessions/${tunnel.tunnel_session.id}`,
      minute: null,
    });
    const service = `service:${agent}`;
    this.#put({
      id: service,
      column: "service",
      kind: "Local service",
      title: target.replace(/^https:\/\//, "") || "not specified",
      note: target.startsWith("https://") ? "over TLS" : "",
      path: `/tunnels/${tunnel.id}`,
      minute: null,
      ...(tunnel.public_url ? { tunnel: tunnel.public_url } : {}),
    });
    this.#join(from, agent, minute);
    this.#join(agent, service, minute, undefined, tunnel.id);
  }

  #minute(id: string): TrafficPoint {
    return this.#traffic.get(id)?.last_minute ?? NO_TRAFFIC;
  }

  #put(node: TopologyNode): void {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  /** `once`: the counter of this traffic, which is added to a link only once even if several paths lead there. */
  #join(from: string, to: string, minute: TrafficPoint, label?: string, once?: string): void {
    const id = `${from}>${to}`;
    const before = this.#links.get(id);
    if (once !== undefined) {
      if (this.#counted.has(`${id} ${once}`)) return;
      this.#counted.add(`${id} ${once}`);
    }
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
