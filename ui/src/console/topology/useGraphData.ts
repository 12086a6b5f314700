// The records of the graph: all of them, or the busiest and the newest where there are many.
import { useQueries } from "@tanstack/react-query";
import type {
  FailoverBackend,
  HttpResponseBackend,
  HttpsEdge,
  ServerStatus,
  StaticBackend,
  TcpEdge,
  TlsEdge,
  Traffic,
  Tunnel,
  TunnelGroupBackend,
  TunnelSession,
  WeightedBackend,
} from "../../api/generated";
import type { Base } from "../../api/management";
import { allQuery, listQuery, recordQuery, useApiQuery, useManagement } from "../management";
import { statusQuery, trafficQuery } from "../traffic";
import type { GraphData } from "./graph";

const SLOW_MS = 15_000;
const LIVE_MS = 5_000;
/** For each kind of edge: the number of the newest ones, and of the busiest ones in addition. */
const NEWEST = 60;
const BUSIEST = 40;

const HTTPS = { path: "/edges/https", member: "https_edges" };
const TLS = { path: "/edges/tls", member: "tls_edges" };
const TCP = { path: "/edges/tcp", member: "tcp_edges" };

export interface GraphDataState {
  data: GraphData | null;
  status: ServerStatus | null;
  /** Number of existing edges and number of edges that were read. */
  edges: { there: number; read: number };
  failed: unknown;
  retry(): void;
}

export function useGraphData(): GraphDataState {
  const status = useApiQuery(statusQuery);
  const traffic = useApiQuery(trafficQuery);
  const https = useEdges<HttpsEdge>(HTTPS, "https_edge", traffic.data);
  const tls = useEdges<TlsEdge>(TLS, "tls_edge", traffic.data);
  const tcp = useEdges<TcpEdge>(TCP, "tcp_edge", traffic.data);
  const slow = { every: SLOW_MS };
  const groups = useApiQuery(
    allQuery<TunnelGroupBackend>({ path: "/backends/tunnel_group", member: "backends" }, { every: LIVE_MS }),
  );
  const weighted = useApiQuery(
    allQuery<WeightedBackend>({ path: "/backends/weighted", member: "backends" }, slow),
  );
  const failover = useApiQuery(
    allQuery<FailoverBackend>({ path: "/backends/failover", member: "backends" }, slow),
  );
  const fixed = useApiQuery(
    allQuery<HttpResponseBackend>({ path: "/backends/http_response", member: "backends" }, slow),
  );
  const statics = useApiQuery(
    allQuery<StaticBackend>({ path: "/backends/static", member: "backends" }, slow),
  );
  const live = { every: LIVE_MS };
  const tunnels = useApiQuery(allQuery<Tunnel>({ path: "/tunnels", member: "tunnels" }, live));
  const sessions = useApiQuery(
    allQuery<TunnelSession>({ path: "/tunnel_sessions", member: "tunnel_sessions" }, live),
  );
  const queries = [status, traffic, groups, weighted, failover, fixed, statics, tunnels, sessions];
  const data: GraphData | null =
    https && tls && tcp && queries.every((query) => query.data !== undefined)
      ? {
          httpsEdges: https,
          tlsEdges: tls,
          tcpEdges: tcp,
          groups: groups.data?.records ?? [],
          weighted: weighted.data?.records ?? [],
          failover: failover.data?.records ?? [],
          fixed: fixed.data?.records ?? [],
          statics: statics.data?.records ?? [],
          tunnels: tunnels.data?.records ?? [],
          sessions: sessions.data?.records ?? [],
          traffic: traffic.data ?? new Map(),
        }
      : null;
  const configured = status.data?.configured;
  return {
    data: data,
    status: status.data ?? null,
    edges: {
      there: configured ? configured.https_edges + configured.tls_edges + configured.tcp_edges : 0,
      read: (https?.length ?? 0) + (tls?.length ?? 0) + (tcp?.length ?? 0),
    },
    failed: queries.find((query) => query.isError && query.data === undefined)?.error ?? null,
    retry: () => queries.forEach((query) => void query.refetch()),
  };
}

/** The newest edges of a kind, and the busiest that are not among them. */
function useEdges<T extends Base>(
  collection: { path: string; member: string },
  kind: Traffic["kind"],
  traffic: ReadonlyMap<string, Traffic> | undefined,
): T[] | null {
  const api = useManagement();
  const newest = useApiQuery(listQuery<T>(collection, { limit: NEWEST }, SLOW_MS)).data;
  const read = new Set(newest?.records.map(({ id }) => id));
  const busy = [...(traffic?.values() ?? [])].filter((query) => query.kind === kind && !read.has(query.id));
  const further = newest?.next == null ? [] : busy.slice(0, BUSIEST).map(({ id }) => id);
  const others = useQueries({
    queries: further.map((id) => {
      const question = recordQuery<T>(collection, id);
      return { queryKey: question.key, queryFn: () => question.ask(api), refetchInterval: SLOW_MS };
    }),
    combine: (results) => results.flatMap((query) => query.data ?? []),
  });
  return newest ? [...(others as T[]), ...newest.records] : null;
}
