// The points of a history as lines in a drawing of a fixed size.

/** The smallest of 1, 2, 5, 10, 20, 50 … that is not below the value. */
export function ceiling(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

/** Position of each value: the first at the left edge, the last at the right one. */
export function linePoints(
  values: readonly number[],
  width: number,
  height: number,
  top: number,
): [x: number, y: number][] {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => [
    round(index * step),
    round(height - (Math.min(value, top) / top) * height),
  ]);
}

export function line(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
}

/** The non-zero parts: each sequence of values above zero, with the zeros beside it. */
export function nonZeroRuns<T>(values: readonly number[], points: readonly T[]): T[][] {
  const found: T[][] = [];
  let run: T[] | null = null;
  for (const [index, at] of points.entries()) {
    const beside = [index - 1, index, index + 1].some((near) => (values[near] ?? 0) > 0);
    if (!beside) run = null;
    else if (run && (values[index - 1] ?? 0) + (values[index] ?? 0) > 0) run.push(at);
    else found.push((run = [at]));
  }
  return found;
}

/** The same line, closed along the bottom. */
export function area(points: readonly (readonly [number, number])[], height: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  return `${line(points)}L${last[0]} ${height}L${first[0]} ${height}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
