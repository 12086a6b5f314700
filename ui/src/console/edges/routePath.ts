// The path of a route for display.
import type { HttpsRoute } from "../../api/generated";

/** `/app/…` for a prefix, `/app` for an exact path. */
export function pathOf({ match, match_type: type }: Pick<HttpsRoute, "match" | "match_type">): string {
  if (type === "exact_path") return match;
  return match.endsWith("/") ? `${match}…` : `${match}/…`;
}
