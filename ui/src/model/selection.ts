// The selected requests: one that is shown in detail, or several for a bulk action.

/** How a row is selected: instead of the others, in addition, or as a range from the last one. */
export type SelectMode = "only" | "toggle" | "range";

export interface Selection {
  /** The row from which the arrow keys move. */
  active: string | null;
  /** All selected rows where there is more than one; otherwise empty. */
  several: ReadonlySet<string>;
}

/** Maximum selection; a bulk action on more rows uses a filter. */
export const MAX_SELECTED = 1000;

/** The rows in the order of the list. */
export interface Rows {
  rowOf(id: string): number;
  at(row: number): { id: string } | undefined;
}

export type SelectionAction =
  | { type: "clear" }
  | { type: "select"; id: string; mode: SelectMode; rows: Rows }
  /** Rows were deleted or evicted. */
  | { type: "remove"; isGone(id: string): boolean };

export function reduceSelection(selection: Selection, action: SelectionAction): Selection {
  switch (action.type) {
    case "clear":
      return { active: null, several: new Set() };
    case "select":
      return selected(selection, action.id, action.mode, action.rows);
    case "remove":
      return withoutRemoved(selection, action.isGone);
  }
}

function selected({ active, several }: Selection, id: string, mode: SelectMode, rows: Rows): Selection {
  if (mode === "only" || active === null) return { active: id, several: new Set() };
  const all = new Set(several.size > 0 ? several : [active]);
  if (mode === "toggle") {
    if (!all.delete(id)) all.add(id);
  } else {
    const [from, to] = [rows.rowOf(active), rows.rowOf(id)];
    if (from === -1 || to === -1) return { active: id, several: new Set() };
    const step = from < to ? 1 : -1;
    for (let row = from; row !== to + step && all.size < MAX_SELECTED; row += step) {
      const entry = rows.at(row);
      if (entry) all.add(entry.id);
    }
  }
  return normalized(id, all);
}

function withoutRemoved({ active, several }: Selection, isGone: (id: string) => boolean): Selection {
  const remaining = new Set([...several].filter((id) => !isGone(id)));
  const last = active !== null && isGone(active) ? ([...remaining].at(-1) ?? null) : active;
  return normalized(last, remaining);
}

/** A single row is not a multiple selection. */
function normalized(active: string | null, all: ReadonlySet<string>): Selection {
  if (all.size > 1) return { active, several: all };
  const [only] = all;
  return { active: only ?? active, several: new Set() };
}
