// Any number of text lines with numbers and colours; only those in sight are in the page.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, type ReactNode } from "react";
import type { Line } from "../model/lines";
import styles from "./Lines.module.css";

const ROW = 19;

export function Lines({ lines, label }: { lines: readonly Line[]; label: string }) {
  const digits = String(lines.length).length;
  return (
    <Rows count={lines.length} label={label} wrap>
      {(row) => {
        const line = lines[row];
        return (
          <>
            <span className={styles.count} style={{ minWidth: `${digits}ch` }} aria-hidden="true">
              {line?.number ?? ""}
            </span>
            <span className={styles.text}>
              {line?.tokens.map(([kind, text], index) => (
                // oxlint-disable-next-line react/no-array-index-key -- tokens of a line have no other identity
                <span key={index} className={styles[kind]}>
                  {text}
                </span>
              ))}
            </span>
          </>
        );
      }}
    </Rows>
  );
}

interface RowsProps {
  count: number;
  label: string;
  /** Rows may be higher than one line and are measured. */
  wrap?: boolean;
  children: (row: number) => ReactNode;
}

/** The scrolling frame: short texts are laid out at once, long ones row by row as they come into sight. */
export function Rows({ count, label, wrap = false, children }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  return (
    <div ref={frame} className={styles.frame} role="region" aria-label={label} tabIndex={0}>
      <div className={styles.space} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            data-index={item.index}
            ref={wrap ? virtual.measureElement : undefined}
            className={`${styles.line} ${wrap ? styles.wrap : ""}`}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {children(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
