// The whole inspector: toolbar, list, detail and shortcuts. The main window shows the same pane.
import { useRef, useState, type RefObject } from "react";
import type { Summary } from "../api/types";
import { tunnelName } from "../model/filter";
import type { MenuAction } from "../parts/Menu";
import { useStable, useStored } from "../parts/hooks";
import { useAgent, useServices } from "../services";
import { useActions } from "./actions";
import { EmptyList } from "./EmptyList";
import { RequestDetail, TABS, type DetailTab } from "./RequestDetail";
import { RequestDialogs, type OpenDialog } from "./RequestDialogs";
import { RequestList } from "./RequestList";
import styles from "./RequestsPane.module.css";
import { SelectionPane } from "./SelectionPane";
import { Toolbar } from "./Toolbar";
import { useRequestShortcuts } from "./useRequestShortcuts";
import { useSelection } from "./useSelection";
import { useView } from "./useView";

interface RequestsPaneProps {
  filter: string;
  onFilter(filter: string): void;
  selected: string | null;
  onSelect(id: string | null): void;
}

const TAB_NAMES = TABS.map(({ value }) => value);

export function RequestsPane({ filter, onFilter, selected, onSelect: onActive }: RequestsPaneProps) {
  const { model } = useServices();
  const handle = useView(filter);
  const selection = useSelection(handle.view, selected, onActive);
  const { several, summary, ids, onSelect } = selection;
  const [paused, setPaused] = useState(false);
  const tab = useDetailTab();
  const [letters, setLetters] = useStored("letters", "on", ["on", "off"]);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  /** The request that is being edited; selecting another one closes it. */
  const [edited, setEdited] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const file = useRef<HTMLInputElement>(null);

  const focusList = () => pane.current?.querySelector<HTMLElement>("[role=grid]")?.focus();
  const close = useStable(() => {
    onSelect(null);
    focusList();
  });
  const edit = useStable((editing: boolean) => {
    setEdited(editing ? selected : null);
    if (!editing) focusList();
  });
  const onDelete = useStable((some?: readonly string[]) => setDialog({ delete: some ?? ids }));
  const single = several.size === 0 ? summary : undefined;
  useRequestShortcuts({
    selection,
    selected,
    box,
    filter,
    onFilter,
    editing: edited !== null && edited === selected,
    onEdit: edit,
    onTabStep: tab.step,
    onDialog: setDialog,
    onPause: () => setPaused(!paused),
    focusList,
    close,
    enabled: letters === "on",
  });
  const tunnels = useTunnelNames();
  const follow = useStable(() => setPaused(false));
  const importFile = useStable(() => file.current?.click());

  return (
    <div className={styles.pane} ref={pane} data-detail={summary !== undefined}>
      <Toolbar
        box={box}
        filter={filter}
        onFilter={onFilter}
        handle={handle}
        tunnels={tunnels}
        paused={paused}
        onPause={() => setPaused(!paused)}
        actions={menuActions(setDialog, importFile)}
        onHelp={() => setDialog("keys")}
      />
      <HarFileInput input={file} />
      <div className={styles.split} data-editing={summary !== undefined && edited === summary.id}>
        <div className={styles.list}>
          <RequestList
            handle={handle}
            selected={selected}
            several={several}
            paused={paused}
            onSelect={selection.pick}
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
        <Details
          several={several}
          single={single}
          tab={tab}
          edited={edited}
          onEdit={edit}
          onNote={() => setDialog("note")}
          onDelete={onDelete}
          onSelect={onSelect}
          onClose={close}
        />
      </div>
      <RequestDialogs
        dialog={dialog}
        summary={summary}
        filter={filter}
        handle={handle}
        letters={letters === "on"}
        onLetters={(on) => setLetters(on ? "on" : "off")}
        onClose={() => setDialog(null)}
        onDeleting={focusList}
      />
    </div>
  );
}

interface DetailsProps {
  several: ReadonlySet<string>;
  single: Summary | undefined;
  tab: ReturnType<typeof useDetailTab>;
  edited: string | null;
  onEdit(editing: boolean): void;
  onNote(): void;
  onDelete(some?: readonly string[]): void;
  onSelect(id: string): void;
  onClose(): void;
}

/** Beside the list: the selected requests, or the one that is selected. */
function Details({ several, single, tab, edited, ...actions }: DetailsProps) {
  if (several.size > 1)
    return (
      <div className={styles.detail}>
        <SelectionPane several={several} {...actions} />
      </div>
    );
  if (!single) return null;
  return (
    <div className={styles.detail}>
      <RequestDetail
        key={single.id}
        summary={single}
        tab={tab.name}
        onTab={tab.set}
        onTabs={tab.setAvailable}
        editing={edited === single.id}
        {...actions}
      />
    </div>
  );
}

const menuActions = (open: (dialog: OpenDialog) => void, importFile: () => void): readonly MenuAction[] => [
  { label: "Save as HAR…", icon: "export", run: () => open("export") },
  { label: "Import a HAR file…", icon: "import", run: importFile },
  { label: "Delete all requests", icon: "trash", danger: true, run: () => open("all") },
];

/** The tab of the details, which is remembered. */
function useDetailTab() {
  const [name, setName] = useStored("tab", "overview", TAB_NAMES);
  /** Those of the selected request. */
  const available = useRef<readonly DetailTab[]>(TAB_NAMES);
  const setAvailable = useStable((tabs: readonly DetailTab[]) => {
    available.current = tabs;
  });
  return {
    name,
    set: (next: string) => setName(TAB_NAMES.find((one) => one === next) ?? "overview"),
    setAvailable,
    step: (by: number) => {
      const { current } = available;
      const at = Math.max(current.indexOf(name), 0) + by + current.length;
      setName(current[at % current.length] ?? "overview");
    },
  };
}

/** The names of running tunnels and of those with captured requests. */
function useTunnelNames(): string[] {
  const { exchanges } = useServices().model;
  const { tunnels } = useAgent();
  const captured = exchanges.texts.frequent("tunnel_name", 50).map(tunnelName);
  return [...new Set([...tunnels.map(({ name }) => name), ...captured])];
}

function HarFileInput({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const { importHar } = useActions();
  return (
    <input
      ref={input}
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
  );
}
