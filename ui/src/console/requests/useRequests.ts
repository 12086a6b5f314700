// The last requests of an edge, a route or a tunnel, or of everything, polled while they are displayed.
import type { RecentRequestList } from "../../api/generated";
import { apiQuery, useApiQuery } from "../management";

const POLL_INTERVAL_MS = 2_000;
/** Requests that are read at once. */
const MAX_READ = 500;

/** `path` is that of the record, or `/traffic` for everything. */
export function useRequests(path: string) {
  return useApiQuery(
    apiQuery<RecentRequestList>(
      [path, "requests"],
      async (api) => (await api.send("GET", `${path}/requests?limit=${MAX_READ}`)) as RecentRequestList,
      { every: POLL_INTERVAL_MS },
    ),
  );
}
