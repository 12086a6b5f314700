// Splits the text of a filter into tokens with their positions, as the agent does.

export type Operator = ":" | "=" | "~" | ">" | ">=" | "<" | "<=";

/** Positions are in characters from 0; `end` is exclusive. */
export type FilterToken = { from: number; end: number } & (
  | { kind: "(" | ")" | "and" | "or" | "not" }
  | { kind: "text"; text: string }
  | { kind: "field"; name: string; operator: Operator; value: string; valueFrom: number }
);

/** An invalid filter; the position of the first invalid character is counted from 1. */
export class FilterMistake extends Error {
  readonly position: number;

  constructor(position: number) {
    super(`The filter is invalid at character ${position}`);
    this.position = position;
  }
}

const MAX_FILTER_LENGTH = 4096;
const NAME = /[A-Za-z0-9_.-]/;
// The white space of Unicode; that of regular expressions differs in two characters.
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Throws a `FilterMistake`. */
export function tokenize(filter: string): FilterToken[] {
  const pieces: FilterToken[] = [];
  const reader = new Reader(filter);
  for (let piece = reader.next(); piece; piece = reader.next()) pieces.push(piece);
  return pieces;
}

/** The tokens before the first mistake, for an incomplete filter. */
export function tokenizePrefix(filter: string): FilterToken[] {
  const pieces: FilterToken[] = [];
  const reader = new Reader(filter);
  try {
    for (let piece = reader.next(); piece; piece = reader.next()) pieces.push(piece);
  } catch (mistake) {
    if (!(mistake instanceof FilterMistake)) throw mistake;
  }
  return pieces;
}

class Reader {
  /** Characters, not UTF-16 code units. */
  readonly #text: string[];
  #at = 0;

  constructor(text: string) {
    this.#text = Array.from(text);
    if (this.#text.length > MAX_FILTER_LENGTH) throw new FilterMistake(MAX_FILTER_LENGTH + 1);
  }

  next(): FilterToken | null {
    while (this.#is(SPACE)) this.#at += 1;
    const from = this.#at;
    const character = this.#text[from];
    if (character === undefined) return null;
    if (character === "(" || character === ")") {
      this.#at += 1;
      return { kind: character, from, end: this.#at };
    }
    if (character === '"') return { kind: "text", text: this.#quoted(), from, end: this.#at };
    return this.#word(from);
  }

  #is(pattern: RegExp): boolean {
    const character = this.#text[this.#at];
    return character !== undefined && pattern.test(character);
  }

  #word(from: number): FilterToken {
    while (this.#is(NAME)) this.#at += 1;
    const name = this.#text.slice(from, this.#at).join("");
    const operator = name === "" ? null : this.#operator();
    if (operator !== null) {
      const valueFrom = this.#at;
      const quoted = this.#text[this.#at] === '"';
      const value = quoted ? this.#quoted() : this.#bare();
      if (value === "" && !quoted) throw new FilterMistake(valueFrom + 1);
      return { kind: "field", name, operator, value, valueFrom, from, end: this.#at };
    }
    this.#at = from;
    const text = this.#bare();
    const word = text.toLowerCase();
    const position = { from, end: this.#at };
    return word === "and" || word === "or" || word === "not"
      ? { kind: word, ...position }
      : { kind: "text", text, ...position };
  }

  #operator(): Operator | null {
    const character = this.#text[this.#at];
    switch (character) {
      case ":":
      case "=":
      case "~":
        this.#at += 1;
        return character;
      case ">":
      case "<":
        this.#at += 1;
        if (this.#text[this.#at] !== "=") return character;
        this.#at += 1;
        return `${character}=`;
      default:
        return null;
    }
  }

  #bare(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && !this.#is(SPACE) && !this.#is(/\)/)) {
      if (this.#is(/[("]/)) throw new FilterMistake(this.#at + 1);
      this.#at += 1;
    }
    return this.#text.slice(from, this.#at).join("");
  }

  #quoted(): string {
    const from = this.#at;
    this.#at += 1;
    let text = "";
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new FilterMistake(from + 1);
      const following = this.#text[this.#at + 1];
      this.#at += 1;
      if (character === '"') return text;
      if (character === "\\" && (following === '"' || following === "\\")) {
        text += following;
        this.#at += 1;
      } else text += character;
    }
  }
}
