// A comparison as rows: values with their paths, or lines with unchanged ones folded.
import {
  MAX_MATCHES,
  highlighted,
  NO_MATCHES,
  pattern,
  escapeDeceptive,
  type SearchResult,
  type Reading,
  type TextRow,
  type DiffSign,
  type Token,
} from "../../bodies/reading/rows";
import { editScript, type EditStep } from "./editScript";

const SHOWN = 300;

interface Shape {
  tokens: Token[];
  sign: DiffSign | null;
  number: number | null;
  /** False for a row that can be expanded. */
  open?: false;
}

/** Common to all comparisons: rows that do not expand, and a search over the visible ones. */
abstract class Listed implements Reading {
  #searched: RegExp | null = null;
  #findings: number[] = [];

  abstract get count(): number;
  protected abstract row(row: number): Shape;
  abstract text(row: number): string;

  rows(from: number, to: number): TextRow[] {
    const rows: TextRow[] = [];
    for (let at = Math.max(from, 0); at < Math.min(to, this.count); at += 1) {
      const { tokens, sign, number, open = null } = this.row(at);
      rows.push({
        tokens: highlighted(tokens, this.#searched),
        number,
        level: 0,
        open,
        ...(sign ? { sign } : {}),
      });
    }
    return rows;
  }

  wrap(): void {}

  toggle(_row: number): void {}

  fold(_open: boolean): void {}

  find(text: string): SearchResult {
    this.#searched = pattern(text);
    this.#findings = [];
    if (this.#searched === null) return NO_MATCHES;
    for (let row = 0; row < this.count; row += 1) {
      this.#searched.lastIndex = 0;
      if (this.#findings.length === MAX_MATCHES) return { count: MAX_MATCHES, more: true };
      const shown = this.row(row)
        .tokens.map(([, piece]) => piece)
        .join("");
      if (this.#searched.test(shown)) this.#findings.push(row);
    }
    return { count: this.#findings.length, more: false };
  }

  show(finding: number): number {
    return this.#findings[finding] ?? 0;
  }

  path(_row: number): string | null {
    return null;
  }
}

export interface DifferenceRow {
  kind: DiffSign;
  path: string;
  before: string;
  after: string;
}

export class DifferenceRows extends Listed {
  readonly #rows: readonly DifferenceRow[];

  constructor(rows: readonly DifferenceRow[]) {
    super();
    this.#rows = rows;
  }

  get count(): number {
    return this.#rows.length;
  }

  protected row(row: number) {
    const { kind, path, before, after } = this.#rows[row] ?? {
      kind: "changed",
      path: "",
      before: "",
      after: "",
    };
    const tokens: Token[] = [...escapeDeceptive("key", path), ["mark", "  "]];
    if (kind !== "added") tokens.push(...escapeDeceptive("plain", shortened(before)));
    if (kind === "changed") tokens.push(["mark", "  →  "]);
    if (kind !== "removed") tokens.push(...escapeDeceptive("plain", shortened(after)));
    return { tokens, sign: kind, number: null };
  }

  override path(row: number): string | null {
    return this.#rows[row]?.path ?? null;
  }

  text(row: number): string {
    const found = this.#rows[row];
    return found ? found.after || found.before : "";
  }
}

const CONTEXT_LINES = 3;
/** Maximum length of texts compared by lines. */
const MAX_LINE_LENGTH_SUM = 100_000;

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

type Shown = EditStep | { kind: "gap"; from: number; to: number };

export class LineChanges extends Listed {
  readonly notes: string[] = [];
  readonly changes: number;
  readonly #before: readonly string[];
  readonly #after: readonly string[];
  readonly #steps: readonly EditStep[];
  #shown: Shown[];

  constructor(before: readonly string[], after: readonly string[]) {
    super();
    this.#before = before;
    this.#after = after;
    const known = new Map<string, number>();
    const numbered = (lines: readonly string[]) =>
      Int32Array.from(lines, (line) => {
        const number = known.get(line) ?? known.size;
        known.set(line, number);
        return number;
      });
    const [ours, theirs] = [numbered(before), numbered(after)];
    const found =
      before.length > MAX_LINE_LENGTH_SUM || after.length > MAX_LINE_LENGTH_SUM
        ? null
        : editScript(before.length, after.length, (one, other) => ours[one] === theirs[other]);
    if (found === null)
      this.notes.push(
        "The bodies are too long or too different for a comparison by lines: both are shown completely.",
      );
    this.#steps = found ?? all(before.length, after.length);
    this.#shown = folded(this.#steps);
    this.changes = this.#steps.filter(({ kind }) => kind !== "same").length;
  }

  get count(): number {
    return this.#shown.length;
  }

  protected row(row: number): Shape {
    const shown = this.#shown[row];
    if (shown === undefined) return { tokens: [], sign: null, number: null };
    if (shown.kind === "gap") {
      const lines = (shown.to - shown.from).toLocaleString("en");
      return { tokens: [["mark", `⋯ ${lines} identical lines`]], sign: null, number: null, open: false };
    }
    const number = (shown.kind === "removed" ? shown.before : shown.after) + 1;
    return {
      tokens: escapeDeceptive("plain", shortened(this.text(row), 1_000)),
      sign: shown.kind === "same" ? null : shown.kind,
      number,
    };
  }

  text(row: number): string {
    const shown = this.#shown[row];
    if (shown === undefined || shown.kind === "gap") return "";
    return (shown.kind === "removed" ? this.#before[shown.before] : this.#after[shown.after]) ?? "";
  }

  /** Shows the lines of a gap. */
  override toggle(row: number): void {
    const gap = this.#shown[row];
    if (gap?.kind !== "gap") return;
    this.#shown = [
      ...this.#shown.slice(0, row),
      ...this.#steps.slice(gap.from, gap.to),
      ...this.#shown.slice(row + 1),
    ];
  }

  override fold(open: boolean): void {
    this.#shown = open ? [...this.#steps] : folded(this.#steps);
  }
}

function all(before: number, after: number): EditStep[] {
  const found: EditStep[] = [];
  for (let at = 0; at < before; at += 1) found.push({ kind: "removed", before: at, after: 0 });
  for (let at = 0; at < after; at += 1) found.push({ kind: "added", before, after: at });
  return found;
}

function folded(found: readonly EditStep[]): Shown[] {
  const shown: Shown[] = [];
  let at = 0;
  while (at < found.length) {
    let end = at;
    while (end < found.length && found[end]?.kind === "same") end += 1;
    const first = at === 0 ? at : Math.min(at + CONTEXT_LINES, end);
    const last = end === found.length ? end : Math.max(end - CONTEXT_LINES, first);
    if (last - first > 1) {
      shown.push(
        ...found.slice(at, first),
        { kind: "gap", from: first, to: last },
        ...found.slice(last, end),
      );
    } else shown.push(...found.slice(at, end));
    while (end < found.length && found[end]?.kind !== "same") {
      shown.push(found[end] as EditStep);
      end += 1;
    }
    at = end;
  }
  return shown;
}

function shortened(text: string, most: number = SHOWN): string {
  const line = most === SHOWN ? text.slice(0, most * 4).replaceAll(/\s+/g, " ") : text;
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
