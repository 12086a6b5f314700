// A filter that only the agent can judge: it is asked for all that pass, and again for what has changed since.
import type { AgentApi, SummaryPage } from "../api/agent";
import { ApiError, asProblem } from "../api/problem";
import type { Problem, Summary } from "../api/types";
import type { Change, Exchanges } from "./exchanges";

const PAGE = 2000;
const PAUSE_MS = 250;

export interface Progress {
  /** From 0 to 1; 1 when everything that was there has been looked at. */
  done: number;
  problem: FilterProblem | null;
}

export interface FilterProblem extends Problem {
  /** The character it is about, counted from 1. */
  position: number | null;
}

/** What the agent says about a filter that it does not understand. */
export function mistakeOf(thrown: unknown): FilterProblem {
  const position = thrown instanceof ApiError ? Number(thrown.details["position"]) : Number.NaN;
  return { ...asProblem(thrown), position: Number.isInteger(position) ? position : null };
}

export class Asked {
  readonly filter: string;
  readonly #api: AgentApi;
  readonly #exchanges: Exchanges;
  readonly #tell: (judged: readonly number[], progress: Progress) => void;
  #passing = new Set<string>();
  #changed = new Set<number>();
  #progress: Progress = { done: 0, problem: null };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = true;

  /** `tell` hears which exchanges to look at again, by their sequence numbers, ascending. */
  constructor(
    filter: string,
    api: AgentApi,
    exchanges: Exchanges,
    tell: (judged: readonly number[], progress: Progress) => void,
  ) {
    this.filter = filter;
    this.#api = api;
    this.#exchanges = exchanges;
    this.#tell = tell;
  }

  matches = (summary: Summary): boolean => this.#passing.has(summary.id);

  get progress(): Progress {
    return this.#progress;
  }

  /** Asks, and goes on asking for what changes; the returned function ends that. */
  start(): () => void {
    const stop = this.#exchanges.listen((change) => this.#follow(change));
    void this.#ask(this.#exchanges.first);
    return () => {
      this.#open = false;
      clearTimeout(this.#timer);
      stop();
    };
  }

  #follow(change: Change): void {
    if (change.kind === "replaced") this.#passing.clear();
    // Older ones were looked at with all others, whether the page had them or not.
    if (change.kind === "put") for (const seq of [...change.added, ...change.changed]) this.#changed.add(seq);
    if (change.kind === "replaced") for (const seq of this.#exchanges.seqs()) this.#changed.add(seq);
    // Ids of those that are gone do no harm for a while.
    if (this.#passing.size > 2 * this.#exchanges.size + 1000)
      for (const id of this.#passing) if (!this.#exchanges.find(id)) this.#passing.delete(id);
    if (this.#changed.size > 0 && this.#progress.done === 1) this.#later();
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const changed = [...this.#changed].toSorted((a, b) => a - b);
      this.#changed.clear();
      void this.#askAgain(changed);
    }, PAUSE_MS);
  }

  /** All that pass, newest first, until nobody wants them any more. */
  async *#pages(since?: string): AsyncGenerator<SummaryPage> {
    let next: string | null = null;
    do {
      const page: SummaryPage = await this.#api.summaries({
        limit: PAGE,
        filter: this.filter,
        ...(since === undefined ? {} : { since }),
        ...(next === null ? {} : { before: next }),
      });
      if (!this.#open) return;
      yield page;
      next = page.next ?? null;
    } while (next !== null && this.#open);
  }

  /** What was there when the filter was set. */
  async #ask(oldest: number): Promise<void> {
    try {
      for await (const { requests, next } of this.#pages()) {
        const seqs = this.#admit(requests);
        this.#progress = { done: next ? this.#share(next, oldest) : 1, problem: null };
        this.#tell(seqs, this.#progress);
      }
      if (this.#open && this.#changed.size > 0) this.#later();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Those that changed: all that pass among what is at least as new as the oldest of them. */
  async #askAgain(changed: readonly number[]): Promise<void> {
    const oldest = changed.map((seq) => this.#exchanges.at(seq)?.id).filter((id) => id !== undefined);
    const least = oldest.toSorted()[0];
    if (least === undefined) return;
    const since = (BigInt(`0x${least}`) - 1n).toString(16).padStart(16, "0");
    const passing: Summary[] = [];
    try {
      for await (const page of this.#pages(since)) passing.push(...page.requests);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (!this.#open) return;
    for (const seq of changed) {
      const id = this.#exchanges.at(seq)?.id;
      if (id !== undefined) this.#passing.delete(id);
    }
    this.#admit(passing);
    this.#tell(changed, this.#progress);
    if (this.#changed.size > 0) this.#later();
  }

  #admit(passing: readonly Summary[]): number[] {
    const seqs: number[] = [];
    for (const { id } of passing) {
      this.#passing.add(id);
      const seq = this.#exchanges.seqOf(id);
      if (seq !== undefined) seqs.push(seq);
    }
    return seqs.toSorted((a, b) => a - b);
  }

  /** How much of the list lies behind this one. */
  #share(next: string, oldest: number): number {
    const seq = this.#exchanges.seqOf(next) ?? this.#exchanges.next;
    const all = Math.max(this.#exchanges.next - oldest, 1);
    return Math.min((this.#exchanges.next - seq) / all, 0.99);
  }

  #fail(thrown: unknown): void {
    if (!this.#open) return;
    this.#progress = { done: 1, problem: mistakeOf(thrown) };
    this.#tell([], this.#progress);
  }
}
