// Single-key shortcuts of the request list. They can be turned off and never act while the user types.
import { useEffect, useRef } from "react";

export interface Shortcut {
  keys: readonly string[];
  does: string;
  /** For keys that are not letters: only with Shift, or only without. */
  shift?: boolean;
}

export const SHORTCUTS: Record<Action, Shortcut> = {
  next: { keys: ["j", "ArrowDown"], does: "Next request" },
  previous: { keys: ["k", "ArrowUp"], does: "Previous request" },
  extendDown: { keys: ["J", "ArrowDown"], does: "Extend the selection down", shift: true },
  extendUp: { keys: ["K", "ArrowUp"], does: "Extend the selection up", shift: true },
  first: { keys: ["Home"], does: "Newest request" },
  last: { keys: ["End"], does: "Oldest request" },
  open: { keys: ["Enter"], does: "Go to the details" },
  nextTab: { keys: ["]"], does: "Next tab of the details" },
  previousTab: { keys: ["["], does: "Previous tab of the details" },
  replay: { keys: ["r"], does: "Replay the request" },
  edit: { keys: ["e"], does: "Edit and replay" },
  compare: { keys: ["d"], does: "Compare with its replay, or with the replayed request" },
  copy: { keys: ["c"], does: "Copy the request as curl" },
  pin: { keys: ["m"], does: "Pin or unpin" },
  note: { keys: ["n"], does: "Write a note" },
  remove: { keys: ["Delete"], does: "Delete the selected requests" },
  pause: { keys: ["p"], does: "Pause or follow the list" },
  filter: { keys: ["/"], does: "Go to the filter" },
  help: { keys: ["?"], does: "Show these shortcuts" },
  escape: { keys: ["Escape"], does: "Close the details, clear the filter" },
};

export type Action =
  | "next"
  | "previous"
  | "extendDown"
  | "extendUp"
  | "first"
  | "last"
  | "open"
  | "nextTab"
  | "previousTab"
  | "replay"
  | "edit"
  | "compare"
  | "copy"
  | "pin"
  | "note"
  | "remove"
  | "pause"
  | "filter"
  | "help"
  | "escape";

/** Elements in which keys have a meaning of their own. */
const TYPING = "input, textarea, select, [contenteditable=true]";
const OWN_ARROWS = "[role=tree], [role=tablist], [role=menu], [role=region], [role=dialog], [role=separator]";
const PRESSED = "button, a, [role=tab], [role=treeitem], [role=menuitem]";

export function actionFor(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey"> & { shiftKey?: boolean },
  target: Element | null,
  letters: boolean,
): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const found = (Object.keys(SHORTCUTS) as Action[]).find((action) => {
    const { keys, shift = false } = SHORTCUTS[action];
    return keys.includes(event.key) && (event.key.length === 1 || shift === (event.shiftKey ?? false));
  });
  if (!found || target?.closest("[role=dialog], [role=menu]")) return null;
  const letter = event.key.length === 1;
  if (letter && !letters) return null;
  if (event.key === "Escape") return found;
  if (target?.closest(TYPING)) return null;
  if (!letter && target?.closest(OWN_ARROWS)) return null;
  if (event.key === "Enter" && target?.closest(PRESSED)) return null;
  return found;
}

export function useShortcuts(act: (action: Action) => void, letters: boolean): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const action = actionFor(event, event.target instanceof Element ? event.target : null, letters);
      if (action === null) return;
      event.preventDefault();
      latest.current(action);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [letters]);
}
