// Which requests are chosen: one that is looked at, or several that something is done with at once.

/** How a row is chosen: instead of the others, beside them, or with all between it and the last one. */
export type Manner = "only" | "toggle" | "range";

export interface Selection {
  /** The row the keys move from. */
  active: string | null;
  /** All that are chosen where these are more than one; otherwise empty. */
  several: ReadonlySet<string>;
}

/** What somebody wants to do with more rows than this is done with a filter. */
export const MOST_CHOSEN = 1000;

/** The rows as the list shows them. */
export interface Rows {
  rowOf(id: string): number;
  at(row: number): { id: string } | undefined;
}

export function choose({ active, several }: Selection, id: string, manner: Manner, rows: Rows): Selection {
  if (manner === "only" || active === null) return { active: id, several: new Set() };
  const chosen = new Set(several.size > 0 ? several : [active]);
  if (manner === "toggle") {
    if (!chosen.delete(id)) chosen.add(id);
  } else {
    const [from, to] = [rows.rowOf(active), rows.rowOf(id)];
    if (from === -1 || to === -1) return { active: id, several: new Set() };
    const step = from < to ? 1 : -1;
    for (let row = from; row !== to + step && chosen.size < MOST_CHOSEN; row += step) {
      const found = rows.at(row);
      if (found) chosen.add(found.id);
    }
  }
  return settled(id, chosen);
}

/** The selection without what is no longer there. */
export function without({ active, several }: Selection, gone: (id: string) => boolean): Selection {
  const kept = new Set([...several].filter((id) => !gone(id)));
  const last = active !== null && gone(active) ? ([...kept].at(-1) ?? null) : active;
  return settled(last, kept);
}

/** One alone is not several. */
function settled(active: string | null, chosen: ReadonlySet<string>): Selection {
  if (chosen.size > 1) return { active, several: chosen };
  const [only] = chosen;
  return { active: only ?? active, several: new Set() };
}
