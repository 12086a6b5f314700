// A tree as rows: the expanded nodes, the resulting rows, and the search results.
import type { Nodes } from "./nodes";
import {
  MAX_MATCHES,
  highlighted,
  NO_MATCHES,
  pattern,
  type SearchResult,
  type Reading,
  type TextRow,
  type Token,
} from "./rows";

/** How a format displays its nodes. */
export interface NodeFormat {
  readonly nodes: Nodes;
  tokens(node: number): Token[];
  path(node: number): string | null;
  text(node: number): string;
  /** The text that contains the nodes in order, where there is one: it is then searched as a whole. */
  readonly source: string | null;
}

const EXPANDED_NODES = 2;
/** Above this number of nodes a tree starts more collapsed. */
const INITIAL_ROWS = 5_000;

export class Outline implements Reading {
  readonly #format: NodeFormat;
  readonly #open: Uint8Array;
  #rows: Int32Array;
  #searched: RegExp | null = null;
  #findings: number[] = [];

  constructor(format: NodeFormat) {
    this.#format = format;
    this.#open = new Uint8Array(format.nodes.size);
    this.#openTo(EXPANDED_NODES);
    this.#rows = this.#laid();
    if (this.#rows.length > INITIAL_ROWS) {
      this.#openTo(1);
      this.#rows = this.#laid();
    }
  }

  get count(): number {
    return this.#rows.length;
  }

  rows(from: number, to: number): TextRow[] {
    const { nodes } = this.#format;
    const rows: TextRow[] = [];
    for (let row = Math.max(from, 0); row < Math.min(to, this.count); row += 1) {
      const node = this.#rows[row] ?? 0;
      rows.push({
        tokens: highlighted(this.#format.tokens(node), this.#searched),
        number: null,
        level: nodes.level(node),
        open: nodes.isEmpty(node) ? null : this.#open[node] === 1,
      });
    }
    return rows;
  }

  wrap(): void {}

  toggle(row: number): void {
    const node = this.#rows[row];
    if (node === undefined || this.#format.nodes.isEmpty(node)) return;
    this.#open[node] = this.#open[node] === 1 ? 0 : 1;
    this.#rows = this.#laid();
  }

  fold(open: boolean): void {
    if (open) this.#open.fill(1);
    else this.#openTo(1);
    this.#rows = this.#laid();
  }

  find(text: string): SearchResult {
    this.#searched = pattern(text);
    this.#findings = [];
    if (this.#searched === null) return NO_MATCHES;
    const { source, nodes } = this.#format;
    let last = -1;
    const note = (node: number): boolean => {
      if (node !== last) this.#findings.push(node);
      last = node;
      return this.#findings.length >= MAX_MATCHES;
    };
    if (source !== null) {
      for (const found of source.matchAll(this.#searched)) {
        if (note(this.#nodeAt(found.index))) return { count: MAX_MATCHES, more: true };
      }
    } else {
      for (let node = 0; node < nodes.size; node += 1) {
        const shown = this.#format
          .tokens(node)
          .map(([, piece]) => piece)
          .join("");
        this.#searched.lastIndex = 0;
        if (this.#searched.test(shown) && note(node)) return { count: MAX_MATCHES, more: true };
      }
    }
    return { count: this.#findings.length, more: false };
  }

  show(finding: number): number {
    const { nodes } = this.#format;
    const node = this.#findings[finding] ?? 0;
    let changed = false;
    for (let above = nodes.parent(node); above >= 0; above = nodes.parent(above)) {
      if (this.#open[above] !== 1) changed = true;
      this.#open[above] = 1;
    }
    if (changed) this.#rows = this.#laid();
    return this.#rowOf(node);
  }

  path(row: number): string | null {
    return this.#format.path(this.#rows[row] ?? 0);
  }

  text(row: number): string {
    return this.#format.text(this.#rows[row] ?? 0);
  }

  /** Rows and nodes are in the same order. */
  #rowOf(node: number): number {
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#rows[middle] ?? 0) <= node) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #nodeAt(place: number): number {
    const { nodes } = this.#format;
    let low = 0;
    let high = nodes.size - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (nodes.from(middle) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #openTo(level: number): void {
    const { nodes } = this.#format;
    for (let node = 0; node < nodes.size; node += 1) this.#open[node] = nodes.level(node) < level ? 1 : 0;
  }

  #laid(): Int32Array {
    const { nodes } = this.#format;
    const rows = new Int32Array(nodes.size);
    let count = 0;
    for (let node = 0; node < nodes.size; node = this.#open[node] === 1 ? node + 1 : nodes.next(node)) {
      rows[count] = node;
      count += 1;
    }
    return rows.slice(0, count);
  }
}
