// The filter box: words match anywhere, `name:value` matches one property, a leading minus turns a term around.
import type { Summary } from "../api/types";
import { parseDuration, parseSize } from "./format";

export type Filter = (summary: Summary) => boolean;

export interface Parsed {
  matches: Filter;
  /** Terms that look like a filter but cannot be understood; they are ignored and shown. */
  unknown: string[];
}

export const everything: Parsed = { matches: () => true, unknown: [] };

export function parseFilter(text: string): Parsed {
  const terms: Filter[] = [];
  const unknown: string[] = [];
  for (const word of words(text)) {
    const negated = word.startsWith("-") && word.length > 1;
    const bare = negated ? word.slice(1) : word;
    const term = termOf(bare);
    if (term === null) unknown.push(word);
    else terms.push(negated ? (summary) => !term(summary) : term);
  }
  if (terms.length === 0) return { matches: everything.matches, unknown };
  return { matches: (summary) => terms.every((term) => term(summary)), unknown };
}

/** Splits at spaces outside double quotes. The quotes themselves are not part of a word. */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const word = match[0].replaceAll('"', "");
    if (word !== "") found.push(word);
  }
  return found;
}

/** The text with the term added or, where it stands already, taken out. */
export function toggleTerm(text: string, term: string): string {
  const present = words(text);
  const next = present.includes(term) ? present.filter((word) => word !== term) : [...present, term];
  return next.map((word) => (/\s/.test(word) ? quoted(word) : word)).join(" ");
}

/** The text with every term of this name replaced by one new value, or by none. */
export function setTerm(text: string, name: string, value: string | null): string {
  const others = words(text).filter((word) => !word.toLowerCase().startsWith(`${name}:`));
  if (value !== null) others.push(`${name}:${value}`);
  return others.map((word) => (/\s/.test(word) ? quoted(word) : word)).join(" ");
}

export function valueOf(text: string, name: string): string | null {
  const word = words(text).find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return word === undefined ? null : word.slice(name.length + 1);
}

function quoted(word: string): string {
  const colon = word.indexOf(":");
  return colon > 0 ? `${word.slice(0, colon + 1)}"${word.slice(colon + 1)}"` : `"${word}"`;
}

function termOf(word: string): Filter | null {
  const property = /^([a-z]+)(:|>=|<=|>|<)(.+)$/i.exec(word);
  if (!property) return /^[a-z]+:$/i.test(word) && isName(word.slice(0, -1)) ? null : anywhere(word);
  const [, name = "", operator = "", value = ""] = property;
  const lower = value.toLowerCase();
  if (operator !== ":") return comparison(name.toLowerCase(), operator, value);
  switch (name.toLowerCase()) {
    case "status":
      return status(lower);
    case "method":
      return (summary) => lower.split(",").includes(summary.method.toLowerCase());
    case "tunnel":
      return (summary) =>
        tunnelName(summary.tunnel_name).toLowerCase() === lower ||
        summary.tunnel_name.toLowerCase() === lower;
    case "host":
      return (summary) => summary.host.toLowerCase().includes(lower);
    case "path":
      return (summary) => summary.path.toLowerCase().includes(lower);
    case "from":
      return (summary) => summary.remote_addr.toLowerCase().startsWith(lower);
    case "is":
      return kind(lower);
    default:
      // A word such as `localhost:8080` is text.
      return anywhere(word);
  }
}

function isName(name: string): boolean {
  return ["status", "method", "tunnel", "host", "path", "from", "is"].includes(name.toLowerCase());
}

function anywhere(word: string): Filter {
  const lower = word.toLowerCase();
  return (summary) =>
    summary.path.toLowerCase().includes(lower) ||
    summary.host.toLowerCase().includes(lower) ||
    summary.method.toLowerCase() === lower ||
    (summary.status_code !== null && String(summary.status_code) === lower) ||
    summary.tunnel_name.toLowerCase().includes(lower) ||
    summary.remote_addr.includes(lower) ||
    summary.id === lower;
}

function status(value: string): Filter | null {
  if (value === "pending") return (summary) => summary.status_code === null && summary.error === null;
  const range = /^([1-5])xx$/.exec(value);
  if (range) return (summary) => Math.floor((summary.status_code ?? 0) / 100) === Number(range[1]);
  const bound = /^(>=|<=|>|<)(\d{3})$/.exec(value);
  if (bound) return compare((summary) => summary.status_code, bound[1] ?? "", Number(bound[2]));
  if (/^\d{1,3}$/.test(value)) return (summary) => String(summary.status_code ?? "").startsWith(value);
  return null;
}

function kind(value: string): Filter | null {
  switch (value) {
    case "error":
      return (summary) => summary.error !== null || (summary.status_code ?? 0) >= 400;
    case "pending":
      return status("pending");
    case "replay":
      return (summary) => summary.replay_of !== null;
    case "cut":
      return (summary) => summary.cut;
    default:
      return null;
  }
}

function comparison(name: string, operator: string, value: string): Filter | null {
  if (name === "status" && /^\d{3}$/.test(value))
    return compare((summary) => summary.status_code, operator, Number(value));
  if (name === "dur") {
    const nanoseconds = parseDuration(value);
    return nanoseconds === null ? null : compare((summary) => summary.duration, operator, nanoseconds);
  }
  if (name === "size") {
    const bytes = parseSize(value);
    return bytes === null
      ? null
      : compare((summary) => summary.request_size + summary.response_size, operator, bytes);
  }
  return null;
}

function compare(read: (summary: Summary) => number | null, operator: string, bound: number): Filter {
  return (summary) => {
    const value = read(summary);
    if (value === null) return false;
    if (operator === ">") return value > bound;
    if (operator === ">=") return value >= bound;
    return operator === "<" ? value < bound : value <= bound;
  };
}

/** `site (http)` is how a captured request names the tunnel `site`. */
export function tunnelName(captured: string): string {
  return captured.replace(/ \((?:https?|tcp|tls)\)$/, "");
}
