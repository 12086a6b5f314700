// The expiry of certificates on a time axis.

const DAY_MS = 86_400_000;

export interface Span {
  label: string;
  days: number;
}

/** The possible ranges of the axis. A later expiry is shown at its end. */
const RANGES: readonly Span[] = [
  { label: "30 days", days: 30 },
  { label: "90 days", days: 90 },
  { label: "1 year", days: 365 },
  { label: "2 years", days: 730 },
];

export interface TimelineMark<T> {
  /** Certificates that expire close together. */
  of: T[];
  /** Position from 0 (now or earlier) to 1. */
  at: number;
}

/** Chooses the shortest range that contains most expiries, and groups those close together. */
export function timeline<T>(
  items: readonly T[],
  endOf: (item: T) => string,
  now: number,
): { reach: Span; marks: TimelineMark<T>[] } {
  const days = (item: T) => (Date.parse(endOf(item)) - now) / DAY_MS;
  const sorted = items.toSorted((one, other) => days(one) - days(other));
  const most = sorted[Math.floor(sorted.length * 0.9)];
  const farthest = most === undefined ? 0 : days(most);
  const reach = RANGES.find((one) => farthest <= one.days) ?? { label: "2 years", days: 730 };
  const marks: TimelineMark<T>[] = [];
  for (const item of sorted) {
    const at = Math.min(1, Math.max(0, days(item) / reach.days));
    const last = marks.at(-1);
    if (last && at - last.at < 0.025) last.of.push(item);
    else marks.push({ of: [item], at });
  }
  return { reach, marks };
}
