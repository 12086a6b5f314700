// The state of a page is in its address: pages can be reloaded, bookmarked and shared.
import { rootRouteId, useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
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
  const search = useSearch({ from: rootRouteId });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | undefined>) =>
      void navigate({
        to: ".",
        search: (before) => merged({ ...before, ...changes }),
        replace: true,
      }),
    [navigate],
  );
  return [search, change];
}

function merged(search: Record<string, string | undefined>): Search {
  return Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => !!entry[1]));
}

/** Navigates to a page of the console, such as `/ip_policies/new`. */
export function useNavigateTo(): (path: string, search?: Record<string, string>) => void {
  const navigate = useNavigate();
  return useCallback((path, search = {}) => void navigate({ to: path, search }), [navigate]);
}

/** A path parameter such as `id`. */
export function useRouteParam(name: string): string {
  return useRouterState({
    select: ({ matches }) => {
      const params: Readonly<Record<string, string | undefined>> = matches.at(-1)?.params ?? {};
      return params[name] ?? "";
    },
  });
}

/** The current path without its search parameters. */
export function usePath(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}
