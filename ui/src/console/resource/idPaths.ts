// The page of the record with an id.
import { collectionOfId, ROUTE_PREFIX } from "../../model/ids";

/** The page of a record; null for ids without one. Routes are below their edge, their `parent`. */
export function pathOfId(id: string, parent: string | null = null): string | null {
  if (id.startsWith(ROUTE_PREFIX)) return parent === null ? null : `/edges/https/${parent}/routes/${id}`;
  const path = collectionOfId(id);
  return path ? `${path}/${id}` : null;
}
