// Visitors refused by an edge, polled while they are displayed.
import type { RefusedVisit } from "../../api/generated";
import { apiQuery, useApiQuery } from "../management";

const POLL_INTERVAL_MS = 2_000;

export type EdgePath = "/edges/https" | "/edges/tls" | "/edges/tcp";

export function useDecisions(edges: EdgePath, id: string): readonly RefusedVisit[] | undefined {
  const { data } = useApiQuery(
    apiQuery<readonly RefusedVisit[]>(
      [`${edges}/${id}/decisions`],
      async (api) => (await api.request("GET", `${edges}/{id}/decisions`, { id })).decisions,
      { every: POLL_INTERVAL_MS },
    ),
  );
  return data;
}
