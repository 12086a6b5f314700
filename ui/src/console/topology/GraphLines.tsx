// The lines of the picture, all in one SVG. What they show is in the nodes and in the table, too.
import { memo } from "react";
import { healthOf } from "../traffic";
import { curveThrough, widthOf } from "./curve";
import type { TopologyLink } from "./graph";
import styles from "./GraphLines.module.css";
import type { Layout, Line } from "./layout";

/** Number of lines up to which idle ones are dashed: browsers draw the dashes of long lines slowly. */
const MAX_DASHED = 120;

interface GraphLinesProps {
  layout: Layout;
  lines: readonly Line[];
  /** The links as they are now: those of the layout have the traffic of its time. */
  links: ReadonlyMap<string, TopologyLink>;
  /** The nodes on the paths through the selected one; null without a selection. */
  path: ReadonlySet<string> | null;
}

export const GraphLines = memo(function GraphLines({ layout, lines, links, path }: GraphLinesProps) {
  return (
    <svg
      className={`${styles.lines} ${layout.lines.length > MAX_DASHED ? styles.many : ""}`}
      width={layout.width}
      height={layout.height}
      aria-hidden
    >
      {lines.map(({ link: { id }, points }) => {
        const link = links.get(id);
        const last = points.at(-1);
        if (!link || !last) return null;
        const onPath = path !== null && path.has(link.from) && path.has(link.to);
        return (
          <GraphLine
            key={id}
            link={link}
            curve={curveThrough(points)}
            x={last.x}
            y={last.y}
            state={path === null ? "plain" : onPath ? "path" : "faint"}
          />
        );
      })}
    </svg>
  );
});

interface GraphLineProps {
  link: TopologyLink;
  curve: string;
  /** Its end, beside which its label is. */
  x: number;
  y: number;
  state: "plain" | "path" | "faint";
}

const GraphLine = memo(function GraphLine({ link: { minute, label }, curve, x, y, state }: GraphLineProps) {
  return (
    <g className={`${styles[healthOf(minute)]} ${styles[state]}`}>
      <path d={curve} strokeWidth={widthOf(minute.requests)} />
      {label && (
        <text x={x - 8} y={y} dy="0.35em">
          {label}
        </text>
      )}
    </g>
  );
});
