// The captured requests known to the page in order of arrival, with an index by id. They follow the agent's store:
// exchanges evicted there are evicted here.
import type { Summary } from "../api/types";
import { tunnelName } from "./filter/evaluate";
import { Texts } from "./commonTexts";

/** Maximum number of exchanges in a page, however large the agent's store is; the oldest are evicted first. */
export const MAX_EXCHANGES = 300_000;
/** First sequence number; older requests are fetched later and numbered below it. */
const FIRST_SEQ = 2 ** 40;

/** A change, reported to the views at once. All numbers ascend. */
export type Change =
  | { kind: "put"; added: readonly number[]; changed: readonly number[] }
  /** Older exchanges were inserted before all others. */
  | { kind: "older"; added: readonly number[] }
  | { kind: "removed"; seqs: readonly number[] }
  /** Some of those below `before` were removed. */
  | { kind: "evicted"; before: number }
  | { kind: "replaced" };

/** Every exchange keeps its sequence number while it is stored; the newest has the highest. */
export class Exchanges {
  readonly #max: number;
  readonly texts = new Texts();
  #summaries = new Map<number, Summary>();
  #first = FIRST_SEQ;
  #next = FIRST_SEQ;
  #seqs = new Map<string, number>();
  #replays = new Map<string, string[]>();
  #listeners = new Set<(change: Change) => void>();

  constructor(max: number = MAX_EXCHANGES) {
    this.#max = max;
  }

  get size(): number {
    return this.#summaries.size;
  }

  /** The lowest sequence number in use. */
  get first(): number {
    return this.#first;
  }

  /** Sequence number of the next new exchange. */
  get next(): number {
    return this.#next;
  }

  /** Whether there is room for older exchanges. */
  get hasRoom(): boolean {
    return this.size < this.#max;
  }

  at(seq: number): Summary | undefined {
    return this.#summaries.get(seq);
  }

  seqOf(id: string): number | undefined {
    return this.#seqs.get(id);
  }

  find(id: string): Summary | undefined {
    const seq = this.#seqs.get(id);
    return seq === undefined ? undefined : this.at(seq);
  }

  /** The id of the newest exchange of a tunnel. */
  newestOf(tunnel: string): string | undefined {
    for (let seq = this.#next - 1; seq >= this.#first; seq -= 1) {
      const summary = this.#summaries.get(seq);
      if (summary && tunnelName(summary.tunnel_name) === tunnel) return summary.id;
    }
    return undefined;
  }

