// Requests over time as areas, failures hatched on top of them; the numbers at the pointer.
import { useId, useState, type PointerEvent } from "react";
import type { TrafficPoint } from "../../api/generated";
import { count, counted } from "../../model/format";
import { sum } from "../traffic";
import { area, ceiling, line, linePoints, nonZeroRuns } from "./chart";
import styles from "./RateChart.module.css";

const WIDTH = 720;
const HEIGHT = 150;

interface RateChartProps {
  points: readonly TrafficPoint[];
  /** The interval of one point: `second`, `minute`. */
  unit: "second" | "minute";
}

export function RateChart({ points, unit }: RateChartProps) {
  const hatch = useId();
  const [at, setAt] = useState<number | null>(null);
  const requests = points.map((point) => point.requests);
  const failed = points.map((point) => point.failed);
  const top = ceiling(Math.max(...requests, 1));
  const upper = linePoints(requests, WIDTH, HEIGHT, top);
  const lower = linePoints(failed, WIDTH, HEIGHT, top);
  const busiest = Math.max(...requests, 0);
  const whole = sum(points);
  const chosen = at === null ? undefined : points[at];
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    setAt(Math.max(0, Math.min(points.length - 1, Math.round(share * (points.length - 1)))));
  };
  return (
    <figure className={styles.figure}>
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          <span>{top.toLocaleString("en-GB")}</span>
          <span>{top > 1 ? (top / 2).toLocaleString("en-GB") : ""}</span>
          <span>0</span>
        </div>
        <svg
          className={styles.picture}
          viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${counted(whole.requests, "request")} in the last 60 ${unit}s, at most ${busiest} in one ${unit}; ${count(whole.refused)} refused, ${count(whole.failed)} failed`}
          onPointerMove={follow}
          onPointerLeave={() => setAt(null)}
        >
          <defs>
            <pattern
              id={hatch}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <path d="M0 0V6" className={styles.hatch} />
            </pattern>
          </defs>
          {[0, 0.5, 1].map((share) => (
            <path key={share} className={styles.grid} d={`M0 ${HEIGHT * share}H${WIDTH}`} />
          ))}
          <path className={styles.area} d={area(upper, HEIGHT)} />
          <path className={styles.line} d={line(upper)} />
          {nonZeroRuns(failed, lower).map((run) => (
            <g key={run[0]?.[0]}>
              <path d={area(run, HEIGHT)} fill={`url(#${hatch})`} />
              <path className={styles.failed} d={line(run)} />
            </g>
          ))}
          {at !== null && <path className={styles.cursor} d={`M${upper[at]?.[0] ?? 0} 0V${HEIGHT}`} />}
        </svg>
      </div>
      <figcaption className={styles.caption}>
        <span className={styles.ends}>60 {unit}s ago</span>
        <span className={styles.words}>
          {chosen && at !== null
            ? `${at === points.length - 1 ? "now" : `${counted(points.length - 1 - at, unit)} ago`}: ${outcomes(chosen)}`
            : outcomes(whole)}
        </span>
        <span className={styles.ends}>now</span>
      </figcaption>
    </figure>
  );
}

/** `53 requests, 5 refused, 0 failed`. */
function outcomes({ requests, refused, failed }: TrafficPoint): string {
  return `${counted(requests, "request")}, ${count(refused)} refused, ${count(failed)} failed`;
}
