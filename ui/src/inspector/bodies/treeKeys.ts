// The keys of a tree, as those of file managers: move, expand and collapse.
import type { TextRow } from "./reading/rows";

export interface TreeKeyContext {
  move(row: number): void;
  toggle(): void;
  at: number;
  row: TextRow | undefined;
  level(row: number): number | undefined;
  page: number;
  last: number;
}

/** Handles the keys of a tree; false for a key without a meaning here. */
export const TREE_KEYS: Record<string, (scene: TreeKeyContext) => boolean | void> = {
  ArrowDown: ({ move, at }) => move(at + 1),
  ArrowUp: ({ move, at }) => move(at - 1),
  PageDown: ({ move, at, page }) => move(at + page),
  PageUp: ({ move, at, page }) => move(at - page),
  Home: ({ move }) => move(0),
  End: ({ move, last }) => move(last),
  ArrowRight({ row, toggle, move, at }) {
    if (row?.open === false) toggle();
    else if (row?.open) move(at + 1);
  },
  ArrowLeft({ row, toggle, move, at, level }) {
    if (row?.open) return toggle();
    let above = at - 1;
    while (above > 0 && (level(above) ?? 0) >= (row?.level ?? 0)) above -= 1;
    if (row && row.level > 0) move(above);
  },
  Enter: ({ row, toggle }) => (row?.open === null ? false : toggle()),
  " ": ({ row, toggle }) => (row?.open === null ? false : toggle()),
};
