// WebSocket messages or server-sent events: one row each, the selected one in full, new ones as they arrive.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { counted, duration, size } from "../../model/format";
import { searchWords } from "../../model/words";
import { Button } from "../../parts/Button";
import { VirtualRows, type VirtualHandle } from "../../parts/VirtualRows";
import { useServices } from "../../services";
import { BodyContent } from "./BodyContent";
import { MemoryBytes } from "./content";
import { matchesWords, Frames, payload, preview, type Frame } from "./frames";
import styles from "./FramesView.module.css";
import { escapeDeceptive } from "./reading/rows";

const NO_HEADERS = [] as const;

export function FramesView({ id, label }: { id: string; label: string }) {
  const { api } = useServices().model;
  const [model, setModel] = useState<Frames | null>(null);
  useEffect(() => {
    const frames = new Frames(api, id);
    // oxlint-disable-next-line react/set-state-in-effect -- the subscription lives as long as this effect
    setModel(frames);
    return frames.start();
  }, [api, id]);
  return model === null ? null : <Listed model={model} label={label} />;
}

function Listed({ model, label }: { model: Frames; label: string }) {
  const snapshot = useSyncExternalStore(model.listen, () => model.snapshot);
  const [filter, setFilter] = useState("");
  const [selected, setSelected] = useState<number | null>(null);
  const [following, setFollowing] = useState(true);
  const rows = useRef<VirtualHandle>(null);
  const shown = useMemo(() => {
    const words = searchWords(filter);
    return words.length === 0
      ? snapshot.frames
      : snapshot.frames.filter((frame) => matchesWords(frame, words));
  }, [snapshot.frames, filter]);
  const count = shown.length;
  useEffect(() => {
    if (following && count > 0) rows.current?.show(count - 1);
  }, [following, count]);

  const at = selected === null ? -1 : shown.findIndex(({ number }) => number === selected);
  const frame = shown[at];
  const move = (to: number) => {
    const next = shown[Math.min(Math.max(to, 0), count - 1)];
    if (!next) return;
    setFollowing(false);
    setSelected(next.number);
    rows.current?.show(shown.indexOf(next));
  };
  const onKey = (event: KeyboardEvent) => {
    const to = MOVES[event.key]?.(at, rows.current?.page() ?? 1, count - 1);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(to);
  };
  return (
    <div className={styles.view}>
      <div className={styles.bar}>
        <input
          type="search"
          aria-label={`Filter ${label}`}
          placeholder="Filter, such as: service error"
          spellCheck={false}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <span className={styles.state} role="status">
          {filter === ""
            ? counted(count, "message")
            : `${count.toLocaleString("en")} of ${counted(snapshot.frames.length, "message")}`}
          {snapshot.dropped > 0 && `, ${snapshot.dropped.toLocaleString("en")} older ones were evicted`}
          {snapshot.loaded && (snapshot.open ? " · open" : " · closed")}
        </span>
        <Button weight="quiet" icon={following ? "pause" : "play"} onClick={() => setFollowing(!following)}>
          {following ? "Stop following" : "Follow"}
        </Button>
      </div>
      {(snapshot.error ?? snapshot.failure) !== null && (
        <p className={styles.failure}>{snapshot.error ?? snapshot.failure}</p>
      )}
      <div className={styles.split} data-chosen={frame !== undefined}>
        <div className={styles.list}>
          {count === 0 ? (
            <p className={styles.none}>
              {!snapshot.loaded
                ? "Loading…"
                : filter === ""
                  ? "No message has been captured yet."
                  : "No message matches the filter."}
            </p>
          ) : (
            <VirtualRows
              handle={rows}
              count={count}
              height={24}
              label={label}
              role="list"
              onKeyDown={onKey}
              onWheel={() => setFollowing(false)}
              onPick={move}
            >
              {(row) => <FrameRow frame={shown[row]} active={row === at} />}
            </VirtualRows>
          )}
        </div>
        {frame !== undefined && <SelectedFrame key={frame.number} frame={frame} />}
      </div>
    </div>
  );
}

const MOVES: Record<string, (at: number, page: number, last: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: (_at, _page, last) => last,
};

const SHOWN = 200;

function FrameRow({ frame, active }: { frame: Frame | undefined; active: boolean }) {
  if (!frame) return null;
  const fromVisitor = frame.from === "visitor";
  const text = preview(frame).slice(0, SHOWN).replaceAll(/\s+/g, " ");
  return (
    <div role="listitem" className={`${styles.row} ${active ? styles.active : ""}`}>
      <span className={styles.number}>{frame.number}</span>
      <span className={fromVisitor ? styles.visitor : styles.service}>
        <span aria-hidden="true">{fromVisitor ? "↑" : "↓"}</span>
        <span className="unseen">{fromVisitor ? "from the visitor" : "from the service"}</span>
      </span>
      <span className={styles.time}>{duration(frame.offset)}</span>
      <span className={styles.kind}>{frame.event?.event ?? frame.kind}</span>
      <span className={styles.size}>{size(frame.length)}</span>
      <span className={styles.text}>
        {escapeDeceptive("plain", text).map(([kind, piece], index) => (
          // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
          <span key={index} className={kind === "odd" ? styles.odd : undefined}>
            {piece}
          </span>
        ))}
      </span>
    </div>
  );
}

function SelectedFrame({ frame }: { frame: Frame }) {
  const source = useMemo(() => new MemoryBytes(payload(frame)), [frame]);
  const facts = [
    frame.event?.id ? `Id ${frame.event.id}.` : "",
    frame.compressed && frame.text === null && !frame.bytes
      ? "Compressed, and an earlier message is missing: the bytes are shown as captured."
      : frame.compressed
        ? "It was compressed."
        : "",
    frame.last ? "" : "The message continues in the next frame.",
  ].filter(Boolean);
  return (
    <section className={styles.chosen} aria-label="The selected message">
      <BodyContent
        source={source}
        headers={NO_HEADERS}
        encoding={null}
        what={`message ${frame.number}`}
        origin={null}
        notes={facts}
        cut={frame.cut}
        depth={1}
      />
    </section>
  );
}
