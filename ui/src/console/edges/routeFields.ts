// The fields of a route besides its modules.
import type { HttpsRoute } from "../../api/generated";
import type { Field, FormDescription } from "../form/field";
import { description, metadata } from "../form/fields";
import { backendId } from "../modules/descriptors/backend";

export const MATCH_LIMIT = 1024;

const MATCH: readonly Field[] = [
  {
    kind: "choice",
    name: "match_type",
    label: "Match",
    options: [
      { value: "path_prefix", label: "Prefix" },
      { value: "exact_path", label: "Exact path" },
    ],
  },
  {
    kind: "text",
    name: "match",
    label: "Path",
    help: "“/app” also matches “/app/…” and not “/apple”. An exact path wins, then the longest.",
    placeholder: "/",
    initial: "/",
    required: true,
    mono: true,
    check: wrongPath,
  },
];

export const ROUTE_FORM: FormDescription = { fields: [...MATCH, description(), metadata] };

/** A new route gets its backend at once; the API takes it as a module. */
export const NEW_ROUTE_FORM: FormDescription = {
  fields: [
    ...MATCH,
    {
      ...backendId,
      name: "backend",
      required: false,
      none: "None yet",
      write: (id) => (id === "" ? undefined : { backend_id: id }),
    },
    description(),
    metadata,
  ],
};

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
