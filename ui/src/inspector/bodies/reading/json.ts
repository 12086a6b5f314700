// JSON as a tree. Numbers stay as they were written, a mistake is reported with its position, everything before it is
// shown, and no depth uses stack.
import { Nodes } from "./nodes";
import type { NodeFormat } from "./outline";
import { escapeDeceptive, type Token } from "./rows";

export interface ParseMistake {
  message: string;
  /** In characters from the beginning of the text. */
  place: number;
  line: number;
  column: number;
}

const OBJECT = 1;
const ARRAY = 2;
const STRING = 3;
const NUMBER = 4;
const WORD = 5;

/** Maximum number of values; the ones after it are left out. */
export const MAX_VALUES = 2_000_000;
const SHOWN_CHARS = 400;
const MAX_COUNTED = 100_000;

export interface JsonTree extends NodeFormat {
  readonly mistake: ParseMistake | null;
  /** There are more values than the limit. */
  readonly more: boolean;
}

export function readJson(text: string, values: number = MAX_VALUES): JsonTree {
  const reader = new Reader(text, values);
  const end = reader.value(0, 0);
  if (end !== null && end < text.length) reader.fail("Unexpected text after the value", end);
  return tree(reader, "value");
}

/** Newline-delimited JSON: one value per line. */
export function readJsonLines(text: string, values: number = MAX_VALUES): JsonTree {
  const reader = new Reader(text, values);
  for (let at = 0, index = 0; at < text.length && reader.mistake === null && !reader.more; index += 1) {
    at = reader.space(at);
    if (at >= text.length) break;
    at = reader.value(at, -index - 1) ?? text.length;
  }
  return tree(reader, "lines");
}

class Reader {
  readonly text: string;
  readonly nodes = new Nodes();
  readonly #values: number;
  mistake: ParseMistake | null = null;
  more = false;

  constructor(text: string, values: number) {
    this.text = text;
    this.#values = values;
  }

  fail(message: string, place: number): void {
    this.mistake ??= { message, place, ...position(this.text, place) };
  }

  space(from: number): number {
    let at = from;
    for (;;) {
      const code = this.text.charCodeAt(at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
      at += 1;
    }
  }

  /** Parses one value with its content; returns the end including white space, or null after a mistake. */
  value(begin: number, root: number): number | null {
    const { nodes, text } = this;
    let top = -1;
    let level = 0;
    let entry = this.space(begin);
    let at = entry;
    let extra = root === 0 ? entry : root;
    const index: number[] = [];
    const stop = (): null => {
      for (; top >= 0; top = nodes.parent(top)) nodes.close(top, at);
      return null;
    };
    for (;;) {
      if (nodes.size >= this.#values) {
        this.more = true;
        return stop();
      }
      const code = text.charCodeAt(at);
      if (code === 123 || code === 91) {
        const isObject = code === 123;
        const node = nodes.add(isObject ? OBJECT : ARRAY, top, level, entry, at, extra);
        at = this.space(at + 1);
        if (text.charCodeAt(at) === (isObject ? 125 : 93)) {
          at += 1;
          nodes.close(node, at);
        } else {
          top = node;
          level += 1;
          index.push(0);
          entry = at;
          extra = -1;
          if (isObject) {
            const value = this.#key(at);
            if (value === null) return stop();
            at = value;
            extra = at;
          }
          continue;
        }
      } else {
        const end = this.#literal(at);
        if (end === null) return stop();
        const kind = code === 34 ? STRING : code === 45 || (code >= 48 && code <= 57) ? NUMBER : WORD;
        nodes.close(nodes.add(kind, top, level, entry, end, extra), end);
        at = end;
      }
      for (;;) {
        at = this.space(at);
        if (top < 0) return at;
        const isObject = nodes.kind(top) === OBJECT;
        const next = text.charCodeAt(at);
        if (next === 44) {
          at = this.space(at + 1);
          entry = at;
          const count = (index.at(-1) ?? 0) + 1;
          index[index.length - 1] = count;
          extra = -count - 1;
          if (isObject) {
            const value = this.#key(at);
            if (value === null) return stop();
            at = value;
            extra = at;
          }
          break;
        }
        if (next !== (isObject ? 125 : 93)) {
          this.fail(
            at >= text.length ? "The text ends too early" : `Expected , or ${isObject ? "}" : "]"}`,
            at,
          );
          return stop();
        }
        at += 1;
        nodes.close(top, at);
        top = nodes.parent(top);
        level -= 1;
        index.pop();
      }
    }
  }

  #key(from: number): number | null {
    const expected = "Expected a member name in double quotes and a colon";
    if (this.text.charCodeAt(from) !== 34) {
      this.fail(from >= this.text.length ? "The text ends too early" : expected, from);
      return null;
    }
    const end = this.#string(from);
    if (end === null) return null;
    const colon = this.space(end);
    if (this.text.charCodeAt(colon) !== 58) {
      this.fail(colon >= this.text.length ? "The text ends too early" : expected, colon);
      return null;
    }
    return this.space(colon + 1);
  }

  #string(from: number): number | null {
    const end = endOfString(this.text, from);
    if (typeof end === "number") return end;
    this.fail(end.message, end.place);
    return null;
  }

  #literal(from: number): number | null {
    if (this.text.charCodeAt(from) === 34) return this.#string(from);
    LITERAL.lastIndex = from;
    const found = LITERAL.exec(this.text);
    if (found) return from + found[0].length;
    this.fail(from >= this.text.length ? "The text ends too early" : "Expected a value", from);
    return null;
  }
}

