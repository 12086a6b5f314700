// The records of the graph: all of them, or the busiest and the newest where there are many.
import { useQueries } from "@tanstack/react-query";
import type { ServerStatus, Traffic } from "../../api/generated";
import { collection, type Base, type Collection } from "../../api/management";
import { allQuery, apiQueryOptions, listQuery, recordQuery, useApiQuery, useManagement } from "../management";
import { statusQuery, trafficQuery } from "../traffic";
import type { GraphData } from "./graph";

const SLOW_MS = 15_000;
const LIVE_MS = 5_000;
/** For each kind of edge: the number of the newest ones, and of the busiest ones in addition. */
const NEWEST = 60;
const BUSIEST = 40;

const HTTPS = collection("/edges/https");
const TLS = collection("/edges/tls");
const TCP = collection("/edges/tcp");

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
  const https = useEdges(HTTPS, "https_edge", traffic.data);
  const tls = useEdges(TLS, "tls_edge", traffic.data);
  const tcp = useEdges(TCP, "tcp_edge", traffic.data);
  const slow = { every: SLOW_MS };
  const groups = useApiQuery(allQuery(collection("/backends/tunnel_group"), { every: LIVE_MS }));
  const weighted = useApiQuery(allQuery(collection("/backends/weighted"), slow));
  const failover = useApiQuery(allQuery(collection("/backends/failover"), slow));
  const fixed = useApiQuery(allQuery(collection("/backends/http_response"), slow));
  const statics = useApiQuery(allQuery(collection("/backends/static"), slow));
  const live = { every: LIVE_MS };
  const tunnels = useApiQuery(allQuery(collection("/tunnels"), live));
  const sessions = useApiQuery(allQuery(collection("/tunnel_sessions"), live));
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
  edges: Collection<T>,
  kind: Traffic["kind"],
  traffic: ReadonlyMap<string, Traffic> | undefined,
): T[] | null {
  const api = useManagement();
  const newest = useApiQuery(listQuery(edges, { limit: NEWEST }, SLOW_MS)).data;
  const read = new Set(newest?.records.map(({ id }) => id));
  const busy = [...(traffic?.values() ?? [])].filter((query) => query.kind === kind && !read.has(query.id));
  const further = newest?.next == null ? [] : busy.slice(0, BUSIEST).map(({ id }) => id);
  const others = useQueries({
    queries: further.map((id) => apiQueryOptions(api, recordQuery(edges, id, SLOW_MS))),
    combine: (results) => results.flatMap((query) => query.data ?? []),
  });
  return newest ? [...others, ...newest.records] : null;
}
