// The inspector with 100,000 requests at the real agent: frames while scrolling and while 1,000 more come in each second
// for a minute, filters, memory. Prints a table; fails when a row is lost.
import type { Page } from "@playwright/test";
import { at, heap, tracedFrames, type Frames } from "./frames";
import { ms, printTable, say } from "./table";
import { expect, testWithWorld } from "../kit/fixtures";
import { frameTimes } from "../kit/scrolling";
import type { World } from "../kit/world";

const ROWS = 100_000;
const RATE = 1000;
const SECONDS = Number(process.env["POSTERN_BENCH_SECONDS"] ?? 60);
/** Room for a little more than the rows at the beginning: the oldest make room while others come in. */
const ROOM = 136 * 1024 * 1024;

const test = testWithWorld({ agent: [`inspect_db_size: ${ROOM}`] });
test.use({ viewport: { width: 1280, height: 800 } });

// One page from beginning to end: what comes later is measured with what was there before.
test("the inspector with very many requests", async ({ page, world }) => {
  await test.step("is filled", () => fillsUp(page, world));
  await test.step("scrolls", () => scrolls(page));
  await test.step("takes in a thousand a second for a minute", () => takesIn(page, world));
  await test.step("filters", () => filters(page, world));
});

test.afterEach(({ browser }) => printTable(browser));

let made = 0;
function har(entries: number): object {
  const all = Array.from({ length: entries }, () => {
    made += 1;
    const status = made % 10 === 0 ? 500 : 200;
    return {
      startedDateTime: new Date(1_790_000_000_000 + made).toISOString(),
      time: made % 900,
      request: {
        method: made % 3 === 0 ? "POST" : "GET",
        url: `https://shop.localhost:4443/item/${made}?page=${made % 7}`,
        httpVersion: "HTTP/1.1",
        headers: [{ name: "Accept", value: "application/json" }],
      },
      response: {
        status,
        statusText: status === 200 ? "OK" : "Internal Server Error",
        httpVersion: "HTTP/1.1",
        headers: [{ name: "Content-Type", value: "application/json" }],
        content: { text: `{"item":${made}}` },
      },
      _tunnel: "shop",
    };
  });
  return { log: { version: "1.2", entries: all } };
}

const add = (world: World, entries: number) => world.api("POST", "/api/requests/har", har(entries));
const kept = async (world: World) =>
  (await world.api<{ capture: { count: number } }>("GET", "/api/status")).capture.count;
const shown = (page: Page) =>
  page.getByRole("grid").evaluate((grid) => Number(grid.getAttribute("aria-rowcount")) - 1);

async function fillsUp(page: Page, world: World): Promise<void> {
  for (let count = 0; count < ROWS; count += 10_000) await add(world, 10_000);
  expect(await kept(world), "the agent has room for all").toBe(ROWS);
  const from = performance.now();
  await page.goto("/");
  await expect(page.getByRole("row", { name: `/item/${ROWS}` })).toBeVisible();
  say("first rows on screen, ms after the address was entered", ms(performance.now() - from));
  await expect.poll(() => shown(page), { message: "all rows", intervals: [20] }).toBe(ROWS);
  say(`all ${ROWS} rows known, ms`, ms(performance.now() - from));
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  say("elements in the page", String(elements));
}

async function scrolls(page: Page): Promise<void> {
  let deltas: number[] = [];
  const frames = await tracedFrames(page, async () => {
    // Every frame other rows, as with a fast wheel; from one end to the other and back.
    const pixels = Array.from({ length: 600 }, (_, frame) => (frame < 299 ? 900 : -700));
    deltas = await frameTimes(page.getByRole("grid"), pixels);
  });
  frame("scrolling", frames);
  const sorted = deltas.slice(1).toSorted((a, b) => a - b);
  say(
    "scrolling: between frames, ms, p50 / p95 (software rendering)",
    `${ms(at(sorted, 0.5))} / ${ms(at(sorted, 0.95))}`,
  );
  await page.getByRole("grid").evaluate((grid) => grid.scrollTo({ top: 0 }));
}

