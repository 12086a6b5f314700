// The rows of a reading: lines of text, a tree, a table of fields, or a comparison. Search, keys and copying work the
// same way in all of them.
import { useId, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Pager } from "../../parts/Pager";
import { MAX_ROWS, VirtualRows, type VirtualHandle } from "../../parts/VirtualRows";
import { useCopy } from "../../services";
import type { ReadingHandle } from "./readingHandle";
import { FindBar } from "./FindBar";
import styles from "./RowsView.module.css";
import type { TextRow, DiffSign } from "./reading/rows";

const ROW_HEIGHTS = { lines: 19, tree: 21, fields: 24, changes: 20 } as const;
const MAX_INDENT = 40;
const SIGN_LABELS: Record<DiffSign, { mark: string; word: string }> = {
  added: { mark: "+", word: "added" },
  removed: { mark: "−", word: "removed" },
  changed: { mark: "~", word: "changed" },
};

interface RowsViewProps {
  handle: ReadingHandle;
  rowStyle: keyof typeof ROW_HEIGHTS;
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
  useSyncExternalStore(handle.listen, () => handle.version);
  const rows = useRef<VirtualHandle>(null);
  const [page, setPage] = useState(first === null ? 0 : Math.floor(first / MAX_ROWS));
  const [active, setActive] = useState(first);
  const [path, setPath] = useState<{ row: number; path: string | null } | null>(null);
  const copy = useCopy();
  const id = useId();
  const began = useRef(false);
  const start = page * MAX_ROWS;
  const count = Math.min(handle.count - start, MAX_ROWS);
  const digits = String(handle.count).length;

