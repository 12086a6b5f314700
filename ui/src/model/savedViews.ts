// Named filters: the built-in ones and the saved ones.
import { readStored, storeText } from "./storage";

export interface SavedView {
  name: string;
  filter: string;
}

export const BUILT_IN_VIEWS: readonly SavedView[] = [
  { name: "Errors", filter: "(status>=400 or error:*)" },
  { name: "Slow", filter: "dur>1s" },
  { name: "Replays", filter: "replayed:yes" },
  { name: "Pinned", filter: "pinned:yes" },
];

const KEY = "views";
const MAX_VIEWS = 50;

/** Validates stored data, which may be anything. */
export function readViews(stored: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(stored ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter(isView).slice(0, MAX_VIEWS);
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null || !("name" in value) || !("filter" in value)) return false;
  return typeof value.name === "string" && typeof value.filter === "string";
}

/** Saves a view; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...withoutView(views, view.name), view].slice(-MAX_VIEWS);
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name);
}

/** Views are kept by what they are views of; by default captured requests. */
export function storedViews(key = KEY): SavedView[] {
  return readViews(readStored(key));
}

/** Where storage is not allowed, views last as long as the window. */
export function storeViews(views: readonly SavedView[], key = KEY): void {
  storeText(key, JSON.stringify(views));
}