  /** All sequence numbers, ascending. */
  seqs(): number[] {
    const span = this.#next - this.#first;
    // A pinned exchange may be far behind all others.
    if (span > 2 * this.size) return Array.from(Float64Array.from(this.#summaries.keys()).toSorted());
    const result: number[] = [];
    for (let seq = this.#first; seq < this.#next; seq += 1) if (this.#summaries.has(seq)) result.push(seq);
    return result;
  }

  /** Ids of the replays of this exchange, oldest first. */
  replaysOf(id: string): readonly string[] {
    return this.#replays.get(id) ?? [];
  }

  /** Adds new exchanges and updates known ones, in their order. */
  put(summaries: readonly Summary[]): void {
    const added: number[] = [];
    const changed = new Set<number>();
    for (const summary of summaries) {
      const existing = this.#seqs.get(summary.id);
      if (existing === undefined) {
        added.push(this.#next);
        this.#insert(this.#next, summary);
        this.#next += 1;
      } else {
        this.#update(existing, summary);
        changed.add(existing);
      }
    }
    if (this.size > this.#max) this.evictTo(Math.floor(this.#max * 0.99));
    const before = added[0] ?? Infinity;
    const old = [...changed].filter((seq) => seq < before).toSorted((a, b) => a - b);
    if (added.length > 0 || old.length > 0) this.#notify({ kind: "put", added, changed: old });
  }

  /** Inserts a page of older exchanges, given newest first. */
  putOlder(newestFirst: readonly Summary[]): void {
    const added: number[] = [];
    for (const summary of newestFirst) {
      if (this.#seqs.has(summary.id) || !this.hasRoom) continue;
      this.#first -= 1;
      this.#insert(this.#first, summary);
      added.push(this.#first);
    }
    for (const [id, replays] of this.#replays)
      if (replays.length > 1)
        this.#replays.set(
          id,
          replays.toSorted((a, b) => this.#order(a) - this.#order(b)),
        );
    if (added.length > 0) this.#notify({ kind: "older", added: added.toReversed() });
  }

  /** Applies the newest page of the agent's list, newest first. Exchanges that arrived since `mark` follow it. */
  replaceAll(newestFirst: readonly Summary[], mark: number): void {
    const listed = new Set(newestFirst.map((summary) => summary.id));
    const since: Summary[] = [];
    for (const seq of this.seqs()) {
      const summary = this.at(seq);
      if (seq >= mark && summary && !listed.has(summary.id)) since.push(summary);
    }
    // The page may have been written before a response that an event already reported.
    const current = newestFirst.map((summary) => {
      const existing = summary.duration === null ? this.find(summary.id) : undefined;
      return existing ?? summary;
    });
    this.#empty();
    for (const summary of [...current.toReversed(), ...since]) {
      this.#insert(this.#next, summary);
      this.#next += 1;
    }
    this.#notify({ kind: "replaced" });
  }

  remove(id: string): void {
    const seq = this.#seqs.get(id);
    if (seq === undefined) return;
    this.#drop(seq);
    this.#notify({ kind: "removed", seqs: [seq] });
  }

  /** Follows the agent's limit: the oldest are evicted, pinned ones only when nothing else is left. */
  evictTo(count: number): void {
    let surplus = this.size - count;
    if (surplus <= 0) return;
    let before = this.#first;
    for (const pinnedToo of [false, true]) {
      if (surplus === 0) break;
      for (const seq of this.seqs()) {
        if (surplus === 0) break;
        if (this.at(seq)?.pinned === true && !pinnedToo) continue;
        this.#drop(seq);
        surplus -= 1;
        before = Math.max(before, seq + 1);
      }
    }
    while (this.#first < this.#next && !this.#summaries.has(this.#first)) this.#first += 1;
    this.#notify({ kind: "evicted", before });
  }

  clear(): void {
    this.#empty();
    this.#notify({ kind: "replaced" });
  }

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #order(id: string): number {
    return this.#seqs.get(id) ?? 0;
  }

  #insert(seq: number, summary: Summary): void {
    this.texts.add(summary);
    this.#summaries.set(seq, summary);
    this.#seqs.set(summary.id, seq);
    if (summary.replay_of === null) return;
    const replays = this.#replays.get(summary.replay_of);
    if (replays) replays.push(summary.id);
    else this.#replays.set(summary.replay_of, [summary.id]);
  }

  #update(seq: number, summary: Summary): void {
    const before = this.#summaries.get(seq);
    if (before) this.texts.remove(before);
    this.texts.add(summary);
    this.#summaries.set(seq, summary);
  }

  #drop(seq: number): void {
    const summary = this.#summaries.get(seq);
    if (!summary) return;
    this.texts.remove(summary);
    this.#summaries.delete(seq);
    this.#seqs.delete(summary.id);
    this.#replays.delete(summary.id);
    if (summary.replay_of === null) return;
    const left = this.replaysOf(summary.replay_of).filter((id) => id !== summary.id);
    if (left.length > 0) this.#replays.set(summary.replay_of, left);
    else this.#replays.delete(summary.replay_of);
  }

  /** Sequence numbers continue, so that a number still held by a view never names another exchange. */
  #empty(): void {
    this.#summaries.clear();
    this.texts.clear();
    this.#first = this.#next;
    this.#seqs.clear();
    this.#replays.clear();
  }

  #notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
