// The fields of a route besides its modules.
import type { HttpsRoute } from "../../api/generated";
import type { Field } from "../resource/field";
import { choice } from "../resource/fields/simple";
import { description, metadata, text } from "../resource/fields/text";

export const MATCH_LIMIT = 1024;

export const ROUTE_FIELDS: readonly Field[] = [
  choice({
    name: "match_type",
    label: "Match",
    options: [
      { value: "path_prefix", label: "Prefix" },
      { value: "exact_path", label: "Exact path" },
    ],
    initial: "path_prefix",
  }),
  text({
    name: "match",
    label: "Path",
    help: "“/app” also matches “/app/…” and not “/apple”. An exact path wins, then the longest.",
    placeholder: "/",
    initial: "/",
    required: true,
    mono: true,
    check: wrongPath,
  }),
  description("Its purpose, for people."),
  metadata(),
];

export function wrongPath(path: string): string | null {
  if (!path.startsWith("/")) return "A path begins with /.";
  if ([...path].length > MATCH_LIMIT) return `At most ${MATCH_LIMIT} characters.`;
  return /\p{Cc}/u.test(path) ? "A path cannot contain control characters." : null;
}

/** Sorts routes by the edge's matching order: exact paths first, then the longest. */
export function inMatchOrder(routes: readonly HttpsRoute[]): HttpsRoute[] {
  return routes.toSorted(
    (one, other) =>
      Number(isPrefix(one)) - Number(isPrefix(other)) ||
      other.match.length - one.match.length ||
      one.match.localeCompare(other.match),
  );
}

const isPrefix = (route: HttpsRoute) => route.match_type === "path_prefix";

/** `/app/…` for a prefix, `/app` for an exact path. */
export function pathOf({ match, match_type: type }: Pick<HttpsRoute, "match" | "match_type">): string {
  if (type === "exact_path") return match;
  return match.endsWith("/") ? `${match}…` : `${match}/…`;
}
