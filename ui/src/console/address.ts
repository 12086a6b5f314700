// The state of a page is in its address: pages can be reloaded, bookmarked and shared.
import { useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = Readonly<Record<string, string>>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Empty values are omitted. */
export function writeSearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  return query.size > 0 ? `?${query}` : "";
}

/** The search parameters, and a function to change some of them without a new history entry. */
export function useAddressSearch(): [Search, (changes: Record<string, string | undefined>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | undefined>) =>
      void navigate({
        to: ".",
        search: ((before: Search) => ({ ...before, ...changes })) as never,
        replace: true,
      }),
    [navigate],
  );
  return [search, change];
}

/** Navigates to a page of the console, such as `/ip_policies/new`. */
export function useNavigateTo(): (path: string, search?: Record<string, string>) => void {
  const navigate = useNavigate();
  return useCallback(
    (path, search = {}) => void navigate({ to: path as never, search: search as never }),
    [navigate],
  );
}

/** A path parameter such as `id`. */
export function useRouteParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>;
  return params[name] ?? "";
}

/** The current path without its search parameters. */
export function usePath(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}