function frame(what: string, { clock, own }: Frames): void {
  for (const [which, times] of [
    ["of the thread's own time", own],
    ["by the clock", clock],
  ] as const)
    say(
      `${what}: script and layout a frame, ms ${which}, p50 / p95 / longest (${times.length} frames)`,
      `${ms(at(times, 0.5))} / ${ms(at(times, 0.95))} / ${ms(at(times, 1))}`,
    );
}

async function takesIn(page: Page, world: World): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const before = await heap(session);
  const started = made;
  const frames = await tracedFrames(page, async () => {
    const from = performance.now();
    while (performance.now() - from < SECONDS * 1000) {
      const due = Math.min(Math.floor(((performance.now() - from) / 1000) * RATE), SECONDS * RATE);
      const missing = due - (made - started);
      if (missing > 0) await add(world, missing);
      await new Promise((later) => setTimeout(later, 20));
    }
    const left = SECONDS * RATE - (made - started);
    if (left > 0) await add(world, left);
  });
  frame(`${RATE} rows a second for ${SECONDS} s`, frames);
  say("rows a second that were made", ((made - started) / frames.seconds).toFixed(0));
  await expect(page.getByRole("row", { name: `/item/${made}` })).toBeVisible();
  await expect
    .poll(async () => (await shown(page)) - (await kept(world)), "the rows that the agent keeps")
    .toBe(0);
  say("rows the agent keeps, and the page shows", `${await kept(world)}, ${await shown(page)}`);
  const after = await heap(session);
  say("heap in use, MB, before and after", `${ms(before / 2 ** 20)}, ${ms(after / 2 ** 20)}`);
  expect(after, "memory does not grow with what passes").toBeLessThan(before * 1.5 + 20 * 2 ** 20);
}

async function filters(page: Page, world: World): Promise<void> {
  const filters = [
    "status:5xx",
    "method:POST dur<500ms",
    "item/99",
    "nothing-has-this",
    'path~"/item/[0-9]*77\\\\?"',
    "header.content-type:json status:500 item/1234",
    'body:"item\\":123456"',
  ];
  for (const filter of filters) {
    const wanted = await countOf(world, filter);
    const times: number[] = [];
    for (let round = 0; round < 15; round += 1) times.push(await filterTime(page, filter, wanted));
    const sorted = times.toSorted((a, b) => a - b);
    say(
      `filter \`${filter}\` (${wanted} rows): typed to shown, ms, p50 / p95`,
      `${ms(at(sorted, 0.5))} / ${ms(at(sorted, 0.95))}`,
    );
  }
}

async function countOf(world: World, filter: string): Promise<number> {
  let count = 0;
  let before: string | null = null;
  do {
    const query: URLSearchParams = new URLSearchParams({
      limit: "10000",
      filter,
      ...(before === null ? {} : { before }),
    });
    const found: { requests: unknown[]; next: string | null } = await world.api(
      "GET",
      `/api/requests/http/summaries?${query}`,
    );
    count += found.requests.length;
    before = found.next;
  } while (before !== null);
  return count;
}

/** From the last letter until the list shows as many rows as pass. */
async function filterTime(page: Page, filter: string, wanted: number): Promise<number> {
  const type = ({ text, count }: { text: string; count: number | null }) =>
    new Promise<number>((done) => {
      const box = document.querySelector<HTMLInputElement>("input[type=search]");
      const grid = document.querySelector("[role=grid]");
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
      const from = performance.now();
      set?.call(box, text);
      box?.dispatchEvent(new Event("input", { bubbles: true }));
      const look = () => {
        const rows = Number(grid?.getAttribute("aria-rowcount")) - 1;
        if (count === null ? rows > 100_000 : rows === count) done(performance.now() - from);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  await page.evaluate(type, { text: "", count: null });
  // A person looks at the list before the next filter is typed.
  await page.waitForTimeout(400);
  return page.evaluate(type, { text: filter, count: wanted });
}
