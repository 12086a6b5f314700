// The grammar of filters: adjacent terms must all match; `and`, `or`, `not` and parentheses combine them.
import { bytes, fieldNamed, nanoseconds, statuses, truth, type Bounds, type Field } from "./fields";
import { tokenize, FilterMistake, type Operator, type FilterToken } from "./tokens";

export type FilterNode =
  | { kind: "all" | "any"; nodes: FilterNode[] }
  | { kind: "not"; node: FilterNode }
  | { kind: "anywhere"; text: string }
  | { kind: "text"; field: Exclude<Field, { kind: "distant" }>; operator: ":" | "="; value: string }
  | { kind: "number"; field: Exclude<Field, { kind: "distant" }>; bounds: Bounds }
  | { kind: "flag"; field: Extract<Field, { kind: "flag" }>; wanted: boolean }
  /** Only the agent can evaluate it: it needs heads or bodies, or uses a regular expression. */
  | { kind: "distant" };

const MAX_DEPTH = 32;
const MAX_TESTS = 64;

/** Throws a `FilterMistake` at the position where the agent reports one. */
export function parse(filter: string): FilterNode {
  const pieces = tokenize(filter);
  if (pieces.length === 0) return { kind: "all", nodes: [] };
  const parser = new Parser(pieces, Array.from(filter).length);
  return parser.whole();
}

class Parser {
  readonly #pieces: readonly FilterToken[];
  readonly #end: number;
  #at = 0;
  #tests = 0;

  constructor(pieces: readonly FilterToken[], end: number) {
    this.#pieces = pieces;
    this.#end = end;
  }

  whole(): FilterNode {
    const node = this.#alternatives(0);
    const rest = this.#pieces[this.#at];
    if (rest) throw new FilterMistake(rest.from + 1);
    return node;
  }

  #alternatives(depth: number): FilterNode {
    const nodes = [this.#together(depth)];
    while (this.#pieces[this.#at]?.kind === "or") {
      this.#at += 1;
      nodes.push(this.#together(depth));
    }
    return combined("any", nodes);
  }

  #together(depth: number): FilterNode {
    const nodes = [this.#one(depth)];
    for (;;) {
      const kind = this.#pieces[this.#at]?.kind;
      if (kind === undefined || kind === "or" || kind === ")") return combined("all", nodes);
      if (kind === "and") this.#at += 1;
      nodes.push(this.#one(depth));
    }
  }

  #one(depth: number): FilterNode {
    const piece = this.#pieces[this.#at];
    if (!piece) throw new FilterMistake(this.#end + 1);
    this.#at += 1;
    if (depth > MAX_DEPTH) throw new FilterMistake(piece.from + 1);
    switch (piece.kind) {
      case "(": {
        const node = this.#alternatives(depth + 1);
        if (this.#pieces[this.#at]?.kind !== ")") throw new FilterMistake(piece.from + 1);
        this.#at += 1;
        return node;
      }
      case "not":
        return { kind: "not", node: this.#one(depth + 1) };
      case ")":
      case "and":
      case "or":
        throw new FilterMistake(piece.from + 1);
      case "text":
        this.#count(piece);
        return { kind: "anywhere", text: piece.text };
      case "field":
        this.#count(piece);
        return test(piece);
    }
  }

  #count(piece: FilterToken): void {
    this.#tests += 1;
    if (this.#tests > MAX_TESTS) throw new FilterMistake(piece.from + 1);
  }
}

function combined(kind: "all" | "any", nodes: FilterNode[]): FilterNode {
  const [only] = nodes;
  return nodes.length === 1 && only ? only : { kind, nodes };
}

function test({
  name,
  operator,
  value,
  from,
  valueFrom,
}: Extract<FilterToken, { kind: "field" }>): FilterNode {
  const field = fieldNamed(name);
  if (field === null) throw new FilterMistake(from + 1);
  const wrong = new FilterMistake(valueFrom + 1);
  const plain = operator === ":" || operator === "=";
  switch (field.kind) {
    case "distant":
      if (!plain && operator !== "~") throw wrong;
      return { kind: "distant" };
    case "text":
      if (operator === "~") return { kind: "distant" };
      if (!plain) throw wrong;
      return { kind: "text", field, operator, value };
    case "method":
    case "tunnel":
      if (!plain) throw wrong;
      return { kind: "text", field, operator, value };
    case "status":
      return { kind: "number", field, bounds: compared(operator, statuses(value)) ?? raise(wrong) };
    case "duration": {
      const bound = exactly(nanoseconds(value));
      if (plain) throw wrong;
      return { kind: "number", field, bounds: compared(operator, bound) ?? raise(wrong) };
    }
    case "size":
      return { kind: "number", field, bounds: compared(operator, exactly(bytes(value))) ?? raise(wrong) };
    case "flag": {
      const flag = truth(value);
      if (flag === null || !plain) throw wrong;
      return { kind: "flag", field, wanted: flag };
    }
  }
}

function raise(mistake: FilterMistake): never {
  throw mistake;
}

function exactly(number: number | null): Bounds | null {
  return number === null ? null : { min: number, max: number };
}

/** The bounds of a comparison with a number or a range of numbers, all inclusive. */
function compared(operator: Operator, written: Bounds | null): Bounds | null {
  if (written === null) return null;
  switch (operator) {
    case ":":
    case "=":
      return written;
    case ">":
      return { min: written.max + 1, max: Infinity };
    case ">=":
      return { min: written.min, max: Infinity };
    case "<":
      return { min: 0, max: written.min - 1 };
    case "<=":
      return { min: 0, max: written.max };
    case "~":
      return null;
  }
}
