// The shortest edit script between two sequences (Myers), within limits.

export type EditStep = { kind: "same" | "removed" | "added"; before: number; after: number };

/** Maximum number of differences; time and memory grow with its square. The rest counts as different. */
export const MAX_DIFFERENCES = 2_000;

/** The steps from one sequence to the other; null where they differ too much. */
export function editScript(
  before: number,
  after: number,
  same: (before: number, after: number) => boolean,
  most: number = MAX_DIFFERENCES,
): EditStep[] | null {
  let start = 0;
  while (start < before && start < after && same(start, start)) start += 1;
  let end = 0;
  while (end < before - start && end < after - start && same(before - 1 - end, after - 1 - end)) end += 1;
  const middle = shortest(
    before - start - end,
    after - start - end,
    (one, other) => same(start + one, start + other),
    most,
  );
  if (middle === null) return null;
  const found: EditStep[] = [];
  for (let at = 0; at < start; at += 1) found.push({ kind: "same", before: at, after: at });
  for (const step of middle) found.push({ ...step, before: step.before + start, after: step.after + start });
  for (let at = end; at > 0; at -= 1) found.push({ kind: "same", before: before - at, after: after - at });
  return found;
}

function shortest(
  before: number,
  after: number,
  same: (before: number, after: number) => boolean,
  most: number,
): EditStep[] | null {
  const limit = Math.min(before + after, most);
  const reach = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const trace: Int32Array[] = [];
  for (let depth = 0; depth <= limit; depth += 1) {
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const down =
        diagonal === -depth ||
        (diagonal !== depth && (reach[middle + diagonal - 1] ?? 0) < (reach[middle + diagonal + 1] ?? 0));
      let one = down ? (reach[middle + diagonal + 1] ?? 0) : (reach[middle + diagonal - 1] ?? 0) + 1;
      while (one < before && one - diagonal < after && same(one, one - diagonal)) one += 1;
      reach[middle + diagonal] = one;
      if (one >= before && one - diagonal >= after) {
        trace.push(reach.slice(middle - depth - 1, middle + depth + 2));
        return traced(trace, before, after);
      }
    }
    trace.push(reach.slice(middle - depth - 1, middle + depth + 2));
  }
  return null;
}

/** The way back from the end, by the furthest points of each depth. */
function traced(trace: readonly Int32Array[], before: number, after: number): EditStep[] {
  const found: EditStep[] = [];
  let one = before;
  let other = after;
  for (let depth = trace.length - 1; depth > 0; depth -= 1) {
    const last = trace[depth - 1] ?? new Int32Array(0);
    const at = (diagonal: number) => last[diagonal + depth] ?? 0;
    const diagonal = one - other;
    const down = diagonal === -depth || (diagonal !== depth && at(diagonal - 1) < at(diagonal + 1));
    const previous = down ? diagonal + 1 : diagonal - 1;
    const fromOne = at(previous);
    // End of the step itself; everything after it is unchanged.
    const stepOne = down ? fromOne : fromOne + 1;
    while (one > stepOne) {
      one -= 1;
      other -= 1;
      found.push({ kind: "same", before: one, after: other });
    }
    if (down) {
      other -= 1;
      found.push({ kind: "added", before: one, after: other });
    } else {
      one -= 1;
      found.push({ kind: "removed", before: one, after: other });
    }
  }
  while (one > 0 && other > 0) {
    one -= 1;
    other -= 1;
    found.push({ kind: "same", before: one, after: other });
  }
  return found.toReversed();
}
