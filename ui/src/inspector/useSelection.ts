// The selection of the request list: the active request, several marked ones, and the movements between rows.
import { useEffect, useState } from "react";
import type { ExchangeView } from "../model/exchangeView";
import { reduceSelection, type SelectionAction, type SelectMode } from "../model/selection";
import { useStable } from "../parts/hooks";
import { toast } from "../parts/toast";
import { useAgent, useServices } from "../services";

const NONE: ReadonlySet<string> = new Set();

export function useSelection(
  view: ExchangeView,
  selected: string | null,
  onActive: (id: string | null) => void,
) {
  const { exchanges } = useServices().model;
  const { connection, filling } = useAgent();
  const [multiple, setMultiple] = useState(NONE);
  const current = reduceSelection(
    { active: selected, several: multiple },
    { type: "remove", isGone: (id) => exchanges.find(id) === undefined },
  );
  const { several } = current;
  const summary = selected === null ? undefined : exchanges.find(selected);
  const ids = several.size > 0 ? [...several] : summary ? [summary.id] : [];

  const dispatch = useStable((action: SelectionAction) => {
    const next = reduceSelection({ active: selected, several }, action);
    setMultiple(next.several);
    onActive(next.active);
  });
  const pick = useStable((id: string, mode: SelectMode) =>
    dispatch({ type: "select", id, mode, rows: view }),
  );
  const onSelect = useStable((id: string | null) =>
    id === null ? dispatch({ type: "clear" }) : pick(id, "only"),
  );

  // A deleted or evicted request is deselected; before the list has loaded nothing counts as removed.
  const left = current.active;
  const isRemoved = connection === "live" && !filling && left !== selected;
  useEffect(() => {
    if (isRemoved) onActive(left);
  }, [isRemoved, left, onActive]);

  const step = (by: number, mode: SelectMode = "only") => {
    const row = selected === null ? -1 : view.rowOf(selected);
    const next = view.at(row === -1 ? 0 : Math.min(Math.max(row + by, 0), view.count - 1));
    if (next && mode === "only") onSelect(next.id);
    else if (next && next.id !== selected) pick(next.id, mode);
  };
  /** Compares a request with the one it replays, or with its latest replay. */
  const compare = () => {
    if (!summary || several.size > 1) return;
    const other = summary.replay_of ?? exchanges.replaysOf(summary.id).at(-1);
    if (other !== undefined && exchanges.find(other)) pick(other, "toggle");
    else
      toast({ title: "Select a second request", detail: "Use Ctrl and a click, or Shift and an arrow key." });
  };
  return { several, summary, ids, onSelect, pick, step, compare };
}
