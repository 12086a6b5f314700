// What is chosen on a page stands in its address: pages can be reloaded, kept and sent to others.
import { useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = Readonly<Record<string, string>>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Empty values are left out. */
export function writeSearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  return query.size > 0 ? `?${query}` : "";
}

/** The search of the address, and a way to change some of it without leaving a step in the history. */
export function useAddress(): [Search, (changes: Record<string, string | undefined>) => void] {
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

/** Goes to a place of the console, such as `/ip_policies/new`. */
export function useGo(): (place: string, search?: Record<string, string>) => void {
  const navigate = useNavigate();
  return useCallback(
    (place, search = {}) => void navigate({ to: place as never, search: search as never }),
    [navigate],
  );
}

/** A part of the address such as `id`. */
export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>;
  return params[name] ?? "";
}

/** The place without its search. */
export function usePlace(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}