  const choose = (row: number) => {
    const target = Math.min(Math.max(row, 0), handle.count - 1);
    setActive(target);
    setPage(Math.floor(target / MAX_ROWS));
    // After the page and the rows have been laid out.
    requestAnimationFrame(() => rows.current?.show(target % MAX_ROWS));
    if (rowStyle !== "lines")
      handle.path(target).then(
        (found) => setPath({ row: target, path: found }),
        () => setPath(null),
      );
  };
  const toggle = (row: number) => {
    handle.toggle(row).catch(() => {});
  };
  const onKey = (event: KeyboardEvent) => {
    if (rowStyle === "lines") return;
    const at = active ?? -1;
    const row = active === null ? undefined : handle.row(active);
    const act = TREE_KEYS[event.key];
    const done = act?.({
      move: choose,
      toggle: () => active !== null && toggle(active),
      at,
      row,
      level: (index) => handle.row(index)?.level,
      page: rows.current?.page() ?? 1,
      last: handle.count - 1,
    });
    if (act === undefined || done === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const visibleRange = (from: number, to: number) => {
    handle.fetchRows(start + from, start + to);
    if (!began.current && first !== null && to > 0) {
      began.current = true;
      rows.current?.show(first % MAX_ROWS);
    }
  };
  const role = rowStyle === "tree" ? "tree" : rowStyle === "fields" ? "table" : "region";

  return (
    <div className={styles.view}>
      <FindBar
        handle={handle}
        label={label}
        onRow={choose}
        actions={
          folds ? (
            <>
              <Button weight="quiet" onClick={() => void handle.fold(true)}>
                {rowStyle === "tree" ? "Expand all" : "Show all lines"}
              </Button>
              <Button weight="quiet" onClick={() => void handle.fold(false)}>
                {rowStyle === "tree" ? "Collapse all" : "Only changes"}
              </Button>
            </>
          ) : null
        }
      />
      {rowStyle !== "lines" && (
        <div className={styles.status}>
          {path === null ? (
            <span className={styles.hint}>Select a row to copy its value or its path.</span>
          ) : (
            <bdi className={styles.path}>{(path.path ?? "").slice(0, 2_000)}</bdi>
          )}
          {path !== null && path.path !== null && (
            <Button weight="quiet" icon="copy" onClick={() => void copy(path.path ?? "", "Path")}>
              Copy path
            </Button>
          )}
          {path !== null && (
            <Button
              weight="quiet"
              icon="copy"
              onClick={() =>
                void handle.text(path.row).then(
                  (text) => copy(text, "Value"),
                  () => {},
                )
              }
            >
              Copy value
            </Button>
          )}
        </div>
      )}
      <Pager
        what={label}
        page={page}
        pages={Math.ceil(handle.count / MAX_ROWS)}
        shown={`Rows ${(start + 1).toLocaleString("en")} to ${(start + count).toLocaleString("en")}`}
        onPage={(next) => {
          setPage(next);
          rows.current?.show(0);
        }}
      />
      <VirtualRows
        key={page}
        handle={rows}
        count={count}
        height={ROW_HEIGHTS[rowStyle]}
        label={label}
        role={role}
        onSight={visibleRange}
        onColumns={(columns) => {
          if (rowStyle === "lines") handle.wrap(Math.min(columns - digits - 5, 400)).catch(() => {});
        }}
        onKeyDown={onKey}
        onPick={(index) => {
          if (rowStyle === "lines") return;
          choose(start + index);
          if (rowStyle !== "fields" && handle.row(start + index)?.open !== null) toggle(start + index);
        }}
        {...(role === "table" ? { "aria-rowcount": handle.count } : {})}
        {...(rowStyle === "tree" && active !== null ? { "aria-activedescendant": `${id}-${active}` } : {})}
      >
        {(index) => {
          const number = start + index;
          return (
            <RowView
              id={`${id}-${number}`}
              row={handle.row(number)}
              number={number}
              rowStyle={rowStyle}
              digits={digits}
              active={number === active}
            />
          );
        }}
      </VirtualRows>
    </div>
  );
}

interface TreeKeyContext {
  move(row: number): void;
  toggle(): void;
  at: number;
  row: TextRow | undefined;
  level(row: number): number | undefined;
  page: number;
  last: number;
}

/** Handles the keys of a tree; false for a key without a meaning here. */
const TREE_KEYS: Record<string, (scene: TreeKeyContext) => boolean | void> = {
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

interface RowViewProps {
  id: string;
  row: TextRow | undefined;
  number: number;
  rowStyle: keyof typeof ROW_HEIGHTS;
  digits: number;
  active: boolean;
}

function RowView({ id, row, number, rowStyle, digits, active }: RowViewProps) {
  const tokens = row?.tokens.map(([kind, text, hit], index) => (
    // oxlint-disable-next-line react/no-array-index-key -- tokens of a row have no other identity
    <span key={index} className={`${styles[kind] ?? ""} ${hit ? styles.hit : ""}`}>
      {text}
    </span>
  ));
  if (rowStyle === "lines")
    return (
      <div className={styles.line}>
        <span className={styles.count} style={{ minWidth: `${digits}ch` }} aria-hidden="true">
          {row?.number ?? ""}
        </span>
        <span className={styles.text}>{tokens}</span>
      </div>
    );
  const selectedClass = active ? styles.active : "";
  if (rowStyle === "fields") {
    const cut = row?.tokens.findIndex(([kind, text]) => kind === "mark" && text === "\t") ?? -1;
    return (
      <div className={`${styles.field} ${selectedClass}`} role="row" aria-rowindex={number + 1}>
        <span role="rowheader" className={styles.name}>
          {tokens?.slice(0, cut)}
        </span>
        <span role="cell" className={styles.value}>
          {tokens?.slice(cut + 1)}
        </span>
      </div>
    );
  }
  if (rowStyle === "changes") {
    const sign = row?.sign ? SIGN_LABELS[row.sign] : null;
    return (
      <div className={`${styles.line} ${row?.sign ? styles[row.sign] : ""} ${selectedClass}`}>
        <span className={styles.count} style={{ minWidth: `${digits}ch` }} aria-hidden="true">
          {row?.number ?? ""}
        </span>
        <span className={styles.sign}>
          <span aria-hidden="true">{sign?.mark ?? " "}</span>
          {sign && <span className="unseen">{sign.word}</span>}
        </span>
        <span className={styles.text}>{tokens}</span>
      </div>
    );
  }
  const level = row?.level ?? 0;
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={level + 1}
      aria-selected={active}
      aria-expanded={row?.open ?? undefined}
      // The text has not arrived from the worker yet.
      aria-label={row === undefined ? "Loading" : undefined}
      className={`${styles.item} ${selectedClass}`}
      style={{ paddingLeft: 10 + Math.min(level, MAX_INDENT) * 16 }}
    >
      <span className={`${styles.twist} ${row?.open ? styles.open : ""}`}>
        {row !== undefined && row.open !== null && <Icon name="chevron" size={12} />}
      </span>
      {level > MAX_INDENT && <span className={styles.mark}>{`level ${level.toLocaleString("en")} `}</span>}
      <span className={styles.text}>{tokens}</span>
    </div>
  );
}
