// The rows of a reading: lines of text, a tree, a table of fields, or a comparison. Search, keys and copying work the
// same way in all of them.
import {
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type RefObject,
} from "react";
import { Button, IconButton } from "../../parts/Button";
import { VirtualRows, type VirtualHandle } from "../../parts/VirtualRows";
import type { ReadingHandle } from "./readingHandle";
import { FindBar } from "./FindBar";
import { RowStatus, type RowPath } from "./RowStatus";
import { ROW_HEIGHTS, RowView, type RowStyle } from "./RowView";
import styles from "./RowsView.module.css";
import { TREE_KEYS } from "./treeKeys";
import { useFindKey } from "./useFindKey";

/** Maximum number of columns at which lines are wrapped. */
const MAX_COLUMNS = 400;
const ROLES = { lines: "region", tree: "tree", fields: "table", changes: "region" } as const;

interface RowsViewProps {
  handle: ReadingHandle;
  rowStyle: RowStyle;
  label: string;
  /** The row to show first, such as the one with a mistake. */
  first?: number | null;
  /** Whether rows can be expanded. */
  folds?: boolean;
}

export function RowsView({
  handle,
  rowStyle,
  label,
  first = null,
  folds = rowStyle === "tree",
}: RowsViewProps) {
  const version = useSyncExternalStore(handle.listen, () => handle.version);
  const rows = useRef<VirtualHandle>(null);
  const { active, path, choose } = useActiveRow(handle, rows, rowStyle, first);
  const fetchVisible = useVisibleRows(handle, version);
  const id = useId();
  const began = useRef(false);
  const { count } = handle;
  const digits = String(count).length;
  const selectable = rowStyle !== "lines";

  const view = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [finding, setFinding] = useState(false);
  const openFind = () => {
    setFinding(true);
    box.current?.select();
  };
  const closeFind = () => {
    setFinding(false);
    handle.find("").catch(() => {});
    view.current?.querySelector<HTMLElement>("[role][tabindex='0']")?.focus();
  };
  useFindKey(view, box, openFind);

  const toggle = (row: number) => {
    handle.toggle(row).catch(() => {});
  };
  const onKey = (event: KeyboardEvent) => {
    const act = selectable ? TREE_KEYS[event.key] : undefined;
    const done = act?.({
      move: choose,
      toggle: () => active !== null && toggle(active),
      at: active ?? -1,
      row: active === null ? undefined : handle.row(active),
      level: (index) => handle.row(index)?.level,
      page: rows.current?.page() ?? 1,
      last: count - 1,
    });
    if (act === undefined || done === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onSight = (from: number, to: number) => {
    fetchVisible(from, to);
    if (began.current || first === null || to === 0) return;
    began.current = true;
    rows.current?.show(first);
  };
  const onPick = (row: number) => {
    if (!selectable) return;
    choose(row);
    if (rowStyle !== "fields" && handle.row(row)?.open !== null) toggle(row);
  };

  return (
    <div className={styles.view} ref={view} data-find="">
      <div className={styles.bar}>
        {selectable && <RowStatus handle={handle} active={path} />}
        <span className={styles.actions}>
          {folds && <FoldButtons handle={handle} isTree={rowStyle === "tree"} />}
          <IconButton
            icon="search"
            label={`Find in ${label} (Ctrl+F)`}
            aria-expanded={finding}
            onClick={() => (finding ? closeFind() : openFind())}
          />
        </span>
      </div>
      {finding && <FindBar handle={handle} label={label} box={box} onRow={choose} onClose={closeFind} />}
      <VirtualRows
        handle={rows}
        count={count}
        height={ROW_HEIGHTS[rowStyle]}
        label={label}
        role={ROLES[rowStyle]}
        onSight={onSight}
        onColumns={(columns) => {
          if (!selectable) handle.wrap(Math.min(columns - digits - 5, MAX_COLUMNS)).catch(() => {});
        }}
        onKeyDown={onKey}
        onPick={onPick}
        {...(rowStyle === "fields" ? { "aria-rowcount": count } : {})}
        {...(rowStyle === "tree" && active !== null ? { "aria-activedescendant": `${id}-${active}` } : {})}
      >
        {(row) => (
          <RowView
            id={`${id}-${row}`}
            row={handle.row(row)}
            number={row}
            rowStyle={rowStyle}
            digits={digits}
            active={row === active}
          />
        )}
      </VirtualRows>
    </div>
  );
}

/** The selected row, if any, and its path. */
function useActiveRow(
  handle: ReadingHandle,
  rows: RefObject<VirtualHandle | null>,
  rowStyle: RowStyle,
  first: number | null,
) {
  const [active, setActive] = useState(first);
  const [path, setPath] = useState<RowPath | null>(null);
  const choose = (row: number) => {
    const target = Math.min(Math.max(row, 0), handle.count - 1);
    setActive(target);
    // After rows that were just expanded have been laid out.
    requestAnimationFrame(() => rows.current?.show(target));
    if (rowStyle === "lines") return;
    handle.path(target).then(
      (found) => setPath({ row: target, path: found }),
      () => setPath(null),
    );
  };
  return { active, path, choose };
}

/** Fetches the visible rows, again after every change of the reading. */
function useVisibleRows(handle: ReadingHandle, version: number) {
  const visible = useRef({ from: 0, to: 0 });
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- every version lacks the rows of the one before
  useEffect(() => handle.fetchRows(visible.current.from, visible.current.to), [handle, version]);
  return (from: number, to: number) => {
    visible.current = { from, to };
    handle.fetchRows(from, to);
  };
}

function FoldButtons({ handle, isTree }: { handle: ReadingHandle; isTree: boolean }) {
  return (
    <>
      <Button weight="quiet" onClick={() => void handle.fold(true)}>
        {isTree ? "Expand all" : "Show all lines"}
      </Button>
      <Button weight="quiet" onClick={() => void handle.fold(false)}>
        {isTree ? "Collapse all" : "Only changes"}
      </Button>
    </>
  );
}
