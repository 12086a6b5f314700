// The server's facts about itself, for forms that need its names and ports.
import type { ServerFacts } from "../../api/generated";
import { apiQuery, useApiQuery } from "../management";

export function useServer() {
  return useApiQuery(apiQuery<ServerFacts>(["/server"], (api) => api.send<ServerFacts>("GET", "/server")));
}
