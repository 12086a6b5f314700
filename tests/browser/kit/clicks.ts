// What a task costs with the mouse: presses are counted in every frame of the page, and set beside an earlier count.
import { expect, type Page } from "@playwright/test";

/** Counts what a person does with the mouse from now on. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  for (const frame of page.frames())
    await frame.evaluate(() => {
      const counted = window as unknown as { clicks?: number };
      const isCounting = counted.clicks !== undefined;
      counted.clicks = 0;
      if (!isCounting)
        window.addEventListener("pointerdown", () => (counted.clicks = (counted.clicks ?? 0) + 1), true);
    });
  return async () => {
    const counts = page
      .frames()
      .map((frame) => frame.evaluate(() => (window as unknown as { clicks?: number }).clicks ?? 0));
    return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
  };
}

/** The measured tasks, in the order of their tests. */
export class ClickTable {
  readonly #rows: { task: string; before: number; now: number }[] = [];

  /** `most`: the number that is allowed where it is not that of before. */
  async add(task: string, before: number, clicks: () => Promise<number>, most = before): Promise<void> {
    const now = await clicks();
    this.#rows.push({ task, before, now });
    expect(now, task).toBeLessThanOrEqual(most);
  }

  toString(): string {
    const rows = this.#rows.map(({ task, before, now }) => `| ${task} | ${before} | ${now} |`);
    return ["| task | before | now |", "|---|---|---|", ...rows].join("\n");
  }
}
