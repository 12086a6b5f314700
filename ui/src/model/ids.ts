// Ids of records: their kinds by the prefixes of the API's description, and what is shown instead of an id.
import { COLLECTIONS } from "../api/generated";
import type { CollectionPath } from "../api/management";

const PATHS = Object.keys(COLLECTIONS) as CollectionPath[];
const BY_PREFIX = new Map<string, CollectionPath>(PATHS.map((path) => [COLLECTIONS[path].prefix, path]));
export const ROUTE_PREFIX = "edghtsrt_";
/** Characters of an id that tell records of one kind apart. */
const SHOWN = 4;

export const isId = (text: string): boolean => /^[a-z]+_[0-9A-Za-z]{27}$/.test(text);

/** The collection of an id; undefined for ids of none. */
export function collectionOfId(id: string): CollectionPath | undefined {
  return BY_PREFIX.get(id.slice(0, id.indexOf("_")));
}

/** The display name of the kind of an id. */
export function kindLabelOfId(id: string): string | null {
  if (id.startsWith(ROUTE_PREFIX)) return "HTTPS route";
  const path = collectionOfId(id);
  return path ? COLLECTIONS[path].name : null;
}

/** A record that has no name, or none that may be read: its kind, and the end of its id. A text that is no id stays. */
export function unnamed(id: string): string {
  if (!isId(id)) return id;
  const kind = kindLabelOfId(id) ?? "record";
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} …${id.slice(-SHOWN)}`;
}
