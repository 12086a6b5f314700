// The whole inspector: toolbar, list, detail and shortcuts. The main window shows the same pane.
import { useEffect, useRef, useState } from "react";
import { tunnelName } from "../model/filter";
import { select, withoutRemoved, type SelectMode } from "../model/selection";
import { useStable, useStored } from "../parts/hooks";
import { toast } from "../parts/toast";
import { useAgent, useServices } from "../services";
import { useActions } from "./actions";
import { DeleteAllDialog, DeleteSomeDialog, ExportDialog, NoteDialog } from "./Dialogs";
import { EmptyList } from "./EmptyList";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { RequestDetail, TABS } from "./RequestDetail";
import { RequestList } from "./RequestList";
import styles from "./RequestsPane.module.css";
import { SelectionPane } from "./SelectionPane";
import { type Action, useShortcuts } from "./shortcuts";
import { Toolbar } from "./Toolbar";
import { useView } from "./useView";

interface RequestsPaneProps {
  filter: string;
  onFilter(filter: string): void;
  selected: string | null;
  onSelect(id: string | null): void;
}

type OpenDialog = "all" | "keys" | "export" | "note" | { delete: readonly string[] };

const NONE: ReadonlySet<string> = new Set();
const TAB_NAMES = TABS.map(({ value }) => value);

