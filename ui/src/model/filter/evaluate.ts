// Evaluates a filter on the summaries of the list. Terms that need heads or bodies are evaluated by the agent; both
// give the same results, which `cases.json` ensures: it holds the agent's own results.
import type { Summary } from "../../api/types";
import { asciiLower, type Field } from "./fields";
import { parse, type FilterNode } from "./grammar";
import { FilterMistake } from "./tokens";

export type Filter = (summary: Summary) => boolean;

export type CompiledFilter =
  | { kind: "here"; matches: Filter }
  /** Must be evaluated by the agent. */
  | { kind: "agent" }
  /** Position of the mistake in characters, counted from 1; the agent provides the message. */
  | { kind: "mistake"; position: number };

export const matchAll: Filter = () => true;

export function compileFilter(text: string): CompiledFilter {
  let root: FilterNode;
  try {
    root = parse(text);
  } catch (mistake) {
    if (mistake instanceof FilterMistake) return { kind: "mistake", position: mistake.position };
    throw mistake;
  }
  const matches = evaluate(root);
  return matches === null ? { kind: "agent" } : { kind: "here", matches };
}

/** Null where the agent must evaluate the filter. */
function evaluate(node: FilterNode): Filter | null {
  switch (node.kind) {
    case "all":
    case "any": {
      const parts: Filter[] = [];
      for (const child of node.nodes) {
        const part = evaluate(child);
        if (part === null) return null;
        parts.push(part);
      }
      if (parts.length === 0) return matchAll;
      return node.kind === "all"
        ? (summary) => parts.every((part) => part(summary))
        : (summary) => parts.some((part) => part(summary));
    }
    case "not": {
      const inner = evaluate(node.node);
      return inner === null ? null : (summary) => !inner(summary);
    }
    case "anywhere":
      return anywhere(node.text);
    case "text":
      return textOf(node.field, node.operator, node.value);
    case "number": {
      const { min, max } = node.bounds;
      const read = numberOf(node.field);
      return (summary) => {
        const value = read(summary);
        return value !== null && value >= min && value <= max;
      };
    }
    case "flag": {
      const read = FLAGS[node.field.flag];
      return (summary) => read(summary) === node.wanted;
    }
    case "distant":
      return null;
  }
}

const FLAGS = {
  replayed: (summary: Summary) => summary.replay_of !== null,
  pinned: (summary: Summary) => summary.pinned === true,
  imported: (summary: Summary) => summary.imported === true,
  cut: (summary: Summary) => summary.cut,
  pending: (summary: Summary) => summary.duration === null,
};

function numberOf(field: Field): (summary: Summary) => number | null {
  if (field.kind === "status") return (summary) => summary.status_code;
  if (field.kind === "duration") return (summary) => summary.duration;
  const half = field.kind === "size" ? field.half : "either";
  if (half === "request") return (summary) => summary.request_size;
  if (half === "response") return (summary) => summary.response_size;
  return (summary) => summary.request_size + summary.response_size;
}

function textOf(field: Field, operator: ":" | "=", value: string): Filter {
  if (field.kind === "method") {
    const needle = asciiLower(value);
    return memoized(
      (summary) => summary.method,
      (method) => asciiLower(method) === needle,
    );
  }
  if (field.kind === "tunnel") {
    const needle = asciiLower(value);
    return memoized(
      (summary) => summary.tunnel_name,
      (display) => asciiLower(tunnelName(display)) === needle || asciiLower(display) === needle,
    );
  }
  const matches = operator === "=" ? (text: string) => text === value : containing(value);
  const maybe = (text: string | null | undefined) => typeof text === "string" && matches(text);
  switch (field.kind === "text" ? field.name : "path") {
    case "path":
      return (summary) => matches(summary.path);
    case "host":
      return memoized((summary) => summary.host, matches);
    case "remote":
      return (summary) => matches(summary.remote_addr);
    case "note":
      return (summary) => maybe(summary.note);
    case "error":
      return (summary) => maybe(summary.error);
  }
}

function anywhere(text: string): Filter {
  const matches = containing(text);
  const maybe = (other: string | null | undefined) => typeof other === "string" && matches(other);
  const usual = [
    memoized((summary) => summary.method, matches),
    memoized((summary) => summary.host, matches),
    memoized((summary) => summary.tunnel_name, matches),
    memoized((summary) => (summary.status_code === null ? null : String(summary.status_code)), matches),
  ];
  return (summary) =>
    matches(summary.path) ||
    usual.some((part) => part(summary)) ||
    matches(summary.remote_addr) ||
    maybe(summary.note) ||
    maybe(summary.error);
}

/** Memoizes the result for texts that most requests share. */
function memoized(read: (summary: Summary) => string | null, matches: (text: string) => boolean): Filter {
  const cached = new Map<string, boolean>();
  return (summary) => {
    const text = read(summary);
    if (text === null) return false;
    let verdict = cached.get(text);
    if (verdict === undefined) {
      verdict = matches(text);
      if (cached.size < 10_000) cached.set(text, verdict);
    }
    return verdict;
  };
}

/** ASCII letters match regardless of case, and `*` matches any text. */
function containing(text: string): (other: string) => boolean {
  const pattern = new RegExp(text.split("*").map(letters).join("[^]*"));
  return (other) => pattern.test(other);
}

function letters(part: string): string {
  return part.replace(/[^A-Za-z]|[A-Za-z]/gsu, (character) =>
    /[A-Za-z]/.test(character)
      ? `[${character.toLowerCase()}${character.toUpperCase()}]`
      : character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&"),
  );
}

/** `site (http)` is how a captured request names the tunnel `site`. */
export function tunnelName(captured: string): string {
  return captured.replace(/ \((?:https?|tcp|tls)\)$/, "");
}
