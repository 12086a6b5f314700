// The entries of the navigation: an area by itself, or a section whose areas are tabs.
import type { IconName } from "../../parts/Icon";
import type { Area, Group } from "../areas";

export interface Entry {
  group: Group;
  label: string;
  icon: IconName;
  /** In the order of their tabs; the entry leads to the first one. */
  areas: readonly Area[];
}

export function entriesOf(areas: readonly Area[], agent: boolean): Entry[] {
  const entries = new Map<string, Entry>();
  for (const area of areas) {
    if (area.hidden || (area.agent && !agent)) continue;
    const { group, section } = area;
    const { label, icon } = section ?? area;
    const former = entries.get(label);
    entries.set(label, { group, label, icon, areas: [...(former?.areas ?? []), area] });
  }
  return [...entries.values()];
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** The entry that a page belongs to. */
export function entryOf(entries: readonly Entry[], path: string): Entry | undefined {
  return entries.find(({ areas }) => areas.some((area) => isWithin(path, area.path)));
}
