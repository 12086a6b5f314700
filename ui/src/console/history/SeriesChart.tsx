// The frame of a chart over time: scales, a cursor for pointer and keyboard, and the values at the cursor.
import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { timeText, type Slot } from "./series";
import styles from "./SeriesChart.module.css";

export const WIDTH = 720;
export const HEIGHT = 150;
/** Slots that Page Up and Page Down pass. */
const PAGE = 10;

interface SeriesChartProps {
  title: string;
  slots: readonly Slot[];
  /** The labels of the vertical scale: top, middle, bottom. */
  scale: readonly [string, string, string];
  /** The slot at the cursor; null without one. Charts over the same slots share it. */
  at: number | null;
  onMove(at: number | null): void;
  /** The values of a slot in words, and those of all together. */
  words(slot: Slot): string;
  total: string;
  legend: ReactNode;
  /** What is drawn, WIDTH × HEIGHT. */
  children: ReactNode;
}

export function SeriesChart(props: SeriesChartProps) {
  const { title, slots, scale, at, onMove, words, total, legend, children } = props;
  const last = slots.length - 1;
  const chosen = at === null ? undefined : slots[at];
  const readout = chosen ? `${timeText(chosen.at)}: ${words(chosen)}` : total;
  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onMove(within(Math.round(((event.clientX - box.left) / box.width) * last), last));
  };
  const step = (event: KeyboardEvent) => {
    const next = slotOfKey(event.key, at ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
  };
  return (
    <figure className={styles.figure} aria-label={title}>
      <div className={styles.head}>
        <span className={styles.title} aria-hidden="true">
          {title}
        </span>
        {legend}
      </div>
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          {scale.map((label, index) => (
            <span key={index}>{label}</span>
          ))}
        </div>
        <div
          className={styles.picture}
          role="slider"
          tabIndex={0}
          aria-label={`${title}: time`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={at ?? last}
          aria-valuetext={readout}
          onPointerMove={follow}
          onPointerLeave={() => onMove(null)}
          onKeyDown={step}
          onBlur={() => onMove(null)}
        >
          <svg viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`} preserveAspectRatio="none" aria-hidden="true">
            {[0, 0.5, 1].map((share) => (
              <path key={share} className={styles.grid} d={`M0 ${HEIGHT * share}H${WIDTH}`} />
            ))}
            {children}
            {at !== null && last > 0 && (
              <path className={styles.cursor} d={`M${(at / last) * WIDTH} 0V${HEIGHT}`} />
            )}
          </svg>
        </div>
      </div>
      <figcaption className={styles.caption}>
        <span className={styles.ends}>{slots[0] && timeText(slots[0].at)}</span>
        <span className={styles.words}>{readout}</span>
        <span className={styles.ends}>now</span>
      </figcaption>
    </figure>
  );
}

/** The slot that a key leads to; undefined for other keys. */
export function slotOfKey(key: string, at: number, last: number): number | null | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return within(at - 1, last);
    case "ArrowRight":
    case "ArrowUp":
      return within(at + 1, last);
    case "PageDown":
      return within(at - PAGE, last);
    case "PageUp":
      return within(at + PAGE, last);
    case "Home":
      return 0;
    case "End":
      return last;
    case "Escape":
      return null;
    default:
      return undefined;
  }
}

function within(slot: number, last: number): number {
  return Math.max(0, Math.min(last, slot));
}
