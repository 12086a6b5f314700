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
              <svg className={`${styles.swatch} ${styles[name]}`} aria-hidden="true">
                <path className={styles.percentile} d="M0 6H18" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      }
    >
      {lines.map(({ name, path, dots }) => (
        <g key={name} className={styles[name]}>
          <path className={styles.percentile} d={path} />
          <path className={styles.dots} d={dots} />
        </g>
      ))}
    </SeriesChart>
  );
}

/** The lines of the percentiles, interrupted where there is no latency, single points, and the upper end of the scale. */
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
    // The ends of lines are round: one that goes nowhere is a dot.
    const [path, dots] = [runs.filter((run) => run.length > 1), runs.filter((run) => run.length === 1)];
    return { name, path: path.map(line).join(""), dots: dots.map((run) => `${line(run)}h0`).join("") };
  });
  return { top, lines };
}
