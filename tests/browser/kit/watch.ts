// Watches a page that shows what strangers sent: what it asks for, what runs in it, how long it does not answer.
import { expect, type Page } from "@playwright/test";
import { type TraceEvent, traced } from "./trace";

/** The page may be busy for so long at once, in time of its own thread. */
const LIMIT_MS = 100;

/**
 * What a payload does to a page it does every time. A task that the machine holds up, as in the kernel or in the
 * hypervisor, counts as the thread's own time as well, but is quick when it is done once more.
 */
const ATTEMPTS = 3;

/** Something that is done with the page. */
export interface Step {
  name: string;
  act(): Promise<void>;
}

export class Watch {
  readonly #page: Page;
  readonly #own: string;
  readonly #open: () => Promise<void>;
  readonly #foreign: string[] = [];

  /** Begins once the page is shown. `own` is the only origin that may be asked; `open` shows the page anew. */
  constructor(page: Page, own: string, open: () => Promise<void>) {
    this.#page = page;
    this.#own = own;
    this.#open = open;
    page.context().on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${own}/`) && !/^(?:data|blob|about):/.test(url)) this.#foreign.push(url);
    });
    page.context().on("requestfailed", (request) => {
      const at = this.#foreign.indexOf(request.url());
      const why = request.failure()?.errorText ?? "";
      if (at === -1) return;
      // What the policy refuses never leaves the browser; of what stands in frames it is told as a request now and then.
      if (why === "csp") this.#foreign.splice(at, 1);
      else this.#foreign[at] = `${request.url()} (${why})`;
    });
    page.context().on("page", (opened) => this.#foreign.push(`a window of ${opened.url()}`));
    page.on("download", (download) => this.#foreign.push(`a download of ${download.url()}`));
    page.on("dialog", (dialog) => {
      this.#foreign.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /**
   * Takes the steps in turn and returns the duration of the page's slowest task, without what other processes took.
   * Fails where a step is above the limit in every attempt.
   */
  async quick(...steps: Step[]): Promise<number> {
    let durations = await this.#durations(steps);
    for (let attempt = 2; attempt <= ATTEMPTS && Math.max(...durations) >= LIMIT_MS; attempt += 1) {
      await this.#page.goto("about:blank");
      await this.#open();
      const repeated = await this.#durations(steps);
      durations = durations.map((duration, at) => Math.min(duration, repeated[at] ?? duration));
    }
    steps.forEach(({ name }, at) =>
      expect(durations[at], `${name}: the page did not answer`).toBeLessThan(LIMIT_MS),
    );
    return Math.max(...durations);
  }

  async #durations(steps: readonly Step[]): Promise<number[]> {
    const durations = [];
    for (const { act } of steps) {
      const events = await traced(this.#page, ["disabled-by-default-devtools.timeline"], async () => {
        await act();
        // What was begun is drawn as well.
        await this.#page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
        );
      });
      durations.push(maxTaskDuration(events));
    }
    return durations;
  }

  /** Nothing ran, nothing was asked from anybody but the agent, nothing was led away. */
  async harmless(title: string): Promise<void> {
    await expect.poll(() => [...this.#foreign], { timeout: 3_000 }).toEqual([]);
    await expect(this.#page).toHaveTitle(title);
    expect(this.#page.url().startsWith(`${this.#own}/`)).toBe(true);
    for (const frame of this.#page.frames())
      expect(await frame.evaluate(() => "ran" in window).catch(() => false), frame.url()).toBe(false);
  }
}

/** Milliseconds that the slowest task kept the main thread of a page or frame. */
function maxTaskDuration(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const named = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const mains = new Set(named.map(threadOf));
  const tasks = events.filter((event) => event.name === "RunTask" && mains.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("the browser traced no task of the page");
  return Math.max(...tasks.map(({ dur = 0, tdur = dur }) => tdur)) / 1000;
}
