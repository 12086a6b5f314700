// Everything the window knows about the agent, kept up to date by the live feed. No React in here.
// Answers to commands change nothing: they may arrive after a newer event.
import { agentApi, type AgentApi } from "../api/agent";
import { asProblem } from "../api/problem";
import type { AgentEvent, AgentStatus, ConfiguredTunnel, Problem } from "../api/types";
import type { Host } from "../host/host";
import { Details } from "./details";
import { CAPACITY, Exchanges } from "./exchanges";

const PAGE = 1000;
const RETRY_AFTER_MS = 2_000;

export type Link = "connecting" | "live" | "lost";

/** An immutable picture for the views; a new one after every change. */
export interface AgentPicture {
  link: Link;
  status: AgentStatus | null;
  tunnels: readonly ConfiguredTunnel[];
  /** The tunnels were read at least once. */
  known: boolean;
  problem: Problem | null;
}

export class AgentModel {
  readonly api: AgentApi;
  readonly details: Details;
  readonly exchanges = new Exchanges();
  readonly #host: Host;
  #picture: AgentPicture = { link: "connecting", status: null, tunnels: [], known: false, problem: null };
  #listeners = new Set<() => void>();
  #reading = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.api = agentApi(host);
    this.details = new Details(this.api);
  }

  /** Opens the live feed; the returned function closes it. */
  start(): () => void {
    const stop = this.#host.feed({
      event: (event) => this.#take(event),
      live: () => void this.#readAll(),
      lost: () => {
        clearTimeout(this.#retry);
        this.#reading += 1;
        this.#set({ link: "lost" });
      },
    });
    return () => {
      clearTimeout(this.#retry);
      this.#reading += 1;
      stop();
    };
  }

  get picture(): AgentPicture {
    return this.#picture;
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #take(event: AgentEvent): void {
    switch (event.event) {
      case "status": {
        const before = this.#picture.status?.pid;
        this.#set({ status: event.data });
        // Another agent took the address over: nothing read from the old one holds.
        if (before !== undefined && before !== event.data.pid) void this.#readAll();
        break;
      }
      case "tunnels":
        this.#set({ tunnels: event.data.tunnels, known: true });
        break;
      case "request":
        this.exchanges.put(event.data);
        break;
      case "requests_deleted":
        this.exchanges.clear();
        this.details.forget();
        break;
    }
  }

  /** Reads everything anew, after the feed was opened; events that arrive meanwhile are kept. */
  async #readAll(): Promise<void> {
    clearTimeout(this.#retry);
    this.#reading += 1;
    const reading = this.#reading;
    const mark = this.exchanges.next;
    try {
      const [status, tunnels, summaries] = await Promise.all([
        this.api.status(),
        this.api.configured(),
        this.#summaries(),
      ]);
      if (reading !== this.#reading) return;
      this.details.forget();
      this.exchanges.replaceAll(summaries, mark);
      this.#set({ link: "live", status, tunnels, known: true, problem: null });
    } catch (thrown) {
      if (reading !== this.#reading) return;
      this.#set({ link: "lost", problem: asProblem(thrown) });
      this.#retry = setTimeout(() => void this.#readAll(), RETRY_AFTER_MS);
    }
  }

  async #summaries() {
    const all = await this.api.summaries(PAGE);
    let page = all;
    while (page.length === PAGE && all.length < CAPACITY) {
      const seen = new Set(all.map((summary) => summary.id));
      page = (await this.api.summaries(PAGE, all.at(-1)?.id)).filter((summary) => !seen.has(summary.id));
      all.push(...page);
    }
    return all;
  }

  #set(part: Partial<AgentPicture>): void {
    this.#picture = { ...this.#picture, ...part };
    for (const listener of this.#listeners) listener();
  }
}
