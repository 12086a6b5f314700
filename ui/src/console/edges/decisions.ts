// Visitors refused by an edge, polled while they are displayed.
import type { RefusedVisit, RefusedVisitList } from "../../api/generated";
import { q, useAsked } from "../management";

const EVERY_MS = 2_000;

export function useDecisions(path: string): readonly RefusedVisit[] | undefined {
  const { data } = useAsked(
    q<readonly RefusedVisit[]>(
      [`${path}/decisions`],
      async (api) => (await api.send<RefusedVisitList>("GET", `${path}/decisions`)).decisions,
      { every: EVERY_MS },
    ),
  );
  return data;
}
