// The fields of a form as rows of names and values.
import { pairs, type Header } from "../../../model/httpMessage";
import {
  MAX_MATCHES,
  highlighted,
  NO_MATCHES,
  pattern,
  escapeDeceptive,
  type SearchResult,
  type Reading,
  type TextRow,
} from "./rows";

const SHOWN = 2_000;

export class Fields implements Reading {
  readonly #fields: Header[];
  #searched: RegExp | null = null;
  #findings: number[] = [];

  constructor(text: string) {
    this.#fields = pairs(text.trim());
  }

  get count(): number {
    return this.#fields.length;
  }

  /** Two or more tokens: only the name is a key. */
  rows(from: number, to: number): TextRow[] {
    return this.#fields.slice(Math.max(from, 0), to).map(({ name, value }) => ({
      tokens: highlighted(
        [
          ...escapeDeceptive("key", name === "" ? " " : name.slice(0, SHOWN)),
          ["mark", "\t"],
          ...escapeDeceptive("plain", value.slice(0, SHOWN)),
          ...(value.length > SHOWN ? ([["mark", "…"]] as const) : []),
        ],
        this.#searched,
      ),
      number: null,
      level: 0,
      open: null,
    }));
  }

  wrap(): void {}

  toggle(): void {}

  fold(): void {}

  find(text: string): SearchResult {
    this.#searched = pattern(text);
    this.#findings = [];
    if (this.#searched === null) return NO_MATCHES;
    for (const [index, { name, value }] of this.#fields.entries()) {
      this.#searched.lastIndex = 0;
      if (this.#findings.length === MAX_MATCHES) return { count: MAX_MATCHES, more: true };
      if (this.#searched.test(`${name}\t${value}`)) this.#findings.push(index);
    }
    return { count: this.#findings.length, more: false };
  }

  show(finding: number): number {
    return this.#findings[finding] ?? 0;
  }

  path(row: number): string {
    return this.#fields[row]?.name ?? "";
  }

  text(row: number): string {
    return this.#fields[row]?.value ?? "";
  }
}
