// The keyboard shortcuts of the requests pane and what they do.
import type { RefObject } from "react";
import { useActions } from "./actions";
import type { OpenDialog } from "./RequestDialogs";
import { useShortcuts, type Action } from "./shortcuts";
import type { useSelection } from "./useSelection";

interface ShortcutTargets {
  selection: ReturnType<typeof useSelection>;
  selected: string | null;
  box: RefObject<HTMLInputElement | null>;
  filter: string;
  onFilter(filter: string): void;
  editing: boolean;
  onEdit(editing: boolean): void;
  onTabStep(by: number): void;
  onDialog(dialog: OpenDialog): void;
  onPause(): void;
  focusList(): void;
  close(): void;
  /** Whether single letters act as shortcuts. */
  enabled: boolean;
}

export function useRequestShortcuts(pane: ShortcutTargets): void {
  const { selection, box, filter, onFilter, onDialog } = pane;
  const { replay, copyAs, pin } = useActions();
  const { several, summary, ids, step } = selection;
  const single = several.size === 0 ? summary : undefined;
  const escape = () => {
    if (document.activeElement === box.current && filter !== "") onFilter("");
    else if (document.activeElement === box.current) pane.focusList();
    else if (pane.editing) pane.onEdit(false);
    else if (pane.selected !== null) pane.close();
    else if (filter !== "") onFilter("");
  };
  const actions: Record<Action, () => void> = {
    next: () => step(1),
    previous: () => step(-1),
    extendDown: () => step(1, "range"),
    extendUp: () => step(-1, "range"),
    first: () => step(-Infinity),
    last: () => step(Infinity),
    open: () => document.getElementById("request-title")?.focus(),
    nextTab: () => pane.onTabStep(1),
    previousTab: () => pane.onTabStep(-1),
    replay: () => single && void replay({ id: single.id }),
    edit: () => single && pane.onEdit(true),
    compare: selection.compare,
    copy: () => summary && void copyAs(summary.id, "curl", false),
    pin: () => ids.forEach((id) => void pin(id, !summary?.pinned)),
    note: () => summary && onDialog("note"),
    remove: () => ids.length > 0 && onDialog({ delete: ids }),
    pause: pane.onPause,
    filter: () => box.current?.select(),
    help: () => onDialog("keys"),
    escape,
  };
  useShortcuts((action) => actions[action](), pane.enabled);
}
