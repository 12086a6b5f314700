// A text as lines. Long lines are wrapped at the width of the page, so that all rows have the same height.
import { graphqlLine } from "./graphqlLine";
import { jsonTokens } from "./jsonTokens";
import {
  MAX_MATCHES,
  highlighted,
  NO_MATCHES,
  pattern,
  escapeDeceptive,
  type SearchResult,
  type Reading,
  type TextRow,
  type Token,
} from "./rows";

const MIN_COLUMNS = 20;

export interface LineOptions {
  columns?: number;
  colours?: "json" | "graphql" | null;
  /** Position of a mistake, in characters from the beginning. */
  wrong?: number | null;
}

export class Lines implements Reading {
  readonly #text: string;
  readonly #colours: "json" | "graphql" | null;
  readonly #wrong: number | null;
  #columns: number;
  /** Start of each row; the last entry is the end of the text. */
  #starts = new Int32Array(0);
  /** Line number of each row, negative for a continuation. */
  #numbers = new Int32Array(0);
  #searched: RegExp | null = null;
  #findings: number[] = [];

  constructor(text: string, options: LineOptions = {}) {
    this.#text = text;
    this.#colours = options.colours ?? null;
    this.#wrong = options.wrong ?? null;
    this.#columns = Math.max(options.columns ?? 120, MIN_COLUMNS);
    this.#lay();
  }

  get count(): number {
    return this.#numbers.length;
  }

  wrap(columns: number): void {
    const next = Math.max(Math.floor(columns), MIN_COLUMNS);
    if (next === this.#columns) return;
    this.#columns = next;
    this.#lay();
  }

  rows(from: number, to: number): TextRow[] {
    const rows: TextRow[] = [];
    for (let row = Math.max(from, 0); row < Math.min(to, this.count); row += 1) {
      const number = this.#numbers[row] ?? 0;
      rows.push({
        tokens: highlighted(this.#tokens(row), this.#searched),
        number: number > 0 ? number : null,
        level: 0,
        open: null,
      });
    }
    return rows;
  }

  toggle(): void {}

  fold(): void {}

  find(text: string): SearchResult {
    this.#searched = pattern(text);
    this.#findings = [];
    if (this.#searched === null) return NO_MATCHES;
    for (const found of this.#text.matchAll(this.#searched)) {
      if (this.#findings.length === MAX_MATCHES) return { count: MAX_MATCHES, more: true };
      this.#findings.push(found.index);
    }
    return { count: this.#findings.length, more: false };
  }

  show(finding: number): number {
    return this.rowOf(this.#findings[finding] ?? 0);
  }

  path(): null {
    return null;
  }

  text(row: number): string {
    return this.#slice(row);
  }

  /** The row that contains a position in the text. */
  rowOf(place: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #tokens(row: number): Token[] {
    const start = this.#starts[row] ?? 0;
    const text = this.#slice(row);
    const wrong = this.#wrong;
    const end = this.#starts[row + 1] ?? this.#text.length;
    if (wrong !== null && wrong >= start && (wrong < end || row === this.count - 1)) {
      const at = Math.min(wrong - start, text.length);
      const rest = text.slice(at);
      return [
        ...this.#coloured(text.slice(0, at), row),
        ...(rest === "" ? ([["wrong", "⏎"]] as Token[]) : escapeDeceptive("wrong", rest)),
      ];
    }
    return this.#coloured(text, row);
  }

  #coloured(text: string, row: number): Token[] {
    if (this.#colours === null) return escapeDeceptive("plain", text);
    // A continuation row may begin inside a string.
    if ((this.#numbers[row] ?? 0) <= 0) return escapeDeceptive("string", text);
    const tokens = this.#colours === "json" ? jsonTokens(text) : graphqlLine(text);
    return tokens.flatMap(([kind, piece]) => escapeDeceptive(kind, piece));
  }

  #slice(row: number): string {
    return this.#text.slice(this.#starts[row], this.#starts[row + 1]).replace(/(?:\r\n|\r|\n)$/, "");
  }

  #lay(): void {
    const starts = new GrowingNumbers();
    const numbers = new GrowingNumbers();
    const text = this.#text;
    let number = 0;
    let at = 0;
    for (;;) {
      const end = endOfLine(text, at);
      number += 1;
      starts.push(at);
      numbers.push(number);
      let from = at;
      while (end.text - from > this.#columns) {
        from += this.#columns;
        // Never splits a surrogate pair.
        if (isLowHalf(text.charCodeAt(from))) from += 1;
        starts.push(from);
        numbers.push(-number);
      }
      at = end.next;
      if (end.next === text.length && end.next === end.text) break;
      if (end.next >= text.length) {
        // A text that ends with a line break has an empty last line, as in editors.
        starts.push(text.length);
        numbers.push(number + 1);
        break;
      }
    }
    starts.push(text.length);
    this.#starts = starts.taken();
    this.#numbers = numbers.taken();
  }
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function endOfLine(text: string, from: number): { text: number; next: number } {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { text: at, next: at + 1 };
    if (code === 13) return { text: at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return { text: text.length, next: text.length };
}

/** A growable array of numbers. */
export class GrowingNumbers {
  #values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  taken(): Int32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }
}