const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** End of a string, found by a loop: a regular expression would need stack for every character. */
function endOfString(text: string, from: number): number | { message: string; place: number } {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code < 32) return { message: "A control character in a string must be escaped", place: at };
    if (code === 92) {
      const escaped = text[at + 1] ?? "";
      if (escaped === "u" && /^[0-9a-fA-F]{4}/.test(text.slice(at + 2, at + 6))) at += 5;
      else if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) at += 1;
      else if (at + 1 < text.length) return { message: "Unknown escape sequence", place: at };
    }
  }
  return { message: "The text ends too early", place: text.length };
}

export function position(text: string, place: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: place - start + 1 };
}

function tree({ text, nodes, mistake, more }: Reader, root: "value" | "lines"): JsonTree {
  const valueStart = (node: number) => (nodes.extra(node) > 0 ? nodes.extra(node) : nodes.from(node));
  const isMember = (node: number) => nodes.parent(node) >= 0 && nodes.kind(nodes.parent(node)) === OBJECT;
  const key = (node: number) => {
    const end = endOfString(text, nodes.from(node));
    return text.slice(nodes.from(node), typeof end === "number" ? end : nodes.from(node));
  };
  const value = (node: number) => text.slice(valueStart(node), nodes.to(node));
  return {
    nodes,
    source: text,
    mistake,
    more,
    text: value,
    tokens(node) {
      const tokens: Token[] = [];
      if (isMember(node)) tokens.push(...escapeDeceptive("key", shortened(key(node))), ["mark", ": "]);
      else if (nodes.parent(node) >= 0 || root === "lines")
        tokens.push(["mark", `${-nodes.extra(node) - 1}: `]);
      const kind = nodes.kind(node);
      if (kind === OBJECT || kind === ARRAY) {
        const count = nodes.children(node, MAX_COUNTED);
        const [opening, closing] = kind === OBJECT ? "{}" : "[]";
        const summary =
          count === MAX_COUNTED ? `${MAX_COUNTED.toLocaleString("en")} or more` : count.toLocaleString("en");
        tokens.push(["mark", count === 0 ? `${opening}${closing}` : `${opening} ${summary} ${closing}`]);
      } else {
        const start = valueStart(node);
        const shown = text.slice(start, Math.min(nodes.to(node), start + SHOWN_CHARS));
        tokens.push(
          ...escapeDeceptive(kind === STRING ? "string" : kind === NUMBER ? "number" : "word", shown),
        );
        if (nodes.to(node) > start + SHOWN_CHARS) tokens.push(["mark", "…"]);
      }
      return tokens;
    },
    path(node) {
      const steps: string[] = [];
      for (let at = node; at >= 0; at = nodes.parent(at)) {
        if (isMember(at)) steps.push(step(key(at)));
        else if (nodes.parent(at) >= 0 || root === "lines") steps.push(`[${-nodes.extra(at) - 1}]`);
      }
      return `$${steps.toReversed().join("")}`;
    },
  };
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

function step(key: string): string {
  const name = /^"([A-Za-z_$][\w$]*)"$/.exec(key)?.[1];
  return name === undefined ? `[${key}]` : `.${name}`;
}

const MAX_INDENT = 60;
/** Maximum length of formatted text, in characters. */
const MAX_FORMATTED_LENGTH = 32 * 1024 * 1024;

/** Formats values one per line, indented by two spaces; text after a mistake is unchanged. */
export function formatJson({ nodes, source, mistake }: JsonTree): { text: string; more: boolean } {
  const text = source ?? "";
  const pieces: string[] = [];
  let length = 0;
  const push = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  const open: number[] = [];
  const closeTo = (parent: number) => {
    for (let top = open.at(-1); top !== undefined && top !== parent; top = open.at(-1)) {
      open.pop();
      const end = nodes.kind(top) === OBJECT ? "}" : "]";
      // A container left open by a mistake stays open.
      if (mistake === null || nodes.to(top) < mistake.place) push(`${indent(nodes.level(top))}${end}`);
    }
  };
  for (let node = 0; node < nodes.size; node += 1) {
    if (length > MAX_FORMATTED_LENGTH) return { text: pieces.join(""), more: true };
    const parent = nodes.parent(node);
    closeTo(parent);
    if (node > 0) {
      if (nodes.level(node) > 0 && node !== parent + 1) push(",");
      push(indent(nodes.level(node)));
    }
    const kind = nodes.kind(node);
    if (kind !== OBJECT && kind !== ARRAY) {
      push(entryText(text, nodes, node));
    } else if (nodes.isEmpty(node) && nodes.to(node) > 0 && /[}\]]/.test(text[nodes.to(node) - 1] ?? "")) {
      push(`${keyText(text, nodes, node)}${kind === OBJECT ? "{}" : "[]"}`);
    } else {
      push(`${keyText(text, nodes, node)}${kind === OBJECT ? "{" : "["}`);
      open.push(node);
    }
  }
  closeTo(-1);
  if (mistake !== null) push(text.slice(Math.min(mistake.place, text.length)));
  return { text: pieces.join(""), more: false };
}

function indent(level: number): string {
  return `\n${"  ".repeat(Math.min(level, MAX_INDENT))}`;
}

function keyText(text: string, nodes: Nodes, node: number): string {
  if (nodes.extra(node) <= nodes.from(node)) return "";
  const end = endOfString(text, nodes.from(node));
  return `${text.slice(nodes.from(node), typeof end === "number" ? end : nodes.from(node))}: `;
}

function entryText(text: string, nodes: Nodes, node: number): string {
  const key = keyText(text, nodes, node);
  return key + text.slice(key === "" ? nodes.from(node) : nodes.extra(node), nodes.to(node));
}