export function RequestsPane({ filter, onFilter, selected, onSelect: onActive }: RequestsPaneProps) {
  const { model } = useServices();
  const { tunnels, connection: link, filling } = useAgent();
  const handle = useView(filter);
  const [paused, setPaused] = useState(false);
  const [tab, setTab] = useStored("tab", "overview", TAB_NAMES);
  const [letters, setLetters] = useStored("letters", "on", ["on", "off"]);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  /** The request that is being edited; selecting another one closes it. */
  const [edited, setEdited] = useState<string | null>(null);
  const { replay, copyAs, pin, annotate, remove, importHar } = useActions();
  const box = useRef<HTMLInputElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [multiple, setMultiple] = useState(NONE);
  const current = withoutRemoved(
    { active: selected, several: multiple },
    (id) => model.exchanges.find(id) === undefined,
  );
  const { several } = current;
  const summary = selected === null ? undefined : model.exchanges.find(selected);
  const ids = several.size > 0 ? [...several] : summary ? [summary.id] : [];

  const onSelect = useStable((id: string | null) => {
    setMultiple(NONE);
    onActive(id);
  });
  const pick = useStable((id: string, manner: SelectMode) => {
    const next = select({ active: selected, several }, id, manner, handle.view);
    setMultiple(next.several);
    onActive(next.active);
  });

  // A deleted or evicted request is deselected; before the list has loaded nothing counts as removed.
  const left = current.active;
  const isRemoved = link === "live" && !filling && left !== selected;
  useEffect(() => {
    if (isRemoved) onActive(left);
  }, [isRemoved, left, onActive]);

  const focusList = () => pane.current?.querySelector<HTMLElement>("[role=grid]")?.focus();
  const close = useStable(() => {
    onSelect(null);
    focusList();
  });
  const edit = useStable((editing: boolean) => {
    setEdited(editing ? selected : null);
    if (!editing) focusList();
  });
  const openDialog = useStable(setDialog);
  const onDelete = useStable((some?: readonly string[]) => setDialog({ delete: some ?? ids }));
  const onTab = useStable((next: string) => setTab(TAB_NAMES.find((name) => name === next) ?? "overview"));

  const step = (by: number, manner: SelectMode = "only") => {
    const { view } = handle;
    const row = selected === null ? -1 : view.rowOf(selected);
    const next = view.at(row === -1 ? 0 : Math.min(Math.max(row + by, 0), view.count - 1));
    if (next && manner === "only") onSelect(next.id);
    else if (next && next.id !== selected) pick(next.id, manner);
  };
  const moveTab = (by: number) => {
    const at = TAB_NAMES.indexOf(tab) + by + TAB_NAMES.length;
    setTab(TAB_NAMES[at % TAB_NAMES.length] ?? "overview");
  };
  /** Compares a request with the one it replays, or with its latest replay. */
  const compare = () => {
    if (!summary || several.size > 1) return;
    const other = summary.replay_of ?? model.exchanges.replaysOf(summary.id).at(-1);
    if (other !== undefined && model.exchanges.find(other)) pick(other, "toggle");
    else
      toast({ title: "Select a second request", detail: "Use Ctrl and a click, or Shift and an arrow key." });
  };
  const actions: Record<Action, () => void> = {
    next: () => step(1),
    previous: () => step(-1),
    extendDown: () => step(1, "range"),
    extendUp: () => step(-1, "range"),
    first: () => step(-Infinity),
    last: () => step(Infinity),
    open: () => document.getElementById("request-title")?.focus(),
    nextTab: () => moveTab(1),
    previousTab: () => moveTab(-1),
    replay: () => summary && several.size === 0 && void replay({ id: summary.id }),
    edit: () => summary && several.size === 0 && setEdited(summary.id),
    compare,
    copy: () => summary && void copyAs(summary.id, "curl", false),
    pin: () => ids.forEach((id) => void pin(id, !summary?.pinned)),
    note: () => summary && setDialog("note"),
    remove: () => ids.length > 0 && setDialog({ delete: ids }),
    pause: () => setPaused(!paused),
    filter: () => box.current?.select(),
    help: () => setDialog("keys"),
    escape: () => {
      if (document.activeElement === box.current && filter !== "") onFilter("");
      else if (document.activeElement === box.current) focusList();
      else if (edited !== null && edited === selected) edit(false);
      else if (selected !== null) close();
      else if (filter !== "") onFilter("");
    },
  };
  useShortcuts((action) => actions[action](), letters === "on");

  const names = new Set([
    ...tunnels.map(({ name }) => name),
    ...model.exchanges.texts.frequent("tunnel_name", 50).map(tunnelName),
  ]);
  const follow = useStable(() => setPaused(false));
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
          { label: "Save as HAR…", icon: "export", run: () => openDialog("export") },
          { label: "Import a HAR file…", icon: "import", run: () => file.current?.click() },
          { label: "Delete all requests", icon: "trash", danger: true, run: () => openDialog("all") },
        ]}
        onHelp={() => openDialog("keys")}
      />
      <input
        ref={file}
        type="file"
        hidden
        aria-label="HAR file"
        accept=".har,application/json"
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) void importHar(chosen);
          event.target.value = "";
        }}
      />
      <div className={styles.split} data-editing={summary !== undefined && edited === summary.id}>
        <div className={styles.list}>
          <RequestList
            handle={handle}
            selected={selected}
            several={several}
            paused={paused}
            onSelect={pick}
            onFollow={follow}
            empty={
              <EmptyList
                filtered={filter !== "" && model.exchanges.size > 0}
                searching={handle.done < 1 && handle.problem === null}
                onClear={() => onFilter("")}
              />
            }
          />
        </div>
        {several.size > 1 && (
          <div className={styles.detail}>
            <SelectionPane several={several} onClose={close} onSelect={onSelect} onDelete={onDelete} />
          </div>
        )}
        {summary && several.size === 0 && (
          <div className={styles.detail}>
            <RequestDetail
              key={summary.id}
              summary={summary}
              tab={tab}
              onTab={onTab}
              editing={edited === summary.id}
              onEdit={edit}
              onNote={() => openDialog("note")}
              onDelete={onDelete}
              onSelect={onSelect}
              onClose={close}
            />
          </div>
        )}
      </div>
      <DeleteAllDialog open={dialog === "all"} onClose={() => setDialog(null)} />
      {typeof dialog === "object" && dialog !== null && (
        <DeleteSomeDialog
          ids={dialog.delete}
          onClose={() => setDialog(null)}
          onConfirm={() => {
            setDialog(null);
            void remove(dialog.delete);
            focusList();
          }}
        />
      )}
      {dialog === "export" && (
        <ExportDialog
          filter={handle.problem === null ? filter : ""}
          shown={handle.view.count + handle.view.waiting}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "note" && summary && (
        <NoteDialog
          note={summary.note ?? ""}
          onClose={() => setDialog(null)}
          onSave={(note) => void annotate(summary.id, note).then((saved) => saved && setDialog(null))}
        />
      )}
      <ShortcutsDialog
        open={dialog === "keys"}
        letters={letters === "on"}
        onLetters={(on) => setLetters(on ? "on" : "off")}
        onClose={() => setDialog(null)}
      />
    </div>
  );
}
