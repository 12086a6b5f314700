// The records of the graph: all of them, or the busiest and the newest where there are many.
import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { COLLECTIONS, type ServerStatus, type Traffic } from "../../api/generated";
import { collection, type Base, type Collection } from "../../api/management";
import { allQuery, apiQueryOptions, recordQuery, useApiQuery, useManagement } from "../management";
import { statusQuery, trafficQuery } from "../traffic";
import type { GraphData } from "./graph";

const SLOW_MS = 15_000;
const LIVE_MS = 5_000;
/** For each kind of edge: the number of the newest ones, and of the busiest ones in addition. */
const NEWEST = 200;
const BUSIEST = 40;

const HTTPS = collection("/edges/https");
const TLS = collection("/edges/tls");
const TCP = collection("/edges/tcp");

const NO_SERVERS: GraphData["servers"] = [];

export interface GraphDataState {
  data: GraphData | null;
  status: ServerStatus | null;
  /** Number of existing edges and number of edges that were read. */
  edges: { there: number; read: number };
  failed: unknown;
  retry(): void;
}

/** `focus`: the id of an edge that is read in any case. */
export function useGraphData(focus: string): GraphDataState {
  const status = useApiQuery(statusQuery);
  const traffic = useApiQuery(trafficQuery);
  const https = useEdges(HTTPS, "https_edge", traffic.data, focus);
  const tls = useEdges(TLS, "tls_edge", traffic.data, focus);
  const tcp = useEdges(TCP, "tcp_edge", traffic.data, focus);
  const slow = { every: SLOW_MS };
  const live = { every: LIVE_MS };
  const groups = useApiQuery(allQuery(collection("/backends/tunnel_group"), live));
  const weighted = useApiQuery(allQuery(collection("/backends/weighted"), slow));
  const failover = useApiQuery(allQuery(collection("/backends/failover"), slow));
  const fixed = useApiQuery(allQuery(collection("/backends/http_response"), slow));
  const statics = useApiQuery(allQuery(collection("/backends/static"), slow));
  const tunnels = useApiQuery(allQuery(collection("/tunnels"), live));
  const sessions = useApiQuery(allQuery(collection("/tunnel_sessions"), live));
  const servers = useApiQuery(allQuery(collection("/nodes"), live));
  const backends = [groups, weighted, failover, fixed, statics];
  const queries = [status, traffic, ...backends, tunnels, sessions];
  const records = useRecords({
    groups: groups.data?.records,
    weighted: weighted.data?.records,
    failover: failover.data?.records,
    fixed: fixed.data?.records,
    statics: statics.data?.records,
    tunnels: tunnels.data?.records,
    sessions: sessions.data?.records,
    // For administrators only; others see the picture without the nodes.
    servers: servers.data?.records ?? (servers.isError ? NO_SERVERS : undefined),
    traffic: traffic.data,
    httpsEdges: https,
    tlsEdges: tls,
    tcpEdges: tcp,
  });
  const configured = status.data?.configured;
  return {
    data: records,
    status: status.data ?? null,
    edges: {
      there: configured ? configured.https_edges + configured.tls_edges + configured.tcp_edges : 0,
      read: (https?.length ?? 0) + (tls?.length ?? 0) + (tcp?.length ?? 0),
    },
    failed: queries.find((query) => query.isError && query.data === undefined)?.error ?? null,
    retry: () => [...queries, servers].forEach((query) => void query.refetch()),
  };
}

type Parts = { [Name in keyof GraphData]: GraphData[Name] | null | undefined };

/** The same object until one of its parts is another one, and until all of them are there. */
function useRecords(parts: Parts): GraphData | null {
  const [records, keep] = useState<GraphData | null>(null);
  if (!isComplete(parts)) return records;
  const isSame = Object.keys(parts).every(
    (name) => records?.[name as keyof GraphData] === parts[name as keyof GraphData],
  );
  if (isSame) return records;
  keep(parts);
  return parts;
}

function isComplete(parts: {
  [Name in keyof GraphData]: GraphData[Name] | null | undefined;
}): parts is GraphData {
  return Object.values(parts).every((part) => part !== null && part !== undefined);
}

/** The newest edges of a kind, and the busiest and the focused one that are not among them. */
function useEdges<T extends Base>(
  edges: Collection<T>,
  kind: Traffic["kind"],
  traffic: ReadonlyMap<string, Traffic> | undefined,
  focus: string,
): T[] | null {
  const api = useManagement();
  const newest = useApiQuery(allQuery(edges, { limit: NEWEST, every: SLOW_MS })).data;
  const further = useMemo(() => {
    if (!newest || newest.next === null) return [];
    const read = new Set(newest.records.map(({ id }) => id));
    const busy = [...(traffic?.values() ?? [])].filter((one) => one.kind === kind).map(({ id }) => id);
    const focused = focus.startsWith(`${COLLECTIONS[edges.path].prefix}_`) ? [focus] : [];
    return [...new Set([...focused, ...busy.slice(0, BUSIEST)])].filter((id) => !read.has(id));
  }, [newest, traffic, kind, focus, edges]);
  const others = useQueries({
    queries: further.map((id) => apiQueryOptions(api, recordQuery(edges, id, SLOW_MS))),
    combine: foundRecords,
  });
  return useMemo(() => (newest && others ? [...newest.records, ...others] : null), [newest, others]);
}

/** Null while one of them is read. A function that stays the same: what it returns does so until a record changes. */
function foundRecords<T>(results: readonly { data?: T | undefined; isPending: boolean }[]): T[] | null {
  if (results.some(({ isPending }) => isPending)) return null;
  return results.flatMap(({ data }) => (data === undefined ? [] : [data]));
}
