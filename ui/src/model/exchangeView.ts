// A filtered view of the exchanges, newest first, which can be held still while the user reads.
import type { Summary } from "../api/types";
import type { Change, Exchanges } from "./exchanges";
import { everything, type Filter } from "./filter";

/** Keeps the matching sequence numbers, ascending. Each change costs only as much as it touches. */
export class ExchangeView {
  readonly #exchanges: Exchanges;
  #matches: Filter = everything;
  #seqs: number[] = [];
  /** Rows at or above this sequence number are not shown while the view is held. */
  #heldAt: number | null = null;
  #onChange: () => void = () => {};

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
    this.#rebuild();
  }

  /** Follows the exchanges until the returned function is called. */
  open(onChange: () => void): () => void {
    this.#onChange = onChange;
    this.#rebuild();
    onChange();
    return this.#exchanges.listen((change) => this.#follow(change));
  }

  /** `passing`: the sequence numbers that pass, ascending, where they are already known. */
  setFilter(matches: Filter, matching?: readonly number[]): void {
    this.#matches = matches;
    if (matching) this.#seqs = [...matching];
    else this.#rebuild();
    this.#onChange();
  }

  /** Applies a new result of the filter for these sequence numbers, which ascend. */
  evaluateAgain(seqs: readonly number[]): void {
    for (const seq of seqs) this.#evaluate(seq);
    if (seqs.length > 0) this.#onChange();
  }

  get held(): boolean {
    return this.#heldAt !== null;
  }

  hold(): void {
    if (this.#heldAt !== null) return;
    this.#heldAt = this.#exchanges.next;
    this.#onChange();
  }

  release(): void {
    if (this.#heldAt === null) return;
    this.#heldAt = null;
    this.#onChange();
  }

  /** Number of visible rows. */
  get count(): number {
    return this.#visibleEnd();
  }

  /** Number of matching rows that arrived while the view is held. */
  get waiting(): number {
    return this.#seqs.length - this.#visibleEnd();
  }

  /** Row 0 is the newest. */
  at(row: number): Summary | undefined {
    const seq = this.#seqs[this.#visibleEnd() - 1 - row];
    return seq === undefined || row < 0 ? undefined : this.#exchanges.at(seq);
  }

  /** Row of an exchange, or -1 where it is filtered out, held back or no longer stored. */
  rowOf(id: string): number {
    const seq = this.#exchanges.seqOf(id);
    if (seq === undefined) return -1;
    const index = this.#indexOf(seq);
    const end = this.#visibleEnd();
    return index < end && this.#seqs[index] === seq ? end - 1 - index : -1;
  }

  #visibleEnd(): number {
    return this.#heldAt === null ? this.#seqs.length : this.#indexOf(this.#heldAt);
  }

  /** First position whose sequence number is not below `seq`. */
  #indexOf(seq: number): number {
    let low = 0;
    let high = this.#seqs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#seqs[middle] ?? Infinity) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #follow(change: Change): void {
    switch (change.kind) {
      case "put":
        for (const seq of change.changed) this.#evaluate(seq);
        for (const seq of change.added) if (this.#passes(seq)) this.#seqs.push(seq);
        break;
      case "older":
        this.#seqs = change.added.filter((seq) => this.#passes(seq)).concat(this.#seqs);
        break;
      case "removed":
        for (const seq of change.seqs) this.#evaluate(seq);
        break;
      case "evicted": {
        const end = this.#indexOf(change.before);
        const left = this.#seqs.slice(0, end).filter((seq) => this.#exchanges.at(seq) !== undefined);
        this.#seqs = left.concat(this.#seqs.slice(end));
        break;
      }
      case "replaced":
        if (this.#heldAt !== null) this.#heldAt = this.#exchanges.next;
        this.#rebuild();
    }
    this.#onChange();
  }

  #passes(seq: number): boolean {
    const summary = this.#exchanges.at(seq);
    return summary !== undefined && this.#matches(summary);
  }

  #evaluate(seq: number): void {
    const matches = this.#passes(seq);
    const index = this.#indexOf(seq);
    const present = this.#seqs[index] === seq;
    if (matches && !present) this.#seqs.splice(index, 0, seq);
    if (!matches && present) this.#seqs.splice(index, 1);
  }

  #rebuild(): void {
    this.#seqs = this.#exchanges.seqs().filter((seq) => this.#passes(seq));
  }
}
