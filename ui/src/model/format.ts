// Formats numbers, times and sizes for display, with a fixed width where columns need it.

const BYTES: Record<string, number> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
};

/** `1.2 s`, `340 ms`, `0.4 ms` from nanoseconds. */
export function duration(nanoseconds: number | null): string {
  if (nanoseconds === null) return "";
  const milliseconds = nanoseconds / 1e6;
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** `640 B`, `1.2 KB`, `3.4 MB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-GB");
}

/** `1 request`, `2 requests`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `10 seconds`, `5 minutes`, `2 hours`, `3 days`: the largest unit that needs no fraction. */
export function secondsText(value: number): string {
  const units: [number, string][] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ];
  for (const [length, unit] of units) {
    if (value >= length && value % length === 0) return counted(value / length, unit);
  }
  return counted(value, "second");
}

/** A map in one line. */
export function mapped(map: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(map ?? {})
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(", ");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `14:02:07.345` in the reader's time zone. */
export function clock(timestamp: string, milliseconds = false): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return "";
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return milliseconds ? `${time}.${String(date.getMilliseconds()).padStart(3, "0")}` : time;
}

/** Date and time with the offset spelled out, for details. */
export function moment(timestamp: string): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return timestamp;
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${clock(timestamp, true)}`;
}

/** Whole seconds from now until the given time, never negative. */
export function secondsUntil(timestamp: string, now: number): number {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? 0 : Math.max(0, Math.ceil((then - now) / 1000));
}

/** `12 s`, `2 min`, `3 h`: how long something has lasted. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

const RELATIVE_STEPS: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [365 * 86_400, "year"],
  [30 * 86_400, "month"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `just now`, `5 minutes ago`, `in 3 days`. */
export function ago(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  if (Number.isNaN(seconds)) return timestamp;
  const step = RELATIVE_STEPS.find(([length]) => Math.abs(seconds) >= length);
  if (step) return relative.format(Math.trunc(seconds / step[0]), step[1]);
  return seconds > 0 ? "in a moment" : "just now";
}

/** The same for an event: it is never in the future, even if the clock that took `now` is behind. */
export function since(timestamp: string, now: number): string {
  return ago(timestamp, Math.max(now, Date.parse(timestamp) || now));
}

/** Bytes from `10kb`, `1.5MB`, `200`. */
export function parseSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb?|mb?|gb?)?$/i.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) * (BYTES[(match[2] ?? "").toLowerCase()] ?? 1);
}
