// Headers of two messages side by side; their order and the case of their names do not count.
import type { Header } from "../../../model/httpMessage";

export interface HeaderRow {
  /** As written by the newer message, otherwise by the older. */
  name: string;
  before: string | null;
  after: string | null;
  state: "same" | "changed" | "added" | "removed";
  /** It differs, but is one of those that always do. */
  ignored: boolean;
}

/** Headers that differ between any two exchanges without significance. */
export const DEFAULT_IGNORED = [
  "Age",
  "Date",
  "ETag",
  "Last-Modified",
  "Server-Timing",
  "Traceparent",
  "Tracestate",
  "X-Amzn-Trace-Id",
  "X-Request-Id",
  "X-Response-Time",
  "X-Runtime",
];

export function compareHeaders(
  before: readonly Header[],
  after: readonly Header[],
  ignored: readonly string[],
): HeaderRow[] {
  const skipped = new Set(ignored.map((name) => name.trim().toLowerCase()));
  const ours = grouped(before);
  const theirs = grouped(after);
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].toSorted();
  return names.flatMap((key) => {
    const [left, right] = [ours.get(key), theirs.get(key)];
    const name = right?.name ?? left?.name ?? key;
    const values = paired(left?.values ?? [], right?.values ?? []);
    return values.map(([one, other]) => ({
      name,
      before: one,
      after: other,
      state: one === other ? "same" : one === null ? "added" : other === null ? "removed" : "changed",
      ignored: one !== other && skipped.has(key),
    }));
  });
}

function grouped(headers: readonly Header[]): Map<string, { name: string; values: string[] }> {
  const groups = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const group = groups.get(key);
    if (group) group.values.push(value);
    else groups.set(key, { name, values: [value] });
  }
  return groups;
}

/** Equal values are paired wherever they are; the others are paired in order. */
function paired(
  before: readonly string[],
  after: readonly string[],
): (readonly [string | null, string | null])[] {
  const left = [...after];
  const pairs: (readonly [string | null, string | null])[] = [];
  const open: string[] = [];
  for (const value of before) {
    const at = left.indexOf(value);
    if (at === -1) open.push(value);
    else pairs.push([value, left.splice(at, 1)[0] ?? value]);
  }
  for (let at = 0; at < Math.max(open.length, left.length); at += 1)
    pairs.push([open[at] ?? null, left[at] ?? null]);
  return pairs;
}
