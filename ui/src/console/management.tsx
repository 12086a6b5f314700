// Server state in the console: queries and changes, cached by collection.
import {
  QueryClient,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import {
  ALL_LIMIT,
  type Base,
  type Collection,
  type ListQuery,
  type ManagementApi,
  type Page,
} from "../api/management";
import type { Method } from "../api/request";
import { ApiError } from "../api/problem";
import { useDesktopState, useServices } from "../services";

const Context = createContext<ManagementApi | null>(null);

export function ManagementProvider({ api, children }: { api: ManagementApi; children: ReactNode }) {
  return <Context value={api}>{children}</Context>;
}

export function useManagement(): ManagementApi {
  const api = use(Context);
  if (!api) throw new Error("the page is rendered inside ManagementProvider");
  return api;
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal is final; only a server that does not respond is asked again.
        retry: (count, thrown) => count < 2 && (!(thrown instanceof ApiError) || thrown.status === 0),
        retryDelay: 600,
        // For this machine or a local network the browser's offline detection means nothing.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** The query key starts with the path of the collection, so that a change can invalidate all of it. */
export type Key = readonly [path: string, ...rest: unknown[]];

export interface QuerySettings {
  /** Polling interval in milliseconds while it is displayed. */
  every?: number | undefined;
  enabled?: boolean;
}

/** A query of the management API. */
export interface ApiQuery<T> extends QuerySettings {
  key: Key;
  run(api: ManagementApi): Promise<T>;
}

export function apiQuery<T>(
  key: Key,
  run: (api: ManagementApi) => Promise<T>,
  settings: QuerySettings = {},
): ApiQuery<T> {
  return { key, run, ...settings };
}

/** The options of a query for useQuery, useQueries and prefetching. */
export function apiQueryOptions<T>(api: ManagementApi, { key, run, every, enabled = true }: ApiQuery<T>) {
  return queryOptions({
    queryKey: key,
    queryFn: () => run(api),
    enabled,
    refetchInterval: every ?? false,
  });
}

export function useApiQuery<T>(query: ApiQuery<T>): UseQueryResult<T> {
  return useQuery({ ...apiQueryOptions(useManagement(), query), placeholderData: keepPreviousData });
}

export function listQuery<T extends Base>(from: Collection<T>, query: ListQuery, every?: number) {
  return apiQuery<Page<T>>([from.path, "list", query], (api) => api.list(from, query), { every });
}

/** All records of a kind, or all that contain certain words, for choosing and sorting; up to a limit. */
export function allQuery<T extends Base>(
  from: Collection<T>,
  {
    search = "",
    filter = {},
    limit = ALL_LIMIT,
    ...settings
  }: QuerySettings & Omit<ListQuery, "before"> = {},
) {
  return apiQuery<Page<T>>(
    [from.path, "all", search, filter, limit],
    (api) => api.all(from, search, filter, limit),
    settings,
  );
}

export function recordQuery<T extends Base>(from: Collection<T>, id: string, every?: number) {
  return apiQuery<T>([from.path, "one", id], (api) => api.one(from, id), { every });
}

export interface ApiChange {
  method: Method;
  path: string;
  body?: unknown;
}

/** The record after a change; a token or secret only when that was made. */
export type ChangedRecord = Base & { token?: string | null; secret?: string | null };

/** Sends a change, then invalidates all queries of these collections. */
export function useApiMutation(invalidates: readonly string[]) {
  const api = useManagement();
  const client = useQueryClient();
  return useMutation<ChangedRecord, Error, ApiChange>({
    // Deletions have no body, and their callers do not use the result.
    mutationFn: async ({ method, path, body }) => (await api.send(method, path, body)) as ChangedRecord,
    onSuccess: () =>
      Promise.all(invalidates.map((path) => client.invalidateQueries({ queryKey: [path] }))).then(
        () => undefined,
      ),
  });
}

/** The address of the management API for use in a terminal. */
export function useApiAddress(): string {
  const { host } = useServices();
  const desktop = useDesktopState();
  return host.desktop ? (desktop?.server.api_address ?? "http://127.0.0.1:4041") : location.origin;
}
