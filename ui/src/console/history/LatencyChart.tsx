// Percentiles of the latency over time; the lines differ by their dashes as well as by color.
import { useMemo } from "react";
import type { TrafficInterval } from "../../api/generated";
import { ceiling, line, linePoints } from "../overview/chart";
import { HEIGHT, SeriesChart, WIDTH } from "./SeriesChart";
import { PERCENTILES, latencyOf, latencyText, type Slot } from "./series";
import styles from "./SeriesChart.module.css";

interface LatencyChartProps {
  slots: readonly Slot[];
  total: TrafficInterval;
  at: number | null;
  onMove(at: number | null): void;
}

export function LatencyChart({ slots, total, at, onMove }: LatencyChartProps) {
  const { top, lines } = useMemo(() => percentileLines(slots), [slots]);
  return (
    <SeriesChart
      title="Latency"
      slots={slots}
      scale={[latencyOf(top), latencyOf(top / 2), "0"]}
      at={at}
      onMove={onMove}
      words={({ traffic }) => latencyText(traffic) || "none"}
      total={latencyText(total)}
      legend={
        <ul className={styles.legend} aria-label="Legend">
          {PERCENTILES.map((name) => (
            <li key={name}>
              <svg className={styles.swatch} aria-hidden="true">
                <path className={`${styles.percentile} ${styles[name]}`} d="M0 6H18" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      }
    >
      {lines.map(({ name, path }) => (
        <path key={name} className={`${styles.percentile} ${styles[name]}`} d={path} />
      ))}
    </SeriesChart>
  );
}

/** The lines of the percentiles, interrupted where there is no latency, and the upper end of the scale. */
export function percentileLines(slots: readonly Slot[]) {
  const latencies = slots.map(({ traffic }) => traffic?.latency ?? null);
  const top = ceiling(Math.max(...latencies.map((latency) => latency?.p99 ?? 0), 1000));
  const lines = PERCENTILES.map((name) => {
    const points = linePoints(
      latencies.map((latency) => latency?.[name] ?? 0),
      WIDTH,
      HEIGHT,
      top,
    );
    const runs: (readonly [number, number])[][] = [];
    for (const [index, point] of points.entries()) {
      if (!latencies[index]) continue;
      if (index > 0 && latencies[index - 1]) runs.at(-1)?.push(point);
      else runs.push([point]);
    }
    // The end of a line is round: one that goes nowhere is a dot.
    const path = runs.map((run) => (run.length > 1 ? line(run) : `${line(run)}h0`)).join("");
    return { name, path };
  });
  return { top, lines };
}
