// The captured requests the window knows: a bounded ring in the order of arrival, with an index by id.
import type { Summary } from "../api/types";

export const CAPACITY = 50_000;

/** What happened to the ring, told at once to its views. */
export type Change = { kind: "added"; seq: number } | { kind: "changed"; seq: number } | { kind: "replaced" };

/** Every exchange has a sequence number that never changes while it is kept; the newest has the highest. */
export class Exchanges {
  readonly #capacity: number;
  #slots: Summary[] = [];
  #first = 0;
  #next = 0;
  #seqs = new Map<string, number>();
  #replays = new Map<string, string[]>();
  #listeners = new Set<(change: Change) => void>();

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#next - this.#first;
  }

  /** Sequence number of the oldest exchange still kept. */
  get first(): number {
    return this.#first;
  }

  /** Sequence number the next new exchange will get. */
  get next(): number {
    return this.#next;
  }

  at(seq: number): Summary | undefined {
    return seq >= this.#first && seq < this.#next ? this.#slots[seq % this.#capacity] : undefined;
  }

  seqOf(id: string): number | undefined {
    return this.#seqs.get(id);
  }

  find(id: string): Summary | undefined {
    const seq = this.#seqs.get(id);
    return seq === undefined ? undefined : this.at(seq);
  }

  /** Ids of the replays of this exchange, oldest first. */
  replaysOf(id: string): readonly string[] {
    return this.#replays.get(id) ?? [];
  }

  /** Adds an exchange or brings a known one up to date. */
  put(summary: Summary): void {
    const known = this.#seqs.get(summary.id);
    if (known !== undefined) {
      this.#slots[known % this.#capacity] = summary;
      this.#tell({ kind: "changed", seq: known });
      return;
    }
    this.#append(summary);
    this.#tell({ kind: "added", seq: this.#next - 1 });
  }

  /** Takes the agent's whole list, newest first. Exchanges that came in since `mark` are kept behind it. */
  replaceAll(newestFirst: readonly Summary[], mark: number): void {
    const listed = new Set(newestFirst.map((summary) => summary.id));
    const since: Summary[] = [];
    for (let seq = Math.max(mark, this.#first); seq < this.#next; seq += 1) {
      const summary = this.at(seq);
      if (summary && !listed.has(summary.id)) since.push(summary);
    }
    // The list may have been written before an answer that was already told as an event.
    const current = newestFirst.slice(0, this.#capacity).map((summary) => {
      const known = summary.duration === null ? this.find(summary.id) : undefined;
      return known ?? summary;
    });
    this.#empty();
    for (const summary of current.toReversed()) this.#append(summary);
    for (const summary of since) this.#append(summary);
    this.#tell({ kind: "replaced" });
  }

  clear(): void {
    this.#empty();
    this.#tell({ kind: "replaced" });
  }

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #append(summary: Summary): void {
    if (this.size === this.#capacity) this.#evictOldest();
    this.#slots[this.#next % this.#capacity] = summary;
    this.#seqs.set(summary.id, this.#next);
    this.#next += 1;
    if (summary.replay_of !== null) {
      const replays = this.#replays.get(summary.replay_of);
      if (replays) replays.push(summary.id);
      else this.#replays.set(summary.replay_of, [summary.id]);
    }
  }

  #evictOldest(): void {
    const oldest = this.at(this.#first);
    this.#first += 1;
    if (!oldest) return;
    this.#seqs.delete(oldest.id);
    this.#replays.delete(oldest.id);
    if (oldest.replay_of !== null) {
      const left = this.replaysOf(oldest.replay_of).filter((id) => id !== oldest.id);
      if (left.length > 0) this.#replays.set(oldest.replay_of, left);
      else this.#replays.delete(oldest.replay_of);
    }
  }

  /** Sequence numbers go on, so that a number held by somebody never names another exchange. */
  #empty(): void {
    this.#slots = [];
    this.#first = this.#next;
    this.#seqs.clear();
    this.#replays.clear();
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
