// Edits the text of a filter: adds or removes a term, or replaces a value.
import { tokenizePrefix, type FilterToken } from "./tokens";

export function hasTerm(filter: string, term: string): boolean {
  return placeOf(filter, term) !== null;
}

/** Adds the term to the filter or, if it is already there, removes it. */
export function toggleTerm(filter: string, term: string): string {
  const position = placeOf(filter, term);
  return position === null ? beside(filter, term) : without(filter, position.from, position.end);
}

/** Replaces every `name:…` in the filter with one new value, or removes it. */
export function setTerm(filter: string, name: string, value: string | null): string {
  let rest = filter;
  for (let found = termOf(rest, name); found; found = termOf(rest, name))
    rest = without(rest, found.from, found.end);
  return value === null ? rest : beside(rest, `${name}:${quotedValue(value)}`);
}

/** The value of the first `name:…` in the filter. */
export function filterValue(filter: string, name: string): string | null {
  return termOf(filter, name)?.value ?? null;
}

/** Quotes a value as the filter syntax requires. */
export function quotedValue(value: string): string {
  return /^[^\s()"\u0085]+$/.test(value) ? value : `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

function termOf(filter: string, name: string): Extract<FilterToken, { kind: "field" }> | null {
  for (const piece of tokenizePrefix(filter)) {
    if (piece.kind === "field" && piece.operator === ":" && piece.name.toLowerCase() === name) return piece;
  }
  return null;
}

/** Position of the term as a whole among the tokens of the filter. */
function placeOf(filter: string, term: string): { from: number; end: number } | null {
  const tokens = tokenizePrefix(term).map(written);
  const pieces = tokenizePrefix(filter);
  for (let at = 0; at + tokens.length <= pieces.length; at += 1) {
    const part = pieces.slice(at, at + tokens.length);
    const [first, last] = [part[0], part.at(-1)];
    if (first && last && part.every((piece, index) => written(piece) === tokens[index]))
      return { from: first.from, end: last.end };
  }
  return null;
}

function written(piece: FilterToken): string {
  if (piece.kind === "text") return `"${piece.text}`;
  return piece.kind === "field" ? `${piece.name}${piece.operator}${piece.value}` : piece.kind;
}

function without(filter: string, from: number, end: number): string {
  const characters = Array.from(filter);
  const [before, behind] = [characters.slice(0, from).join(""), characters.slice(end).join("")];
  return [before.trimEnd(), behind.trimStart()].filter((part) => part !== "").join(" ");
}

/** Both terms must match, so alternatives are put in parentheses. */
function beside(filter: string, term: string): string {
  const trimmed = filter.trim();
  if (trimmed === "") return term;
  let depth = 0;
  let open = false;
  for (const { kind } of tokenizePrefix(trimmed)) {
    if (kind === "(") depth += 1;
    if (kind === ")") depth -= 1;
    if (kind === "or" && depth === 0) open = true;
  }
  return `${open ? `(${trimmed})` : trimmed} ${term}`;
}
