// What every reading of a body comes down to: rows of coloured text that can be asked for piece by piece.

export type TokenKind = "plain" | "key" | "string" | "number" | "word" | "mark" | "odd" | "wrong";

/** A piece of text, its colour, and whether it is part of what was searched for. */
export type Token = readonly [kind: TokenKind, text: string, hit?: true];

export interface Row {
  tokens: Token[];
  /** The line in the original text; null where a long line goes on, and in trees. */
  number: number | null;
  level: number;
  /** Null for what cannot be opened. */
  open: boolean | null;
  /** Of a comparison: how the row differs. */
  sign?: Sign;
}

export type Sign = "added" | "removed" | "changed";

/** A body as it was read, kept where it was read; the page asks only for the rows in sight. */
export interface Reading {
  readonly count: number;
  rows(from: number, to: number): Row[];
  /** Lays lines out anew for a width in characters; trees have no use for it. */
  wrap(columns: number): void;
  toggle(row: number): void;
  /** Opens everything (up to the limit of rows), or closes all but the first level. */
  fold(open: boolean): void;
  /** Looks for a text, whatever its case. An empty one ends the search. */
  find(text: string): Found;
  /** The row of a finding, opened to be seen. */
  show(finding: number): number;
  /** Where the row stands in the body, such as `$.orders[0].id`; null where there is no such thing. */
  path(row: number): string | null;
  /** What the row stands for, whole. */
  text(row: number): string;
}

export interface Found {
  count: number;
  /** There are more, but no more were looked for. */
  more: boolean;
}

export const NOTHING_FOUND: Found = { count: 0, more: false };
export const FINDINGS = 10_000;

/** Characters that deceive or do not show: control characters, zero width, direction marks, private and lone halves. */
const ODD = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}",
    "\\u{d800}-\\u{dfff}]",
  ].join(""),
  "gu",
);

/** Text from the wire in the order it was sent: what would deceive the eye is named instead. */
export function visible(kind: TokenKind, text: string): Token[] {
  ODD.lastIndex = 0;
  if (!ODD.test(text)) return text === "" ? [] : [[kind, text]];
  const tokens: Token[] = [];
  let at = 0;
  ODD.lastIndex = 0;
  for (const found of text.matchAll(ODD)) {
    if (found.index > at) tokens.push([kind, text.slice(at, found.index)]);
    const code = found[0].codePointAt(0) ?? 0;
    tokens.push(["odd", code === 0x1b ? "ESC" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`]);
    at = found.index + found[0].length;
  }
  if (at < text.length) tokens.push([kind, text.slice(at)]);
  return tokens;
}

/** The pattern of a search; null for nothing to look for. */
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
