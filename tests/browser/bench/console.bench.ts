// The console with 5,000 records of a kind at the real server: how long its list takes to open, turn its pages and search, and
// the frames while it is scrolled. Prints a table; fails when a row is missing.
import type { Page } from "@playwright/test";
import { at, tracedFrames } from "./frames";
import { ms, printTable, say } from "./table";
import { expect, testWithWorld } from "../kit/fixtures";
import { frameTimes } from "../kit/scrolling";
import type { World } from "../kit/world";

const RECORDS = 5_000;
const TURNS = 20;

const test = testWithWorld({ agent: null });
test.use({ viewport: { width: 1280, height: 800 } });

test("lists of 5,000 records", async ({ page, world, openConsole }) => {
  await fills(world);
  await openConsole();
  await test.step("opens", () => opens(page));
  await test.step("turns its pages", () => turns(page));
  await test.step("searches", () => searches(page));
  await test.step("scrolls", () => scrolls(page));
});

test.afterEach(({ browser }) => printTable(browser));

const rows = (page: Page) => page.locator("tbody tr");

async function fills(world: World): Promise<void> {
  for (let first = 0; first < RECORDS; first += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        world.create("/ip_policies", { description: `Policy ${first + index}`, metadata: '{"team":"web"}' }),
      ),
    );
}

async function timed(during: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await during();
  return performance.now() - from;
}

function median(times: number[]): string {
  const ascending = times.toSorted((one, other) => one - other);
  return `${ms(at(ascending, 0.5))} / ${ms(at(ascending, 1))}`;
}

async function opens(page: Page): Promise<void> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await page.evaluate(() => (location.hash = "/overview"));
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    times.push(
      await timed(async () => {
        await page.evaluate(() => (location.hash = "/ip_policies"));
        await rows(page).nth(49).waitFor();
      }),
    );
  }
  await expect(page.getByText("More than 1,000 IP policies")).toBeVisible();
  say("opening the list, ms, median / longest", median(times));
}

async function turns(page: Page): Promise<void> {
  const times: number[] = [];
  const names = rows(page).locator("td:nth-child(2)");
  const seen = new Set(await names.allInnerTexts());
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = await names.first().innerText();
    times.push(
      await timed(async () => {
        await page.getByRole("button", { name: "Older" }).click();
        await names.first().filter({ hasNotText: before }).waitFor();
      }),
    );
    for (const name of await names.allInnerTexts()) seen.add(name);
  }
  expect(seen.size, "each row once").toBe(50 * (TURNS + 1));
  say("the next page, ms, median / longest", median(times));
}

async function searches(page: Page): Promise<void> {
  const times: number[] = [];
  const search = page.getByRole("searchbox", { name: /^Search/ });
  for (let turn = 0; turn < TURNS; turn += 1) {
    const name = `Policy ${turn * 200 + 1000}`;
    times.push(
      await timed(async () => {
        await search.fill(name);
        await rows(page).getByText(name, { exact: true }).waitFor();
        await expect(rows(page)).toHaveCount(1);
      }),
    );
  }
  await search.fill("");
  say("finding one by its description, ms after it was typed, median / longest", median(times));
}

async function scrolls(page: Page): Promise<void> {
  await page.goto(page.url().replace(/#.*/, "#/ip_policies"));
  await page.getByRole("combobox", { name: "Rows" }).click();
  await page.getByRole("option").last().click();
  await rows(page).nth(99).waitFor();
  const frames = await tracedFrames(page, async () => {
    const pixels = Array.from({ length: 300 }, (_, frame) => (frame % 60 < 30 ? 120 : -120));
    await frameTimes(page.locator("main"), pixels);
  });
  say(
    `scrolling ${await rows(page).count()} rows: script and layout a frame, ms of the thread's own time, p50 / p95 / longest`,
    `${ms(at(frames.own, 0.5))} / ${ms(at(frames.own, 0.95))} / ${ms(at(frames.own, 1))}`,
  );
}
