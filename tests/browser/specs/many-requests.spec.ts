// The inspector with very many requests. How fast it is exactly is measured in bench/; here it has to stay usable.
import type { Page } from "@playwright/test";
import { exchange } from "../kit/captured";
import { expect, testWithFakeAgent as test } from "../kit/fixtures";
import { frameTimes } from "../kit/scrolling";

// Snapshots are taken by the page itself, which is measured here.
test.use({ trace: { mode: "retain-on-failure", snapshots: false, screenshots: false } });

test.beforeEach(async ({ page, agent }) => {
  for (let number = 0; number < 50_000; number += 1)
    agent.exchanges.push(
      exchange({ path: `/item/${number}`, status: number % 10 === 0 ? "500 Oops" : "200 OK" }),
    );
  await page.goto("/");
  await expect(page.getByText("50,000 requests").first()).toBeVisible();
});

/** Milliseconds between frames while the list moves so many pixels in each, ascending. */
async function frames(page: Page, pixels: number): Promise<number[]> {
  const took = await frameTimes(page.getByRole("grid"), Array.from({ length: 120 }, () => pixels));
  return took.slice(5).toSorted((a, b) => a - b);
}

const at = (ascending: readonly number[], share: number) =>
  ascending[Math.floor(ascending.length * share)] ?? Infinity;

test("has elements for what is visible only", async ({ page }) => {
  expect(await page.getByRole("row").count()).toBeLessThan(80);
});

test("stays smooth while fifty thousand requests are scrolled", async ({ page }) => {
  // The machine may be busy with other things: frames in which nothing moves tell how busy.
  const still = at(await frames(page, 0), 0.5);
  const moving = await frames(page, 4000);
  process.stdout.write(
    `frames while scrolling 50,000 rows: median ${at(moving, 0.5).toFixed(1)} ms, ` +
      `p95 ${at(moving, 0.95).toFixed(1)} ms; still ${still.toFixed(1)} ms\n`,
  );
  expect(at(moving, 0.5)).toBeLessThan(Math.max(50, 3 * still));
});

test("filters fifty thousand requests at once", async ({ page }) => {
  const filtering = await page.evaluate(async () => {
    const box = document.querySelector<HTMLInputElement>("input[type=search]");
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    const from = performance.now();
    set?.call(box, "status:5xx");
    box?.dispatchEvent(new Event("input", { bubbles: true }));
    while (!document.body.textContent?.includes("5,000 requests"))
      await new Promise((frame) => requestAnimationFrame(frame));
    return performance.now() - from;
  });
  process.stdout.write(`filtering 50,000 rows: ${filtering.toFixed(0)} ms\n`);
  expect(filtering).toBeLessThan(1000);
});
