// The list of captured requests: a grid of any length that renders only the visible rows.
import { memo, useEffect, useRef, useState, type ReactNode } from "react";
import type { Summary } from "../api/types";
import { clock, count, counted, duration, size } from "../model/format";
import { tunnelName } from "../model/filter";
import { maskUrl } from "../model/secrets";
import type { SelectMode } from "../model/selection";
import { Icon, type IconName } from "../parts/Icon";
import { State } from "../parts/State";
import { useRowWindow } from "../parts/useRowWindow";
import styles from "./RequestList.module.css";
import { outcome } from "./outcome";
import type { ViewHandle } from "./useView";

export const ROW_HEIGHT = 32;
const COLUMNS = ["Status", "Method", "Path", "Tunnel", "Time", "Duration", "Size"] as const;
/** What a column shows, where its label cannot say it. */
const MEANINGS: Partial<Record<(typeof COLUMNS)[number], string>> = {
  Duration: "Time at the local service, without the way through the edge and the tunnel",
  Size: "Bytes of the response",
};

interface RequestListProps {
  handle: ViewHandle;
  selected: string | null;
  several: ReadonlySet<string>;
  paused: boolean;
  onSelect(id: string, manner: SelectMode): void;
  onFollow(): void;
  empty: ReactNode;
}

export function RequestList(props: RequestListProps) {
  const { handle, selected, several, paused, onSelect, onFollow, empty } = props;
  const { view, version } = handle;
  const frame = useRef<HTMLDivElement>(null);
  // The header scrolls with the content and sticks above the rows.
  const { space, from, to, top, onScroll, show } = useRowWindow(frame, {
    count: view.count,
    height: ROW_HEIGHT,
    header: ROW_HEIGHT,
  });

  // Rows keep their position while the user reads further down or has paused the list.
  const announce = () => {
    const away = (frame.current?.scrollTop ?? 0) > ROW_HEIGHT / 2;
    if (paused || away) view.hold();
    else view.release();
  };
  useEffect(announce, [paused, view]);

  // Scrolls to a new selection and keeps it visible when the height changes; new rows do not scroll.
  useEffect(() => {
    if (selected === null || !frame.current) return undefined;
    const showSelected = () => {
      const row = view.rowOf(selected);
      if (row >= 0) show(row);
    };
    showSelected();
    const observer = new ResizeObserver(showSelected);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [selected, view, show]);

  const follow = () => {
    if (frame.current) frame.current.scrollTop = 0;
    view.release();
    onFollow();
  };
  const active = selected !== null && view.rowOf(selected) >= 0 ? `request-${selected}` : undefined;

  const rows: ReactNode[] = [];
  for (let row = from; row < to; row += 1) {
    const summary = view.at(row);
    if (!summary) continue;
    rows.push(
      <Row
        // Elements of rows that leave are reused for rows that enter. A remaining row keeps its
        // distance from the oldest one and therefore its element when new rows push it down.
        key={(view.count - row) % (to - from)}
        summary={summary}
        index={row}
        top={top(row)}
        selected={several.size > 0 ? several.has(summary.id) : summary.id === selected}
        onSelect={onSelect}
      />,
    );
  }

  return (
    <div className={styles.list} data-version={version} data-stale={handle.problem !== null || undefined}>
      <div
        ref={frame}
        className={styles.frame}
        role="grid"
        aria-label="Requests"
        aria-multiselectable
        aria-rowcount={view.count + 1}
        aria-colcount={COLUMNS.length}
        aria-activedescendant={active}
        tabIndex={0}
        onScroll={() => {
          onScroll();
          announce();
        }}
      >
        <div className={`${styles.row} ${styles.header}`} role="row" aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <span
              key={column}
              role="columnheader"
              className={styles[column.toLowerCase()]}
              title={MEANINGS[column]}
            >
              {column}
            </span>
          ))}
        </div>
        <div className={styles.space} role="rowgroup" style={{ height: space }}>
          {rows}
        </div>
      </div>
      {view.count === 0 && view.waiting === 0 && <div className={styles.empty}>{empty}</div>}
      {view.waiting > 0 && (
        <button type="button" className={styles.pill} onClick={follow}>
          <Icon name="arrow" size={14} />
          {count(view.waiting)} new
        </button>
      )}
      <Announcement words={view.waiting > 0 ? "New requests" : counted(roughly(view.count), "request")} />
    </div>
  );
}

/** Limits announcements: a busy list would otherwise talk without end. */
function Announcement({ words }: { words: string }) {
  const [announced, setAnnounced] = useState(words);
  const latest = useRef(words);
  useEffect(() => {
    latest.current = words;
  });
  useEffect(() => {
    const timer = setInterval(() => setAnnounced(latest.current), 3000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="unseen" role="status">
      {announced}
    </p>
  );
}

/** Announces the number of requests at intervals. */
function roughly(rows: number): number {
  return rows < 10 ? rows : Math.floor(rows / 100) * 100 || 10;
}

interface RowProps {
  summary: Summary;
  index: number;
  top: number;
  selected: boolean;
  onSelect(id: string, manner: SelectMode): void;
}

/** Ctrl toggles one row, Shift extends the range. */
function selectModeOf(event: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): SelectMode {
  if (event.shiftKey) return "range";
  return event.ctrlKey || event.metaKey ? "toggle" : "only";
}

function Row({ summary, index, top, selected, onSelect }: RowProps) {
  return (
    // Keys act on the grid as a whole, which has the focus and names its active row.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={`request-${summary.id}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      className={`${styles.row} ${styles.exchange}`}
      style={{ transform: `translateY(${top}px)` }}
      // The list may move between press and release, so the press selects.
      onPointerDown={(event) => event.button === 0 && onSelect(summary.id, selectModeOf(event))}
      // A click without a pointer comes from assistive technology.
      onClick={(event) => event.detail === 0 && onSelect(summary.id, "only")}
    >
      <Cells summary={summary} />
    </div>
  );
}

/** Rendered again only for another request or when this one has changed. */
const Cells = memo(function Cells({ summary }: { summary: Summary }) {
  const { tone, icon, short, words } = outcome(summary);
  return (
    <>
      <span role="gridcell" className={styles.status} title={words}>
        <State tone={tone} icon={icon}>
          {short}
        </State>
      </span>
      <span role="gridcell" className={styles.method}>
        {summary.method}
      </span>
      <span role="gridcell" className={styles.path} title={`${summary.host}${maskUrl(summary.path)}`}>
        {summary.pinned && <Mark icon="pin" words="Pinned" />}
        {summary.replay_of !== null && <Mark icon="replay" words="Replayed" />}
        {summary.imported && <Mark icon="import" words="From a file" />}
        <span className={styles.target}>{maskUrl(summary.path)}</span>
        {summary.note && <span className={styles.note}>{summary.note}</span>}
        {summary.cut && <span className={styles.cut}>truncated</span>}
      </span>
      <span role="gridcell" className={styles.tunnel}>
        {tunnelName(summary.tunnel_name)}
      </span>
      <span role="gridcell" className={styles.time}>
        {clock(summary.start)}
      </span>
      <span role="gridcell" className={styles.duration}>
        {duration(summary.duration)}
      </span>
      <span role="gridcell" className={styles.size}>
        {size(summary.response_size)}
      </span>
    </>
  );
});

function Mark({ icon, words }: { icon: IconName; words: string }) {
  return (
    <span className={styles.mark} title={words}>
      <Icon name={icon} size={13} />
      <span className="unseen">{words}</span>
    </span>
  );
}
