// The server's facts about itself, for forms that need its names and ports.
import { apiQuery, useApiQuery } from "../management";

export function useServer() {
  return useApiQuery(apiQuery(["/server"], (api) => api.request("GET", "/server", {})));
}
