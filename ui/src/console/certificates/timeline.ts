// When certificates end, on a line of time.

const DAY_MS = 86_400_000;

export interface Span {
  label: string;
  days: number;
}

/** How far a timeline may reach. What ends later stands at its end. */
const REACHES: readonly Span[] = [
  { label: "30 days", days: 30 },
  { label: "90 days", days: 90 },
  { label: "1 year", days: 365 },
  { label: "2 years", days: 730 },
];

export interface Mark<T> {
  /** All that end near each other. */
  of: T[];
  /** From 0, which is now or before, to 1. */
  at: number;
}

/** The shortest reach that holds most ends; and where each stands on it, those near each other together. */
export function timeline<T>(
  things: readonly T[],
  endOf: (thing: T) => string,
  now: number,
): { reach: Span; marks: Mark<T>[] } {
  const days = (thing: T) => (Date.parse(endOf(thing)) - now) / DAY_MS;
  const sorted = things.toSorted((one, other) => days(one) - days(other));
  const most = sorted[Math.floor(sorted.length * 0.9)];
  const farthest = most === undefined ? 0 : days(most);
  const reach = REACHES.find((one) => farthest <= one.days) ?? { label: "2 years", days: 730 };
  const marks: Mark<T>[] = [];
  for (const thing of sorted) {
    const at = Math.min(1, Math.max(0, days(thing) / reach.days));
    const last = marks.at(-1);
    if (last && at - last.at < 0.025) last.of.push(thing);
    else marks.push({ of: [thing], at });
  }
  return { reach, marks };
}
