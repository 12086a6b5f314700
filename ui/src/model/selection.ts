// The selected requests: one that is shown in detail, or several for a bulk action.

/** How a row is selected: instead of the others, in addition, or as a range from the last one. */
export type Manner = "only" | "toggle" | "range";

export interface Selection {
  /** The row from which the arrow keys move. */
  active: string | null;
  /** All selected rows where there is more than one; otherwise empty. */
  several: ReadonlySet<string>;
}

/** Maximum selection; a bulk action on more rows uses a filter. */
export const MOST_CHOSEN = 1000;

/** The rows in the order of the list. */
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

/** The selection without rows that no longer exist. */
export function without({ active, several }: Selection, gone: (id: string) => boolean): Selection {
  const kept = new Set([...several].filter((id) => !gone(id)));
  const last = active !== null && gone(active) ? ([...kept].at(-1) ?? null) : active;
  return settled(last, kept);
}

/** A single row is not a multiple selection. */
function settled(active: string | null, chosen: ReadonlySet<string>): Selection {
  if (chosen.size > 1) return { active, several: chosen };
  const [only] = chosen;
  return { active: only ?? active, several: new Set() };
}
