// The inspector in the hands of a person with a keyboard, a mouse and very many requests.
import type { Page } from "@playwright/test";
import { ordinary } from "../kit/captured";
import { expect, testWithFakeAgent as test } from "../kit/fixtures";

test.beforeEach(({ agent }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  agent.tunnel({ name: "staging", state: "running", public_url: "https://staging-1.localhost:4443" });
});

async function inspect(page: Page, query = ""): Promise<void> {
  await page.goto(`/${query}`);
  await expect(page.getByText("Online")).toBeVisible();
}

const selected = (page: Page) => page.locator('[role=row][aria-selected="true"]');
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test("is operated with keys alone", async ({ page, agent }) => {
  for (const captured of ordinary()) agent.captures(captured);
  await inspect(page);
  await expect(page.getByRole("row", { name: "/events" })).toBeVisible();
  await page.keyboard.press("j");
  await expect(selected(page)).toContainText("/events");
  await page.keyboard.press("j");
  await expect(selected(page)).toContainText("/api/orders/1041");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowDown");
  await expect(selected(page)).toContainText("/api/orders/1041");
  await page.keyboard.press("End");
  await expect(selected(page)).toHaveText(/GET\/shop/);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
  await page.keyboard.press("Escape");
  await expect(selected(page)).toHaveCount(0);
  await page.keyboard.press("/");
  await page.keyboard.type("status:5xx");
  await expect(page.getByText("2 requests").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("13 requests").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Shortcuts and filters" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("leaves letters alone when they are turned off", async ({ page, agent }) => {
  agent.captures({ path: "/one" });
  await inspect(page);
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByRole("checkbox", { name: "Single-letter shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await expect(selected(page)).toHaveCount(1);
  await page.keyboard.press("r");
  await page.keyboard.press("Escape");
  await expect(selected(page)).toHaveCount(0);
  expect(agent.heard).toEqual([]);
});

test("replays to the same and to another tunnel and shows the answers", async ({ page, agent }) => {
  const original = agent.captures({ method: "POST", path: "/pay", body: "x" });
  await inspect(page);
  await page.getByRole("row", { name: "/pay" }).click();
  await page.keyboard.press("r");
  const replays = page.getByRole("heading", { name: "Replays" }).locator("..");
  await expect(replays.getByRole("button", { name: "200 OK shop" })).toBeVisible();
  await page.getByRole("button", { name: "More ways to replay" }).click();
  await page.getByRole("menuitem", { name: "To staging" }).click();
  await replays.getByRole("button", { name: "200 OK staging" }).click();
  await expect(page.getByText("Replay of")).toBeVisible();
  expect(agent.heard).toEqual([
    `POST /api/requests/http {"id":"${original.summary.id}"}`,
    `POST /api/requests/http {"id":"${original.summary.id}","tunnel_name":"staging"}`,
  ]);
});

test("says what a refused replay means", async ({ page, agent }) => {
  const original = agent.captures({ path: "/gone" });
  await inspect(page);
  await page.getByRole("row", { name: "/gone" }).click();
  await page.getByRole("tab", { name: "Raw" }).click();
  await expect(page.getByText("GET /gone HTTP/1.1")).toBeVisible();
  agent.exchanges = agent.exchanges.filter((other) => other !== original);
  await page.keyboard.press("r");
  const message = page.getByRole("region", { name: "Notifications" });
  await expect(message.getByText("There is no such captured request.")).toBeVisible();
  await expect(message.getByText("(ERR_POSTERN_8104)")).toBeVisible();
});

test("keeps secrets hidden until they are asked for", async ({ page, agent }) => {
  agent.captures({ path: "/secret", headers: { Authorization: "Bearer t0p-s3cret", Cookie: "sid=c00kie" } });
  await inspect(page);
  await page.getByRole("row", { name: "/secret" }).click();
  await page.getByRole("tab", { name: "Headers" }).click();
  await expect(page.getByText("Bearer ••••••••")).toBeVisible();
  await page.getByRole("tab", { name: "Raw" }).click();
  await expect(page.getByText("Authorization: Bearer ••••••••")).toBeVisible();
  expect(await page.content()).not.toMatch(/t0p-s3cret|c00kie/);
  await page.keyboard.press("c");
  await expect(page.getByText("Secrets were masked")).toBeVisible();
  expect(await copied(page)).not.toMatch(/t0p-s3cret|c00kie/);
  await page.getByRole("button", { name: "Copy with secrets" }).click();
  await expect.poll(() => copied(page)).toContain("--header 'Authorization: Bearer t0p-s3cret'");
  await page.getByRole("tab", { name: "Headers" }).click();
  await page.getByRole("button", { name: "Reveal Authorization" }).click();
  await expect(page.getByText("Bearer t0p-s3cret")).toBeVisible();
});

test("moves no row while a person reads, and says how many are new", async ({ page, agent }) => {
  for (let number = 0; number < 200; number += 1) agent.captures({ path: `/old/${number}` });
  await inspect(page);
  await expect(page.getByRole("row", { name: "/old/199" })).toBeVisible();
  const grid = page.getByRole("grid");
  await grid.evaluate((element) => element.scrollTo({ top: 1600 }));
  await expect(page.getByRole("row", { name: "/old/145" })).toBeVisible();
  const before = await page.getByRole("row", { name: "/old/145" }).boundingBox();
  for (let number = 0; number < 30; number += 1) agent.captures({ path: `/new/${number}` });
  await expect(page.getByRole("button", { name: "30 new" })).toBeVisible();
  expect(await page.getByRole("row", { name: "/old/145" }).boundingBox()).toEqual(before);
  await page.getByRole("button", { name: "30 new" }).click();
  await expect(page.getByRole("row", { name: "/new/29" })).toBeVisible();
  await page.keyboard.press("p");
  agent.captures({ path: "/while-paused" });
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible();
  await expect(page.getByRole("row", { name: "/while-paused" })).toHaveCount(0);
  await page.getByRole("button", { name: "Follow" }).click();
  await expect(page.getByRole("row", { name: "/while-paused" })).toBeVisible();
});

test("deletes all requests only after asking", async ({ page, agent }) => {
  agent.captures({ path: "/one" });
  await inspect(page);
  await page.getByRole("button", { name: "Actions on all requests" }).click();
  await page.getByRole("menuitem", { name: "Delete all requests" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(agent.heard).toEqual([]);
  await page.getByRole("button", { name: "Actions on all requests" }).click();
  await page.getByRole("menuitem", { name: "Delete all requests" }).click();
  await page.getByRole("button", { name: "Delete all", exact: true }).click();
  await expect(page.getByText("Waiting for the first request")).toBeVisible();
  expect(agent.heard).toEqual(["DELETE /api/requests/http "]);
});

test("reads again what it missed while the feed was broken", async ({ page, agent }) => {
  agent.captures({ path: "/before" });
  await inspect(page);
  await expect(page.getByRole("row", { name: "/before" })).toBeVisible();
  agent.dropFeeds();
  agent.captures({ path: "/meanwhile" });
  await expect(page.getByRole("row", { name: "/meanwhile" })).toBeVisible();
  agent.captures({ path: "/after" });
  await expect(page.getByRole("row", { name: "/after" })).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(4);
});

test("says that the agent is gone, and goes on when it is back", async ({ page, agent }) => {
  await inspect(page);
  await agent.stop();
  await expect(page.getByRole("alert", { name: "The agent does not respond" })).toBeVisible();
  await agent.startAgain();
  await expect(page.getByText("Online")).toBeVisible();
});

test("opens what it was asked for", async ({ page, agent }) => {
  agent.captures({ path: "/a", tunnel: "shop" });
  const wanted = agent.captures({ path: "/b", tunnel: "staging" });
  await inspect(page, `?tunnel=staging&request=${wanted.summary.id}`);
  await expect(page.getByRole("heading", { name: "/b" })).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Filter requests" })).toHaveValue("tunnel:staging");
  await expect(page.getByRole("row", { name: "/a" })).toHaveCount(0);
});

test("keeps the filter and the selected request over a reload", async ({ page, agent }) => {
  agent.captures({ path: "/a", tunnel: "shop" });
  agent.captures({ path: "/b", tunnel: "staging" });
  await inspect(page, "?tunnel=staging");
  const box = page.getByRole("combobox", { name: "Filter requests" });
  await box.fill("method:GET");
  await page.getByRole("row", { name: "/a" }).click();
  await expect(page).toHaveURL(/\?filter=method%3AGET&request=\w+$/);
  await page.reload();
  await expect(page.getByRole("heading", { name: "/a" })).toBeVisible();
  await expect(box).toHaveValue("method:GET");
});

test("never runs what it shows", async ({ page, agent }) => {
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
  await inspect(page);
  for (const row of ["script", "/evil.svg"]) {
    await page.getByRole("row", { name: row }).first().click();
    for (const tab of ["Response", "Headers", "Raw", "Overview"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expect(page.getByRole("tabpanel", { name: tab })).toBeVisible();
    }
    await expect(page).toHaveTitle("Postern inspector");
  }
});

test("keeps a text in sight while the window is resized and requests are replayed", async ({ page, agent }) => {
  agent.captures({ method: "POST", path: "/pay", body: "amount=1&currency=EUR" });
  await inspect(page);
  await page.getByRole("row", { name: "/pay" }).click();
  await page.getByRole("tab", { name: "Raw" }).click();
  const text = page.getByRole("region", { name: "Raw request" });
  await expect(text).toContainText("POST /pay HTTP/1.1");
  const lacks = await page.evaluateHandle(() => {
    const seen = { blank: 0 };
    const checkFrame = () => {
      const region = document.querySelector('[role=region][aria-label="Raw request"]');
      if (region && !region.textContent?.includes("POST /pay")) seen.blank += 1;
      requestAnimationFrame(checkFrame);
    };
    requestAnimationFrame(checkFrame);
    return seen;
  });
  const { width, height } = page.viewportSize()!;
  for (const change of [-40, 60, -120, 30, 0]) {
    await page.setViewportSize({ width: width + change, height: height + change });
    await expect(text).toContainText("POST /pay HTTP/1.1");
  }
  for (let replays = 1; replays <= 5; replays += 1) {
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await expect(page.getByRole("row", { name: "/pay" })).toHaveCount(replays + 1);
    await expect(text).toContainText("POST /pay HTTP/1.1");
  }
  expect(await lacks.jsonValue(), "no frame without the text").toEqual({ blank: 0 });
});

test("leaves buttons and tabs in their places while replays arrive", async ({ page, agent }) => {
  agent.captures({ path: "/one" });
  agent.captures({ path: "/two", status: "302 Found" });
  await inspect(page);
  await page.getByRole("row", { name: "/one" }).click();
  const places = () =>
    Promise.all(
      [
        page.getByRole("button", { name: "Replay", exact: true }),
        page.getByRole("button", { name: "Edit", exact: true }),
        page.getByRole("tab", { name: "Overview" }),
      ].map(async (part) => (await part.boundingBox())?.y),
    );
  const before = await places();
  await page.keyboard.press("r");
  await page.keyboard.press("r");
  await expect(page.getByRole("heading", { name: "Replays" }).locator("..").getByRole("button")).toHaveCount(2);
  expect(await places()).toEqual(before);
  await page.getByRole("row", { name: "/two" }).click();
  await expect(page.getByRole("heading", { name: "/two" })).toBeVisible();
  expect(await places()).toEqual(before);
});

test("asks for no bytes of a body that is empty", async ({ page, agent }) => {
  agent.captures({ path: "/empty" });
  const statuses: number[] = [];
  page.on("response", (response) => statuses.push(response.status()));
  await inspect(page);
  await page.getByRole("row", { name: "/empty" }).click();
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.getByText("This request has no body.")).toBeVisible();
  expect(statuses.filter((status) => status === 416)).toEqual([]);
});

test("shows the results of a filter instead of suggestions for the next term", async ({ page, agent }) => {
  agent.captures({ path: "/one", status: "500 Internal Server Error" });
  agent.captures({ path: "/two" });
  await inspect(page);
  await page.keyboard.press("/");
  await page.keyboard.type("status:5xx ");
  await expect(page.getByText("1 request").first()).toBeVisible();
  const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  await expect(options).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(options.first()).toBeVisible();
});
