// The window's state of the agent, updated by the live feed. Contains no React.
// Responses to commands change nothing here: they may arrive after a newer event.
import { agentApi, type AgentApi } from "../api/agent";
import { asProblem } from "../api/problem";
import type { AgentEvent, AgentStatus, ConfiguredTunnel, Problem, Summary } from "../api/types";
import type { Host } from "../host/host";
import { Details } from "./details";
import { Exchanges } from "./exchanges";
import { NextFrame } from "./frame";

/** Size of the first page, which is shown at once; the other pages follow in the background. */
const FIRST_PAGE = 500;
const PAGE_SIZE = 2000;
const RETRY_AFTER_MS = 2_000;
/** Number of newest exchanges in which an unfinished one is searched for after a reconnect. */
const UNFINISHED_LIMIT = 2000;

export type ConnectionState = "connecting" | "live" | "lost";

/** An immutable snapshot for the views; every change creates a new one. */
export interface AgentSnapshot {
  connection: ConnectionState;
  status: AgentStatus | null;
  tunnels: readonly ConfiguredTunnel[];
  /** The tunnels have been fetched at least once. */
  loaded: boolean;
  /** Older requests are still being fetched. */
  filling: boolean;
  problem: Problem | null;
}

export class AgentModel {
  readonly api: AgentApi;
  readonly details: Details;
  readonly exchanges = new Exchanges();
  readonly #host: Host;
  #snapshot: AgentSnapshot = {
    connection: "connecting",
    status: null,
    tunnels: [],
    loaded: false,
    filling: false,
    problem: null,
  };
  #listeners = new Set<() => void>();
  #reading = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #events: AgentEvent[] = [];
  readonly #frame = new NextFrame(() => this.#applyAll());

  constructor(host: Host) {
    this.#host = host;
    this.api = agentApi(host);
    this.details = new Details(this.api, host);
  }

  /** Opens the live feed; the returned function closes it. */
  start(): () => void {
    const stop = this.#host.feed({
      event: (event) => {
        this.#events.push(event);
        this.#frame.request();
      },
      live: () => void this.#readAll(),
      lost: () => {
        clearTimeout(this.#retry);
        this.#reading += 1;
        this.#set({ connection: "lost" });
      },
    });
    return () => {
      clearTimeout(this.#retry);
      this.#reading += 1;
      this.#frame.cancel();
      stop();
    };
  }

  get snapshot(): AgentSnapshot {
    return this.#snapshot;
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Applies all events since the last frame in order; consecutive requests are applied as one change. */
  #applyAll(): void {
    const events = this.#events;
    this.#events = [];
    let requests: Summary[] = [];
    for (const event of events) {
      if (event.event === "request") {
        requests.push(event.data);
        continue;
      }
      if (requests.length > 0) this.exchanges.put(requests);
      requests = [];
      this.#apply(event);
    }
    if (requests.length > 0) this.exchanges.put(requests);
  }

  #apply(event: Exclude<AgentEvent, { event: "request" }>): void {
    switch (event.event) {
      case "status": {
        const before = this.#snapshot.status?.pid;
        // Exchanges evicted by the agent are evicted here as well.
        if (before === event.data.pid) this.exchanges.evictTo(event.data.capture.count);
        this.#set({ status: event.data });
        // A different agent has taken over the address: everything read from the old one is invalid.
        if (before !== undefined && before !== event.data.pid) void this.#readAll();
        break;
      }
      case "tunnels":
        this.#set({ tunnels: event.data.tunnels, loaded: true });
        break;
      case "request_deleted":
        this.exchanges.remove(event.data.id);
        break;
      case "requests_deleted":
        this.exchanges.clear();
        this.details.forget();
        break;
      case "requests_missed":
        void this.#catchUp(event.data.since);
        break;
    }
  }

  /** Fetches the state after the feed has opened; events that arrive meanwhile are queued. */
  async #readAll(): Promise<void> {
    clearTimeout(this.#retry);
    this.#reading += 1;
    const reading = this.#reading;
    const current = () => reading === this.#reading;
    const mark = this.exchanges.next;
    try {
      const [status, tunnels] = await Promise.all([this.api.status(), this.api.configured()]);
      if (!current()) return;
      const before = this.#snapshot.status;
      const same = before?.pid === status.pid && !this.#snapshot.filling && this.exchanges.size > 0;
      this.details.forget();
      if (same) await this.#readNewer(this.#unfinished(), current);
      const deleted =
        this.exchanges.size > status.capture.count && before?.capture.dropped === status.capture.dropped;
      let next: string | null = null;
      if (!same || deleted) {
        const page = await this.api.summaries({ limit: FIRST_PAGE });
        if (!current()) return;
        this.exchanges.replaceAll(page.requests, mark);
        next = nextCursor(page.requests, page.next, FIRST_PAGE);
      }
      if (!current()) return;
      this.#set({ connection: "live", status, tunnels, loaded: true, filling: next !== null, problem: null });
      await this.#readOlder(next, current);
      if (current()) this.#set({ filling: false });
    } catch (thrown) {
      if (!current()) return;
      this.#set({ connection: "lost", problem: asProblem(thrown) });
      this.#retry = setTimeout(() => void this.#readAll(), RETRY_AFTER_MS);
    }
  }

  async #readOlder(from: string | null, current: () => boolean): Promise<void> {
    let next = from;
    while (next !== null && this.exchanges.hasRoom) {
      const page = await this.api.summaries({ limit: PAGE_SIZE, before: next });
      if (!current()) return;
      this.exchanges.putOlder(page.requests);
      next = nextCursor(page.requests, page.next, PAGE_SIZE);
    }
  }

  /** Fetches everything captured after one exchange; oldest first once all pages are read. */
  async #readNewer(since: string | null, current: () => boolean): Promise<void> {
    const summaries: Summary[] = [];
    let next: string | null = null;
    do {
      const page = await this.api.summaries({
        limit: PAGE_SIZE,
        ...(since === null ? {} : { since }),
        ...(next === null ? {} : { before: next }),
      });
      if (!current()) return;
      summaries.push(...page.requests);
      next = nextCursor(page.requests, page.next, PAGE_SIZE);
    } while (next !== null);
    this.exchanges.put(summaries.toReversed());
  }

  /** The exchange before the oldest unfinished one, which may have continued during the interruption. */
  #unfinished(): string | null {
    const newest = this.exchanges.seqs().slice(-UNFINISHED_LIMIT);
    const open = newest.findIndex((seq) => {
      const summary = this.exchanges.at(seq);
      return summary !== undefined && (summary.duration === null || summary.open === true);
    });
    const seq = open === -1 ? newest.at(-1) : newest[open - 1];
    return (seq === undefined ? undefined : this.exchanges.at(seq)?.id) ?? null;
  }

  async #catchUp(since: string | null): Promise<void> {
    const reading = this.#reading;
    try {
      await this.#readNewer(since, () => reading === this.#reading);
    } catch {
      // The agent is unreachable. The feed reports that, and its reconnect fetches everything again.
    }
  }

  #set(part: Partial<AgentSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part };
    for (const listener of this.#listeners) listener();
  }
}

/** Cursor of the next page; null after the last one. */
function nextCursor(page: readonly Summary[], next: string | null | undefined, limit: number): string | null {
  if (next !== undefined) return next;
  return page.length === limit ? (page.at(-1)?.id ?? null) : null;
}
