// The server's facts about itself, for forms that need its names and ports.
import type { ServerFacts } from "../../api/generated";
import { q, useAsked } from "../management";

export function useServer() {
  return useAsked(q<ServerFacts>(["/server"], (api) => api.send<ServerFacts>("GET", "/server")));
}
