// Watches a page that shows what strangers sent: what it asks for, what runs in it, how long it does not answer.
import { expect, type Page } from "@playwright/test";

/** The page may be busy for so long at once. */
const LIMIT_MS = 100;
/** A known piece of work takes this many rounds; how long it takes tells how busy the machine is. */
const ROUNDS = 4_000_000;

export class Watch {
  readonly #page: Page;
  readonly #own: string;
  readonly #foreign: string[] = [];
  #quickest = Number.POSITIVE_INFINITY;

  private constructor(page: Page, own: string) {
    this.#page = page;
    this.#own = own;
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

  /** Begins once the page stands. `own` is the only origin that may be asked. */
  static async over(page: Page, own: string): Promise<Watch> {
    const watch = new Watch(page, own);
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(window, { busySpans: seen });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.push(duration);
      }).observe({ entryTypes: ["longtask"] });
    });
    for (let round = 0; round < 10; round += 1) await watch.#work();
    await watch.#spans();
    return watch;
  }

  /**
   * Does something and says for how long the page was busy at most. Fails where that is too long for a machine as busy
   * as this one is: a known piece of work beside it tells how much longer everything takes.
   */
  async quick(what: string, act: () => Promise<void>): Promise<number> {
    const before = await this.#work();
    await this.#spans();
    await act();
    // What was begun is drawn as well.
    await this.#page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0))),
    );
    const longest = Math.max(0, ...(await this.#spans()));
    const after = await this.#work();
    const slower = Math.max(before, after, this.#quickest) / this.#quickest;
    expect(
      longest,
      `${what}: the page did not answer (the machine is ${slower.toFixed(1)} times slower)`,
    ).toBeLessThan(LIMIT_MS * Math.max(slower * 1.5, 2));
    return longest;
  }

  /** Nothing ran, nothing was asked from anybody but the agent, nothing was led away. */
  async harmless(title: string): Promise<void> {
    await expect.poll(() => [...this.#foreign], { timeout: 3_000 }).toEqual([]);
    await expect(this.#page).toHaveTitle(title);
    expect(this.#page.url().startsWith(`${this.#own}/`)).toBe(true);
    for (const frame of this.#page.frames())
      expect(await frame.evaluate(() => "ran" in window).catch(() => false), frame.url()).toBe(false);
  }

  async #spans(): Promise<number[]> {
    return this.#page.evaluate(() => {
      const { busySpans } = window as unknown as { busySpans: number[] };
      return busySpans.splice(0);
    });
  }

  async #work(): Promise<number> {
    const took = await this.#page.evaluate((rounds) => {
      const from = performance.now();
      let sum = 0;
      for (let at = 0; at < rounds; at += 1) sum = (sum * 31 + at) | 0;
      return performance.now() - from + (sum === 1 ? 1 : 0);
    }, ROUNDS);
    this.#quickest = Math.min(this.#quickest, took);
    return took;
  }
}
