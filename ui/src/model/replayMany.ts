// Replays many requests at a limited rate and concurrency and records the result of each.
import { asProblem } from "../api/problem";
import type { Summary } from "../api/types";
import type { Exchanges } from "./exchanges";

export interface Pace {
  /** Number of times each request is sent. */
  times: number;
  /** Requests started per second. */
  rate: number;
  /** Maximum number of requests without a response. */
  concurrency: number;
}

export interface ReplayResult {
  original: string;
  /** The new captured request, once its id is known. */
  id: string | null;
  /** Reason the request could not be sent. */
  failed: string | null;
}

/** Maximum number of results in the table. */
export const MAX_REPLAYS = 1000;

export class ReplayMany {
  readonly total: number;
  readonly sent: ReplayResult[] = [];
  readonly #queue: string[];
  readonly #pace: Pace;
  readonly #send: (id: string) => Promise<string | null>;
  readonly #exchanges: Exchanges;
  readonly #notify: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sending = 0;
  #ended = false;

  constructor(
    ids: readonly string[],
    pace: Pace,
    exchanges: Exchanges,
    send: (id: string) => Promise<string | null>,
    notify: () => void,
  ) {
    this.#queue = Array.from({ length: pace.times }, () => ids)
      .flat()
      .slice(0, MAX_REPLAYS);
    this.total = this.#queue.length;
    this.#pace = pace;
    this.#exchanges = exchanges;
    this.#send = send;
    this.#notify = notify;
  }

  start(): void {
    this.#next();
    this.#timer = setInterval(() => this.#next(), 1000 / this.#pace.rate);
  }

  /** Stops sending; responses to requests in flight are still recorded. */
  stop(): void {
    this.#queue.length = 0;
    clearInterval(this.#timer);
    this.#ended = true;
    this.#notify();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Records the result of one request. */
  responseTo({ id }: ReplayResult): Summary | undefined {
    return id === null ? undefined : this.#exchanges.find(id);
  }

  get #open(): number {
    const waiting = this.sent.filter((one) => {
      if (one.failed !== null || one.id === null) return false;
      const response = this.responseTo(one);
      return response !== undefined && response.duration === null && response.error === null;
    });
    return this.#sending + waiting.length;
  }

  #next(): void {
    if (this.#open >= this.#pace.concurrency) return;
    const original = this.#queue.shift();
    if (original === undefined) {
      if (this.#sending === 0) this.stop();
      return;
    }
    const one: ReplayResult = { original, id: null, failed: null };
    this.sent.push(one);
    this.#sending += 1;
    this.#notify();
    this.#send(original)
      .then(
        (id) => void (one.id = id),
        (thrown: unknown) => void (one.failed = asProblem(thrown).message),
      )
      .finally(() => {
        this.#sending -= 1;
        this.#notify();
      });
  }
}

/** Counts and durations of the received responses. */
export function results(
  summaries: readonly Summary[],
): { response: string; count: number; p50: number; p95: number }[] {
  const groups = new Map<string, number[]>();
  for (const { status, error, duration } of summaries) {
    if (duration === null) continue;
    const response = status ?? (error === null ? "No response" : "Failed");
    groups.set(response, [...(groups.get(response) ?? []), duration]);
  }
  return [...groups].map(([response, durations]) => {
    const sorted = durations.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
    return { response, count: sorted.length, p50: at(0.5), p95: at(0.95) };
  });
}
