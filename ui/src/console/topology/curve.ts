// A line of the picture as the path of an SVG, and its width.
import type { Point } from "./layout";

/** A curve through all points that is level at each of them. */
export function curveThrough(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (!before) return `M${point.x},${round(point.y)}`;
      if (before.y === point.y) return `H${point.x}`;
      const half = (before.x + point.x) / 2;
      return `C${half},${round(before.y)} ${half},${round(point.y)} ${point.x},${round(point.y)}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Width of a line by its requests per minute: from 1.5 to 9, on a logarithmic scale. */
export function widthOf(requestsOfAMinute: number): number {
  return Math.min(9, 1.5 + 1.5 * Math.log10(1 + requestsOfAMinute));
}
