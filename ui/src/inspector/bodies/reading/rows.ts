// The common form of all readings of a body: rows of coloured text, fetched in ranges.

export type TokenKind = "plain" | "key" | "string" | "number" | "word" | "mark" | "odd" | "wrong";

/** A piece of text, its colour, and whether it is part of a search result. */
export type Token = readonly [kind: TokenKind, text: string, hit?: true];

export interface TextRow {
  tokens: Token[];
  /** The line in the original text; null for a continuation and in trees. */
  number: number | null;
  level: number;
  /** Null for a row that cannot be expanded. */
  open: boolean | null;
  /** In a comparison: how the row differs. */
  sign?: DiffSign;
}

export type DiffSign = "added" | "removed" | "changed";

/** A parsed body, kept in the worker; the page fetches only the visible rows. */
export interface Reading {
  readonly count: number;
  rows(from: number, to: number): TextRow[];
  /** Wraps lines at a width in characters; trees ignore it. */
  wrap(columns: number): void;
  toggle(row: number): void;
  /** Expands everything (up to the limit of rows), or collapses all but the first level. */
  fold(open: boolean): void;
  /** Searches for a text, ignoring case. An empty one ends the search. */
  find(text: string): SearchResult;
  /** The row of a search result, expanded so that it is visible. */
  show(finding: number): number;
  /** Path of the row in the body, such as `$.orders[0].id`; null where there is none. */
  path(row: number): string | null;
  /** The full value of the row. */
  text(row: number): string;
}

export interface SearchResult {
  count: number;
  /** There are more results, but the search stopped here. */
  more: boolean;
}

export const NO_MATCHES: SearchResult = { count: 0, more: false };
export const MAX_MATCHES = 10_000;

/** Deceptive or invisible characters: control, zero-width, direction marks, private use, and lone surrogates. */
const DECEPTIVE = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}",
    "\\u{d800}-\\u{dfff}]",
  ].join(""),
  "gu",
);

/** Text from the wire in the order it was sent, with deceptive characters replaced by their names. */
export function escapeDeceptive(kind: TokenKind, text: string): Token[] {
  DECEPTIVE.lastIndex = 0;
  if (!DECEPTIVE.test(text)) return text === "" ? [] : [[kind, text]];
  const tokens: Token[] = [];
  let at = 0;
  DECEPTIVE.lastIndex = 0;
  for (const found of text.matchAll(DECEPTIVE)) {
    if (found.index > at) tokens.push([kind, text.slice(at, found.index)]);
    const code = found[0].codePointAt(0) ?? 0;
    tokens.push(["odd", code === 0x1b ? "ESC" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`]);
    at = found.index + found[0].length;
  }
  if (at < text.length) tokens.push([kind, text.slice(at)]);
  return tokens;
}

/** The pattern of a search; null for an empty one. */
export function pattern(text: string): RegExp | null {
  return text === "" ? null : new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

export function highlighted(tokens: Token[], searched: RegExp | null): Token[] {
  if (searched === null) return tokens;
  return tokens.flatMap(([kind, text]) => {
    const parts: Token[] = [];
    let at = 0;
    searched.lastIndex = 0;
    for (const found of text.matchAll(searched)) {
      if (found.index > at) parts.push([kind, text.slice(at, found.index)]);
      parts.push([kind, found[0], true]);
      at = found.index + found[0].length;
    }
    if (at < text.length) parts.push([kind, text.slice(at)]);
    return parts;
  });
}
