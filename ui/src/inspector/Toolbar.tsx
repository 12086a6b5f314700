// Above the list: the filter box, shortcuts to usual filters, pause, delete, help.
import type { RefObject } from "react";
import type { ViewHandle } from "./useView";
import { setTerm, toggleTerm, valueOf, words } from "../model/filter";
import { counted } from "../model/format";
import { Button, IconButton } from "../parts/Button";
import { Icon } from "../parts/Icon";
import styles from "./Toolbar.module.css";

const USUAL = [
  { term: "is:error", label: "Errors" },
  { term: "dur>1s", label: "Slow" },
  { term: "is:replay", label: "Replays" },
] as const;

interface ToolbarProps {
  box: RefObject<HTMLInputElement | null>;
  filter: string;
  onFilter(filter: string): void;
  handle: ViewHandle;
  tunnels: readonly string[];
  paused: boolean;
  onPause(): void;
  onDelete(): void;
  onHelp(): void;
}

export function Toolbar({
  box,
  filter,
  onFilter,
  handle,
  tunnels,
  paused,
  onPause,
  onDelete,
  onHelp,
}: ToolbarProps) {
  const present = words(filter);
  return (
    <div className={styles.toolbar} role="search" aria-label="Requests">
      <div className={styles.box}>
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label="Filter requests"
          aria-describedby={handle.unknown.length > 0 ? "filter-unknown" : undefined}
          placeholder="Filter: text, status:5xx, method:POST…"
          spellCheck={false}
          autoComplete="off"
          value={filter}
          onChange={(event) => onFilter(event.target.value)}
        />
        {filter !== "" && <IconButton label="Clear the filter" icon="close" onClick={() => onFilter("")} />}
      </div>
      <div className={styles.usual}>
        {USUAL.map(({ term, label }) => (
          <Button
            key={term}
            className={styles.chip}
            aria-pressed={present.includes(term)}
            onClick={() => onFilter(toggleTerm(filter, term))}
          >
            {label}
          </Button>
        ))}
        {tunnels.length > 1 && (
          <select
            className={styles.tunnels}
            aria-label="Tunnel"
            value={valueOf(filter, "tunnel") ?? ""}
            onChange={(event) => onFilter(setTerm(filter, "tunnel", event.target.value || null))}
          >
            <option value="">All tunnels</option>
            {tunnels.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
      <div className={styles.right}>
        <span className={styles.count}>{counted(handle.view.count + handle.view.waiting, "request")}</span>
        <Button
          weight="quiet"
          icon={paused ? "play" : "pause"}
          aria-pressed={paused}
          title="Pause or follow (p)"
          onClick={onPause}
        >
          <span className={styles.word}>{paused ? "Follow" : "Pause"}</span>
        </Button>
        <IconButton label="Delete all requests" icon="trash" onClick={onDelete} />
        <IconButton label="Keys" icon="question" onClick={onHelp} />
      </div>
      {handle.unknown.length > 0 && (
        <p id="filter-unknown" className={styles.unknown} role="status">
          <Icon name="alert" size={14} />
          Not understood and ignored: {handle.unknown.join(" ")}
        </p>
      )}
    </div>
  );
}
