// Searches a reading and moves between the results.
import { useEffect, useRef, useState, type RefObject } from "react";
import { IconButton } from "../../parts/Button";
import type { ReadingHandle } from "./readingHandle";
import { NO_MATCHES, type SearchResult } from "./reading/rows";
import styles from "./RowsView.module.css";

const DEBOUNCE_MS = 200;

interface FindBarProps {
  handle: ReadingHandle;
  label: string;
  box: RefObject<HTMLInputElement | null>;
  onRow(row: number): void;
  onClose(): void;
}

export function FindBar({ handle, label, box, onRow, onClose }: FindBarProps) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ text: string; at: number; found: SearchResult }>({
    text: "",
    at: 0,
    found: NO_MATCHES,
  });
  useEffect(() => box.current?.focus(), [box]);
  const latest = useRef(onRow);
  useEffect(() => {
    latest.current = onRow;
  });
  useEffect(() => {
    if (text === found.text) return undefined;
    let active = true;
    const timer = setTimeout(() => {
      handle.find(text).then(
        async (next) => {
          if (!active) return;
          setFound({ text, at: 0, found: next });
          if (next.count > 0) latest.current(await handle.show(0));
        },
        () => {},
      );
    }, DEBOUNCE_MS);
    return () => {
      active = false;
      clearTimeout(timer);
    };
  }, [handle, text, found.text]);

  const { count, more } = found.found;
  const step = (by: number) => {
    if (count === 0) return;
    const at = (found.at + by + count) % count;
    setFound({ ...found, at });
    handle.show(at).then(onRow, () => {});
  };
  return (
    <div className={styles.find}>
      <input
        ref={box}
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <span className={styles.findings} aria-live="polite">
        {found.text !== "" &&
          (count === 0
            ? "Not found"
            : `${(found.at + 1).toLocaleString("en")} of ${count.toLocaleString("en")}${more ? " or more" : ""}`)}
      </span>
      {count > 0 && (
        <>
          <IconButton label="Previous result" icon="back" onClick={() => step(-1)} />
          <IconButton label="Next result" icon="arrow" onClick={() => step(1)} />
        </>
      )}
      <IconButton className={styles.close} label="Close the search" icon="close" onClick={onClose} />
    </div>
  );
}
