// A filter that only the agent can evaluate: all matches are requested once, and again for every change.
import type { AgentApi } from "../api/agent";
import { ApiError, asProblem } from "../api/problem";
import type { Problem, Summary, SummaryPage } from "../api/types";
import type { Change, Exchanges } from "./exchanges";

const PAGE_SIZE = 2000;
const DEBOUNCE_MS = 250;

export interface Progress {
  /** From 0 to 1; 1 when all existing exchanges have been searched. */
  done: number;
  problem: FilterProblem | null;
}

export interface FilterProblem extends Problem {
  /** Position of the error in characters, counted from 1. */
  position: number | null;
}

/** Converts the agent's response to an invalid filter. */
export function filterProblemOf(thrown: unknown): FilterProblem {
  const position = thrown instanceof ApiError ? Number(thrown.details["position"]) : Number.NaN;
  return { ...asProblem(thrown), position: Number.isInteger(position) ? position : null };
}

export class RemoteFilter {
  readonly filter: string;
  readonly #api: AgentApi;
  readonly #exchanges: Exchanges;
  readonly #notify: (evaluated: readonly number[], progress: Progress) => void;
  #matchingIds = new Set<string>();
  #changed = new Set<number>();
  #progress: Progress = { done: 0, problem: null };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = true;

  /** `tell` receives the sequence numbers to evaluate again, ascending. */
  constructor(
    filter: string,
    api: AgentApi,
    exchanges: Exchanges,
    notify: (evaluated: readonly number[], progress: Progress) => void,
  ) {
    this.filter = filter;
    this.#api = api;
    this.#exchanges = exchanges;
    this.#notify = notify;
  }

  matches = (summary: Summary): boolean => this.#matchingIds.has(summary.id);

  get progress(): Progress {
    return this.#progress;
  }

  /** Starts the search and follows changes; the returned function stops it. */
  start(): () => void {
    const stop = this.#exchanges.listen((change) => this.#follow(change));
    void this.#search(this.#exchanges.first);
    return () => {
      this.#open = false;
      clearTimeout(this.#timer);
      stop();
    };
  }

  #follow(change: Change): void {
    if (change.kind === "replaced") this.#matchingIds.clear();
    // Older exchanges are covered by the search, whether the page has them or not.
    if (change.kind === "put") for (const seq of [...change.added, ...change.changed]) this.#changed.add(seq);
    if (change.kind === "replaced") for (const seq of this.#exchanges.seqs()) this.#changed.add(seq);
    // Ids of removed exchanges are harmless for a while.
    if (this.#matchingIds.size > 2 * this.#exchanges.size + 1000)
      for (const id of this.#matchingIds) if (!this.#exchanges.find(id)) this.#matchingIds.delete(id);
    if (this.#changed.size > 0 && this.#progress.done === 1) this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const changed = [...this.#changed].toSorted((a, b) => a - b);
      this.#changed.clear();
      void this.#searchAgain(changed);
    }, DEBOUNCE_MS);
  }

  /** All matches, newest first, until the filter is closed. */
  async *#pages(since?: string): AsyncGenerator<SummaryPage> {
    let next: string | null = null;
    do {
      const page: SummaryPage = await this.#api.summaries({
        limit: PAGE_SIZE,
        filter: this.filter,
        ...(since === undefined ? {} : { since }),
        ...(next === null ? {} : { before: next }),
      });
      if (!this.#open) return;
      yield page;
      next = page.next ?? null;
    } while (next !== null && this.#open);
  }

  /** Searches everything that existed when the filter was set. */
  async #search(oldest: number): Promise<void> {
    try {
      for await (const { requests, next } of this.#pages()) {
        const seqs = this.#admit(requests);
        this.#progress = { done: next ? this.#share(next, oldest) : 1, problem: null };
        this.#notify(seqs, this.#progress);
      }
      if (this.#open && this.#changed.size > 0) this.#schedule();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Searches the changed ones: all matches among the exchanges at least as new as the oldest of them. */
  async #searchAgain(changed: readonly number[]): Promise<void> {
    const oldest = changed.map((seq) => this.#exchanges.at(seq)?.id).filter((id) => id !== undefined);
    const first = oldest.toSorted()[0];
    if (first === undefined) return;
    const since = (BigInt(`0x${first}`) - 1n).toString(16).padStart(16, "0");
    const matching: Summary[] = [];
    try {
      for await (const page of this.#pages(since)) matching.push(...page.requests);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (!this.#open) return;
    for (const seq of changed) {
      const id = this.#exchanges.at(seq)?.id;
      if (id !== undefined) this.#matchingIds.delete(id);
    }
    this.#admit(matching);
    this.#notify(changed, this.#progress);
    if (this.#changed.size > 0) this.#schedule();
  }

  #admit(matching: readonly Summary[]): number[] {
    const seqs: number[] = [];
    for (const { id } of matching) {
      this.#matchingIds.add(id);
      const seq = this.#exchanges.seqOf(id);
      if (seq !== undefined) seqs.push(seq);
    }
    return seqs.toSorted((a, b) => a - b);
  }

  /** The share of the list that precedes this exchange. */
  #share(next: string, oldest: number): number {
    const seq = this.#exchanges.seqOf(next) ?? this.#exchanges.next;
    const all = Math.max(this.#exchanges.next - oldest, 1);
    return Math.min((this.#exchanges.next - seq) / all, 0.99);
  }

  #fail(thrown: unknown): void {
    if (!this.#open) return;
    this.#progress = { done: 1, problem: filterProblemOf(thrown) };
    this.#notify([], this.#progress);
  }
}
