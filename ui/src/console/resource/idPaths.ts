// The kind of an id, and the page of its record, by the prefixes of the API's description.
import { COLLECTIONS } from "../../api/generated";
import type { CollectionPath } from "../../api/management";

const PATHS = Object.keys(COLLECTIONS) as CollectionPath[];
const BY_PREFIX = new Map<string, CollectionPath>(PATHS.map((path) => [COLLECTIONS[path].prefix, path]));
const ROUTE_PREFIX = "edghtsrt_";

/** The collection of an id; undefined for ids of none. */
export function collectionOfId(id: string): CollectionPath | undefined {
  return BY_PREFIX.get(id.slice(0, id.indexOf("_")));
}

/** The page of a record; null for ids without one. Routes are below their edge, their `parent`. */
export function pathOfId(id: string, parent: string | null = null): string | null {
  if (id.startsWith(ROUTE_PREFIX)) return parent === null ? null : `/edges/https/${parent}/routes/${id}`;
  const path = collectionOfId(id);
  return path ? `${path}/${id}` : null;
}

/** The display name of the kind of an id. */
export function kindLabelOfId(id: string): string | null {
  if (id.startsWith(ROUTE_PREFIX)) return "HTTPS route";
  const path = collectionOfId(id);
  return path ? COLLECTIONS[path].name : null;
}
