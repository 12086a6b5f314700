// Server state in the console: queries and changes, cached by collection.
import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import type { ListQuery, Base, ManagementApi, Method, Page } from "../api/management";
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

/** A query of the management API. `every`: polling interval in milliseconds while it is displayed. */
export function apiQuery<T>(
  key: Key,
  run: (api: ManagementApi) => Promise<T>,
  { every, enabled = true }: { every?: number; enabled?: boolean } = {},
) {
  return { key, ask: run, every, enabled };
}

export function useApiQuery<T>(query: ReturnType<typeof apiQuery<T>>): UseQueryResult<T> {
  const api = useManagement();
  return useQuery({
    queryKey: query.key,
    queryFn: () => query.ask(api),
    enabled: query.enabled,
    refetchInterval: query.every ?? false,
    placeholderData: (before) => before,
  });
}

interface Collection {
  path: string;
  member: string;
}

export function listQuery<T extends Base>(kind: Collection, query: ListQuery, every?: number) {
  return apiQuery<Page<T>>(
    [kind.path, "list", query],
    (api) => api.list<T>(kind.path, kind.member, query),
    every ? { every } : {},
  );
}

/** All records of a kind, or all that contain certain words, for choosing and sorting. */
export function allQuery<T extends Base>(
  kind: Collection,
  { search = "", ...options }: { every?: number; enabled?: boolean; search?: string } = {},
) {
  return apiQuery<Page<T>>(
    [kind.path, "all", search],
    (api) => api.all<T>(kind.path, kind.member, search),
    options,
  );
}

export function recordQuery<T extends Base>(kind: Collection, id: string, every?: number) {
  return apiQuery<T>(
    [kind.path, "one", id],
    (api) => api.send<T>("GET", `${kind.path}/${encodeURIComponent(id)}`),
    every ? { every } : {},
  );
}

export interface ApiChange {
  method: Method;
  path: string;
  body?: unknown;
}

/** Sends a change, then invalidates all queries of these collections. */
export function useApiMutation<T = unknown>(invalidates: readonly string[]) {
  const api = useManagement();
  const client = useQueryClient();
  return useMutation<T, Error, ApiChange>({
    mutationFn: ({ method, path, body }) => api.send<T>(method, path, body),
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
