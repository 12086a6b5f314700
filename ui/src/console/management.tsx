// Server state in the console: one way to ask for it, one way to change it, remembered by kind.
import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import type { Asked, Base, ManagementApi, Method, Page } from "../api/management";
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
        // A refusal stays one; only a server that does not answer is asked again.
        retry: (count, thrown) => count < 2 && (!(thrown instanceof ApiError) || thrown.status === 0),
        retryDelay: 600,
        // On this machine or a local network: the browser's idea of being offline says nothing.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** What a list or record is remembered by: its collection's path first, so that a change can forget all of it. */
export type Key = readonly [path: string, ...rest: unknown[]];

/** Any question to the management API. `every`: asked again after so many milliseconds while it is looked at. */
export function q<T>(
  key: Key,
  ask: (api: ManagementApi) => Promise<T>,
  { every, enabled = true }: { every?: number; enabled?: boolean } = {},
) {
  return { key, ask, every, enabled };
}

export function useAsked<T>(question: ReturnType<typeof q<T>>): UseQueryResult<T> {
  const api = useManagement();
  return useQuery({
    queryKey: question.key,
    queryFn: () => question.ask(api),
    enabled: question.enabled,
    refetchInterval: question.every ?? false,
    placeholderData: (before) => before,
  });
}

interface Collection {
  path: string;
  member: string;
}

export function listOf<T extends Base>(kind: Collection, asked: Asked, every?: number) {
  return q<Page<T>>(
    [kind.path, "list", asked],
    (api) => api.list<T>(kind.path, kind.member, asked),
    every ? { every } : {},
  );
}

/** Everything of a kind, or all that says certain words, for choosing among it and for sorting. */
export function allOf<T extends Base>(
  kind: Collection,
  { search = "", ...options }: { every?: number; enabled?: boolean; search?: string } = {},
) {
  return q<Page<T>>([kind.path, "all", search], (api) => api.all<T>(kind.path, kind.member, search), options);
}

export function oneOf<T extends Base>(kind: Collection, id: string, every?: number) {
  return q<T>(
    [kind.path, "one", id],
    (api) => api.send<T>("GET", `${kind.path}/${encodeURIComponent(id)}`),
    every ? { every } : {},
  );
}

export interface Change {
  method: Method;
  path: string;
  body?: unknown;
}

/** Sends a change; afterwards everything remembered of these collections is asked for again. */
export function useChange<T = unknown>(forgets: readonly string[]) {
  const api = useManagement();
  const client = useQueryClient();
  return useMutation<T, Error, Change>({
    mutationFn: ({ method, path, body }) => api.send<T>(method, path, body),
    onSuccess: () =>
      Promise.all(forgets.map((path) => client.invalidateQueries({ queryKey: [path] }))).then(
        () => undefined,
      ),
  });
}

/** Where the management API is, as somebody at a terminal would call it. */
export function useApiAddress(): string {
  const { host } = useServices();
  const desktop = useDesktopState();
  return host.desktop ? (desktop?.server.api_address ?? "http://127.0.0.1:4041") : location.origin;
}
