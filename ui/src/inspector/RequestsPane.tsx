// The whole of the inspector: toolbar, list, detail and keys. The main window shows the same pane.
import { useEffect, useRef, useState } from "react";
import { tunnelName } from "../model/filter";
import { counted } from "../model/format";
import { choose, without, type Manner } from "../model/selection";
import { Button } from "../parts/Button";
import { Dialog, DialogActions } from "../parts/Dialog";
import { useStored } from "../parts/hooks";
import { attempt, useAgent, useServices } from "../services";
import { EmptyList } from "./EmptyList";
import { KeysDialog } from "./KeysDialog";
import { RequestDetail } from "./RequestDetail";
import { RequestList } from "./RequestList";
import { SelectionPane } from "./SelectionPane";
import styles from "./RequestsPane.module.css";
import { type Action, useShortcuts } from "./shortcuts";
import { Toolbar } from "./Toolbar";
import { useActions } from "./actions";
import { useView } from "./useView";

interface RequestsPaneProps {
  filter: string;
  onFilter(filter: string): void;
  selected: string | null;
  onSelect(id: string | null): void;
}

const NOT_SEVERAL: ReadonlySet<string> = new Set();

export function RequestsPane({ filter, onFilter, selected, onSelect: onActive }: RequestsPaneProps) {
  const { model } = useServices();
  const { tunnels, link } = useAgent();
  const handle = useView(filter);
  const [paused, setPaused] = useState(false);
  const [tab, setTab] = useStored("tab", "overview", ["overview", "request", "response", "headers", "raw"]);
  const [letters, setLetters] = useStored("letters", "on", ["on", "off"]);
  const [asking, setAsking] = useState<"delete" | "keys" | null>(null);
  const { replay, copyCurl } = useActions();
  const box = useRef<HTMLInputElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState(NOT_SEVERAL);
  const chosen = without(
    { active: selected, several: marked },
    (id) => model.exchanges.find(id) === undefined,
  );
  const { several } = chosen;
  const summary = selected === null ? undefined : model.exchanges.find(selected);
  const onSelect = (id: string | null) => {
    setMarked(NOT_SEVERAL);
    onActive(id);
  };
  const pick = (id: string, manner: Manner) => {
    const next = choose({ active: selected, several }, id, manner, handle.view);
    setMarked(next.several);
    onActive(next.active);
  };

  // What was deleted or evicted is closed with its row; before the list was read nothing is known to be gone.
  const left = chosen.active;
  const gone = link === "live" && left !== selected;
  useEffect(() => {
    if (gone) onActive(left);
  }, [gone, left, onActive]);

  const focusList = () => pane.current?.querySelector<HTMLElement>("[role=grid]")?.focus();
  const step = (by: number) => {
    const { view } = handle;
    const row = selected === null ? -1 : view.rowOf(selected);
    const next = view.at(row === -1 ? 0 : Math.min(Math.max(row + by, 0), view.count - 1));
    if (next) onSelect(next.id);
  };
  const act: Record<Action, () => void> = {
    next: () => step(1),
    previous: () => step(-1),
    first: () => step(-Infinity),
    last: () => step(Infinity),
    open: () => document.getElementById("request-title")?.focus(),
    replay: () => summary && void replay(summary.id, null),
    copy: () => summary && void copyCurl(summary.id, false),
    pause: () => setPaused(!paused),
    filter: () => box.current?.select(),
    help: () => setAsking("keys"),
    escape: () => {
      if (document.activeElement === box.current && filter !== "") onFilter("");
      else if (document.activeElement === box.current) focusList();
      else if (selected !== null) {
        onSelect(null);
        focusList();
      } else if (filter !== "") onFilter("");
    },
  };
  useShortcuts((action) => act[action](), letters === "on");

  const names = new Set([...tunnels.map(({ name }) => name), ...recentTunnels(handle)]);
  return (
    <div className={styles.pane} ref={pane} data-detail={summary !== undefined}>
      <Toolbar
        box={box}
        filter={filter}
        onFilter={onFilter}
        handle={handle}
        tunnels={[...names]}
        paused={paused}
        onPause={() => setPaused(!paused)}
        actions={[
          { label: "Delete all requests", icon: "trash", danger: true, run: () => setAsking("delete") },
        ]}
        onHelp={() => setAsking("keys")}
      />
      <div className={styles.split}>
        <div className={styles.list}>
          <RequestList
            handle={handle}
            selected={selected}
            several={several}
            paused={paused}
            onSelect={pick}
            onFollow={() => setPaused(false)}
            empty={
              <EmptyList filtered={filter !== "" && model.exchanges.size > 0} onClear={() => onFilter("")} />
            }
          />
        </div>
        {several.size > 1 && (
          <div className={styles.detail}>
            <SelectionPane
              several={several}
              onClose={() => {
                onSelect(null);
                focusList();
              }}
            />
          </div>
        )}
        {summary && several.size === 0 && (
          <div className={styles.detail}>
            <RequestDetail
              key={summary.id}
              summary={summary}
              tab={tab}
              onTab={(next) => setTab(next as typeof tab)}
              onSelect={onSelect}
              onClose={() => {
                onSelect(null);
                focusList();
              }}
            />
          </div>
        )}
      </div>
      <DeleteDialog open={asking === "delete"} onClose={() => setAsking(null)} />
      <KeysDialog
        open={asking === "keys"}
        letters={letters === "on"}
        onLetters={(on) => setLetters(on ? "on" : "off")}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}

/** Tunnels that no longer exist still have requests; those in sight can be chosen. */
function recentTunnels({ view }: ReturnType<typeof useView>): string[] {
  const names: string[] = [];
  for (let row = 0; row < Math.min(view.count, 200); row += 1) {
    const summary = view.at(row);
    if (summary) names.push(tunnelName(summary.tunnel_name));
  }
  return names;
}

function DeleteDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const { model } = useServices();
  const all = counted(model.exchanges.size, "captured request");
  const confirm = async () => {
    if (await attempt("The requests could not be deleted", () => model.api.deleteAll())) onClose();
  };
  return (
    <Dialog title="Delete all requests?" open={open} onClose={onClose}>
      <p>The agent forgets {all} of all tunnels. This cannot be undone. Tunnels and connections go on.</p>
      <DialogActions>
        <Button onClick={onClose}>Keep them</Button>
        <Button weight="danger" icon="trash" onClick={() => void confirm()}>
          Delete all
        </Button>
      </DialogActions>
    </Dialog>
  );
}
