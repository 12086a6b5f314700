// The inspector in the hands of a person with a keyboard, a mouse and very many requests.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { launch, open } from "../kit/browser";
import { exchange, ordinary } from "../kit/captured";
import { FakeAgent } from "../kit/fake-agent";

let browser: Browser;
let agent: FakeAgent;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  agent = await FakeAgent.start();
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  agent.tunnel({ name: "staging", state: "running", public_url: "https://staging-1.localhost:4443" });
});
afterEach(async () => {
  await page.context().close();
  await agent.stop();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function inspect(query = ""): Promise<void> {
  ({ page, wrong } = await open(browser, `${agent.url}/${query}`));
  await page.getByText("Online").waitFor();
}

const selected = () => page.locator('[role=row][aria-selected="true"]');
const copied = () => page.evaluate(() => navigator.clipboard.readText());

it("is operated with keys alone", async () => {
  for (const captured of ordinary()) agent.captures(captured);
  await inspect();
  await page.getByRole("row", { name: "/events" }).waitFor();
  await page.keyboard.press("j");
  await expect.poll(() => selected().textContent()).toContain("/events");
  await page.keyboard.press("j");
  await expect.poll(() => selected().textContent()).toContain("/api/orders/1041");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => selected().textContent()).toContain("/api/orders/1041");
  await page.keyboard.press("End");
  await expect.poll(() => selected().textContent()).toMatch(/GET\/shop/);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
  await page.keyboard.press("Escape");
  await expect.poll(() => selected().count()).toBe(0);
  await page.keyboard.press("/");
  await page.keyboard.type("status:5xx");
  await page.getByText("2 requests").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("13 requests").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Shortcuts and filters" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

it("leaves letters alone when they are turned off", async () => {
  agent.captures({ path: "/one" });
  await inspect();
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByRole("checkbox", { name: "Single-letter shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => selected().count()).toBe(1);
  await page.keyboard.press("r");
  await page.keyboard.press("Escape");
  await expect.poll(() => selected().count()).toBe(0);
  expect(agent.heard).toEqual([]);
});

it("replays to the same and to another tunnel and shows the answers", async () => {
  const original = agent.captures({ method: "POST", path: "/pay", body: "x" });
  await inspect();
  await page.getByRole("row", { name: "/pay" }).click();
  await page.keyboard.press("r");
  const replays = page.getByRole("heading", { name: "Replays" }).locator("..");
  await replays.getByRole("button", { name: "200 OK shop" }).waitFor();
  await page.getByRole("button", { name: "More ways to replay" }).click();
  await page.getByRole("menuitem", { name: "To staging" }).click();
  await replays.getByRole("button", { name: "200 OK staging" }).click();
  await page.getByText("Replay of").waitFor();
  expect(agent.heard).toEqual([
    `POST /api/requests/http {"id":"${original.summary.id}"}`,
    `POST /api/requests/http {"id":"${original.summary.id}","tunnel_name":"staging"}`,
  ]);
});

it("says what a refused replay means", async () => {
  const original = agent.captures({ path: "/gone" });
  await inspect();
  await page.getByRole("row", { name: "/gone" }).click();
  await page.getByRole("tab", { name: "Raw" }).click();
  await page.getByText("GET /gone HTTP/1.1").waitFor();
  agent.exchanges = agent.exchanges.filter((other) => other !== original);
  await page.keyboard.press("r");
  const message = page.getByRole("region", { name: "Notifications" });
  await message.getByText("There is no such captured request.").waitFor();
  await message.getByText("(ERR_POSTERN_8104)").waitFor();
});

it("keeps secrets hidden until they are asked for", async () => {
  agent.captures({ path: "/secret", headers: { Authorization: "Bearer t0p-s3cret", Cookie: "sid=c00kie" } });
  await inspect();
  await page.getByRole("row", { name: "/secret" }).click();
  await page.getByRole("tab", { name: "Headers" }).click();
  await page.getByText("Bearer ••••••••").waitFor();
  await page.getByRole("tab", { name: "Raw" }).click();
  await page.getByText("Authorization: Bearer ••••••••").waitFor();
  expect(await page.content()).not.toMatch(/t0p-s3cret|c00kie/);
  await page.keyboard.press("c");
  await page.getByText("Secrets were masked").waitFor();
  expect(await copied()).not.toMatch(/t0p-s3cret|c00kie/);
  await page.getByRole("button", { name: "Copy with secrets" }).click();
  await expect.poll(copied).toContain("--header 'Authorization: Bearer t0p-s3cret'");
  await page.getByRole("tab", { name: "Headers" }).click();
  await page.getByRole("button", { name: "Reveal Authorization" }).click();
  await page.getByText("Bearer t0p-s3cret").waitFor();
});

it("moves no row while a person reads, and says how many are new", async () => {
  for (let number = 0; number < 200; number += 1) agent.captures({ path: `/old/${number}` });
  await inspect();
  await page.getByRole("row", { name: "/old/199" }).waitFor();
  const grid = page.getByRole("grid");
  await grid.evaluate((element) => element.scrollTo({ top: 1600 }));
  await page.getByRole("row", { name: "/old/145" }).waitFor();
  const before = await page.getByRole("row", { name: "/old/145" }).boundingBox();
  for (let number = 0; number < 30; number += 1) agent.captures({ path: `/new/${number}` });
  await page.getByRole("button", { name: "30 new" }).waitFor();
  expect(await page.getByRole("row", { name: "/old/145" }).boundingBox()).toEqual(before);
  await page.getByRole("button", { name: "30 new" }).click();
  await page.getByRole("row", { name: "/new/29" }).waitFor();
  await page.keyboard.press("p");
  agent.captures({ path: "/while-paused" });
  await page.getByRole("button", { name: "1 new" }).waitFor();
  expect(await page.getByRole("row", { name: "/while-paused" }).count()).toBe(0);
  await page.getByRole("button", { name: "Follow" }).click();
  await page.getByRole("row", { name: "/while-paused" }).waitFor();
});

it("stays smooth with fifty thousand requests", async () => {
  for (let number = 0; number < 50_000; number += 1)
    agent.exchanges.push(
      exchange({ path: `/item/${number}`, status: number % 10 === 0 ? "500 Oops" : "200 OK" }),
    );
  await inspect();
  await page.getByText("50,000 requests").first().waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(80);

  // Frames while scrolling through everything. The bar is loose: the machine may be busy with other things.
  const frames = await page.getByRole("grid").evaluate(
    (grid) =>
      new Promise<number[]>((done) => {
        const took: number[] = [];
        let last = performance.now();
        const step = (now: number) => {
          took.push(now - last);
          last = now;
          grid.scrollTop += 4000;
          if (took.length < 120) requestAnimationFrame(step);
          else done(took.slice(5).toSorted((a, b) => a - b));
        };
        requestAnimationFrame(step);
      }),
  );
  const median = frames[Math.floor(frames.length / 2)] ?? Infinity;
  const p95 = frames[Math.floor(frames.length * 0.95)] ?? Infinity;
  process.stdout.write(
    `frames while scrolling 50,000 rows: median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`,
  );
  expect(median).toBeLessThan(50);

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

it("deletes all requests only after asking", async () => {
  agent.captures({ path: "/one" });
  await inspect();
  await page.getByRole("button", { name: "Actions on all requests" }).click();
  await page.getByRole("menuitem", { name: "Delete all requests" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(agent.heard).toEqual([]);
  await page.getByRole("button", { name: "Actions on all requests" }).click();
  await page.getByRole("menuitem", { name: "Delete all requests" }).click();
  await page.getByRole("button", { name: "Delete all", exact: true }).click();
  await page.getByText("Waiting for the first request").waitFor();
  expect(agent.heard).toEqual(["DELETE /api/requests/http "]);
});

it("reads again what it missed while the feed was broken", async () => {
  agent.captures({ path: "/before" });
  await inspect();
  await page.getByRole("row", { name: "/before" }).waitFor();
  agent.dropFeeds();
  agent.captures({ path: "/meanwhile" });
  await page.getByRole("row", { name: "/meanwhile" }).waitFor();
  agent.captures({ path: "/after" });
  await page.getByRole("row", { name: "/after" }).waitFor();
  expect(await page.getByRole("row").count()).toBe(4);
});

it("says that the agent is gone, and goes on when it is back", async () => {
  await inspect();
  const stopped = agent;
  await stopped.stop();
  await page.getByRole("alert", { name: "The agent does not respond" }).waitFor();
  agent = await FakeAgent.start();
  wrong.length = 0;
});

it("opens what it was asked for", async () => {
  agent.captures({ path: "/a", tunnel: "shop" });
  const wanted = agent.captures({ path: "/b", tunnel: "staging" });
  await inspect(`?tunnel=staging&request=${wanted.summary.id}`);
  await page.getByRole("heading", { name: "/b" }).waitFor();
  expect(await page.getByRole("combobox", { name: "Filter requests" }).inputValue()).toBe("tunnel:staging");
  expect(await page.getByRole("row", { name: "/a" }).count()).toBe(0);
});

it("keeps the filter and the selected request over a reload", async () => {
  agent.captures({ path: "/a", tunnel: "shop" });
  agent.captures({ path: "/b", tunnel: "staging" });
  await inspect("?tunnel=staging");
  const box = page.getByRole("combobox", { name: "Filter requests" });
  await box.fill("method:GET");
  await page.getByRole("row", { name: "/a" }).click();
  await page.waitForURL(/\?filter=method%3AGET&request=\w+$/);
  await page.reload();
  await page.getByRole("heading", { name: "/a" }).waitFor();
  expect(await box.inputValue()).toBe("method:GET");
});

it("never runs what it shows", async () => {
  const evil = "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">";
  agent.captures({
    path: `/${encodeURIComponent(evil)}`,
    headers: { "X-Evil": evil },
    answerHeaders: { "Content-Type": "text/html" },
    answer: evil,
  });
  agent.captures({
    path: "/evil.svg",
    answerHeaders: { "Content-Type": "image/svg+xml" },
    answer: `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title='pwned'"><script>parent.document.title='pwned'</script><image href="${agent.url}/api/status"/></svg>`,
  });
  agent.tunnel({ name: evil, state: "failed", error: { code: "ERR_POSTERN_334", message: evil } });
  agent.tellTunnels();
  await inspect();
  for (const row of ["script", "/evil.svg"]) {
    await page.getByRole("row", { name: row }).first().click();
    for (const tab of ["Response", "Headers", "Raw", "Overview"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
    }
    expect(await page.title()).toBe("Postern inspector");
  }
});
