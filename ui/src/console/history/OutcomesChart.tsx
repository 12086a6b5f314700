// Requests over time, stacked by the class of their status; classes differ by hatching as well as by color.
import { useId, useMemo } from "react";
import type { TrafficInterval } from "../../api/generated";
import { ceiling, line, linePoints, nonZeroRuns } from "../overview/chart";
import { HEIGHT, SeriesChart, WIDTH } from "./SeriesChart";
import { OUTCOMES, outcomeLabel, outcomesText, type Passing, type Slot } from "./series";
import styles from "./SeriesChart.module.css";

type Outcome = (typeof OUTCOMES)[number]["name"];

/** The hatching of each class; the successful ones have none. */
const HATCHES: Partial<Record<Outcome, string>> = {
  failed: "M0 6L6 0",
  refused: "M0 0L6 6",
  redirected: "M0 3H6",
};

interface OutcomesChartProps {
  slots: readonly Slot[];
  total: TrafficInterval;
  passing: Passing;
  at: number | null;
  onMove(at: number | null): void;
}

export function OutcomesChart({ slots, total, passing, at, onMove }: OutcomesChartProps) {
  const id = useId();
  const { top, layers } = useMemo(() => stacked(slots), [slots]);
  const shown = OUTCOMES.filter(({ name }) => name === "succeeded" || total[name] > 0);
  return (
    <SeriesChart
      title={passing === "request" ? "Requests" : "Connections"}
      slots={slots}
      scale={[top.toLocaleString("en-GB"), top > 1 ? (top / 2).toLocaleString("en-GB") : "", "0"]}
      at={at}
      onMove={onMove}
      words={({ traffic }) => outcomesText(traffic, passing)}
      total={outcomesText(total, passing)}
      legend={
        <ul className={styles.legend} aria-label="Legend">
          {shown.toReversed().map((outcome) => (
            <li key={outcome.name}>
              <svg className={`${styles.swatch} ${styles[outcome.name]}`} aria-hidden="true">
                <rect className={styles.fill} width="18" height="12" />
                {HATCHES[outcome.name] && (
                  <rect width="18" height="12" fill={`url(#${id}-${outcome.name})`} />
                )}
                <path className={styles.edge} d="M0 1H18" />
              </svg>
              {outcomeLabel(outcome, passing)}
            </li>
          ))}
        </ul>
      }
    >
      <defs>
        {OUTCOMES.map(({ name }) => (
          <pattern key={name} id={`${id}-${name}`} width="6" height="6" patternUnits="userSpaceOnUse">
            <path d={HATCHES[name]} className={`${styles.hatch} ${styles[name]}`} />
          </pattern>
        ))}
      </defs>
      {layers.map(({ name, runs }) =>
        runs.map(({ area: outline, edge }, index) => (
          <g key={`${name}-${index}`} className={styles[name]}>
            <path className={styles.fill} d={outline} />
            {HATCHES[name] && <path d={outline} fill={`url(#${id}-${name})`} />}
            <path className={styles.edge} d={edge} />
          </g>
        )),
      )}
    </SeriesChart>
  );
}

interface Layer {
  name: Outcome;
  /** The parts with traffic of the class: their outline, and their upper edge. */
  runs: { area: string; edge: string }[];
}

/** The classes on top of each other, and the upper end of the scale. */
export function stacked(slots: readonly Slot[]): { top: number; layers: Layer[] } {
  const top = ceiling(Math.max(...slots.map(({ traffic }) => traffic?.requests ?? 0), 1));
  let below = slots.map(() => 0);
  const layers = OUTCOMES.map(({ name }) => {
    const values = slots.map(({ traffic }) => traffic?.[name] ?? 0);
    const above = below.map((sum, index) => sum + (values[index] ?? 0));
    const [lower, upper] = [linePoints(below, WIDTH, HEIGHT, top), linePoints(above, WIDTH, HEIGHT, top)];
    below = above;
    const pairs = upper.map((point, index) => ({ upper: point, lower: lower[index] ?? point }));
    const runs = nonZeroRuns(values, pairs).map((run) => {
      const edge = line(run.map((pair) => pair.upper));
      const back = run.toReversed().map((pair) => `L${pair.lower[0]} ${pair.lower[1]}`);
      return { edge, area: `${edge}${back.join("")}Z` };
    });
    return { name, runs };
  });
  return { top, layers };
}
