// Visitors refused by an edge, polled while they are displayed.
import type { RefusedVisit, RefusedVisitList } from "../../api/generated";
import { apiQuery, useApiQuery } from "../management";

const POLL_INTERVAL_MS = 2_000;

export function useDecisions(path: string): readonly RefusedVisit[] | undefined {
  const { data } = useApiQuery(
    apiQuery<readonly RefusedVisit[]>(
      [`${path}/decisions`],
      async (api) => (await api.send<RefusedVisitList>("GET", `${path}/decisions`)).decisions,
      { every: POLL_INTERVAL_MS },
    ),
  );
  return data;
}
