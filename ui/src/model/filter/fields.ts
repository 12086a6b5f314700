// The fields of a filter and the syntax of their values.

export type Flag = "replayed" | "pinned" | "imported" | "cut" | "pending";
export type TextName = "path" | "host" | "remote" | "note" | "error";
export type Half = "either" | "request" | "response";

export type Field =
  | { kind: "text"; name: TextName }
  | { kind: "method" | "tunnel" | "status" | "duration" }
  | { kind: "size"; half: Half }
  | { kind: "flag"; flag: Flag }
  /** Found in heads and bodies, which only the agent stores. */
  | { kind: "distant" };

export interface Bounds {
  min: number;
  max: number;
}

const TEXTS: readonly string[] = ["path", "host", "remote", "note", "error"] satisfies TextName[];
const FLAGS: readonly string[] = ["replayed", "pinned", "imported", "cut", "pending"] satisfies Flag[];

/** The field with the given name, in any case. */
export function fieldNamed(written: string): Field | null {
  const name = asciiLower(written);
  const parts = /^(request|response)\.(.*)$/s.exec(name);
  const half = (parts?.[1] ?? "either") as Half;
  const rest = parts?.[2] ?? name;
  if (rest.startsWith("header.")) return rest.length > "header.".length ? { kind: "distant" } : null;
  if (rest === "body") return { kind: "distant" };
  if (rest === "size") return { kind: "size", half };
  if (half !== "either") return null;
  if (TEXTS.includes(rest)) return { kind: "text", name: rest as TextName };
  if (FLAGS.includes(rest)) return { kind: "flag", flag: rest as Flag };
  switch (rest) {
    case "type":
      return { kind: "distant" };
    case "dur":
      return { kind: "duration" };
    case "status":
    case "method":
    case "tunnel":
      return { kind: rest };
    default:
      return null;
  }
}

/** `404`, `5xx` or `400-499`. */
export function statuses(text: string): Bounds | null {
  const group = /^\+?0*([1-9])(?:xx|XX)$/.exec(text);
  if (group) return { min: Number(group[1]) * 100, max: Number(group[1]) * 100 + 99 };
  const range = /^(\d{3})(?:-(\d{3}))?$/.exec(text);
  if (!range) return null;
  const min = Number(range[1]);
  const max = range[2] === undefined ? min : Number(range[2]);
  return min <= max ? { min, max } : null;
}

const DURATIONS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9 };
const SIZES = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Nanoseconds from `250us`, `500ms`, `1.5s`, `2m`. */
export function nanoseconds(text: string): number | null {
  return measured(text, DURATIONS);
}

/** Bytes from `100`, `10b`, `4kb`, `1.5mb`, `1gb`. */
export function bytes(text: string): number | null {
  return measured(text, SIZES);
}

function measured(text: string, units: Readonly<Record<string, number>>): number | null {
  const match = /^(\d+(?:\.\d+)?)([^\d.].*)?$/s.exec(text);
  const [, number = "", unit = ""] = match ?? [];
  const factor = units[asciiLower(unit)];
  if (!match || factor === undefined || number.length > 15) return null;
  const value = Number(number) * factor;
  return value < 2 ** 64 ? Math.round(value) : null;
}

export function truth(text: string): boolean | null {
  const lower = asciiLower(text);
  if (lower === "yes" || lower === "true") return true;
  return lower === "no" || lower === "false" ? false : null;
}

/** Compares non-ASCII characters with their case, as the agent does. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
