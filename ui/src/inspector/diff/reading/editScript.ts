// The shortest edit script between two sequences, within limits.
import { diffArrays } from "diff";

export type EditStep = { kind: "same" | "removed" | "added"; before: number; after: number };

/** Maximum number of differences; time and memory grow with its square. The rest counts as different. */
export const MAX_DIFFERENCES = 2_000;
/** Maximum time in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The steps from one sequence to the other; null where they differ too much. */
export function editScript(
  before: number,
  after: number,
  same: (before: number, after: number) => boolean,
  most: number = MAX_DIFFERENCES,
): EditStep[] | null {
  const changes = diffArrays(indexes(before), indexes(after), {
    comparator: same,
    maxEditLength: most,
    timeout: TIMEOUT_MS,
  });
  if (changes === undefined) return null;
  const steps: EditStep[] = [];
  const at = { before: 0, after: 0 };
  for (const { removed, added, count } of changes) {
    const kind = removed ? "removed" : added ? "added" : "same";
    for (let step = 0; step < count; step += 1) {
      steps.push({ kind, ...at });
      if (!added) at.before += 1;
      if (!removed) at.after += 1;
    }
  }
  return steps;
}

const indexes = (length: number) => Array.from({ length }, (_, index) => index);
