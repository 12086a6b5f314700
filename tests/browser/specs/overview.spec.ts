// The overview: the first step where there is nothing, then state, figures, charts, agents and certificates.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { eventually, World } from "../kit/world";

let browser: Browser;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(world: World, colorScheme: "light" | "dark" = "light"): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.management}/console`, {
    viewport: { width: 1280, height: 800 },
    colorScheme,
  }));
  await enterKey(page, world.key);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

const figure = (label: string) =>
  page.getByRole("list", { name: "Figures" }).getByRole("link", { name: new RegExp(`^${label}`) });

describe("on a server that has nothing", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.startServerOnly();
  });
  afterAll(() => world?.stop());

  it("is where the console begins, and tells the first step and the next", async () => {
    await show(world);
    await page.getByText("First step: create a credential for your agent").waitFor();
    await page.getByText("No agent is connected.").waitFor();
    await expectAccessible(page);
    await picture(page, "overview-empty");
    await world.manage("POST", "/credentials", {});
    await page.getByText("Next step: connect an agent").waitFor();
    await page.getByText(/postern http 8080/).waitFor();
  });
});

describe("with an agent and visitors", () => {
  let world: World;
  let url: string;
  beforeAll(async () => {
    world = await World.start();
    url = await world.publish("web");
  });
  afterAll(() => world?.stop());

  it("counts what passes, and says whose fault it is when it fails", async () => {
    for (let visit = 0; visit < 12; visit += 1) await world.visit(`${url}/page/${visit}`);
    await show(world);
    await page.getByRole("img", { name: /12 requests in the last 60 minutes.*0 failures/ }).waitFor();
    await figure("Agents").filter({ hasText: "1" }).waitFor();
    await page.getByRole("table").filter({ hasText: "127.0.0.1" }).getByText("0.1.0").waitFor();
    await page.getByRole("link", { name: url }).waitFor();
    await expectAccessible(page);
    await picture(page, "overview");

    await world.site.stop();
    for (let visit = 0; visit < 6; visit += 1) expect((await world.visit(url)).status).toBe(502);
    await page.getByText("33 % of requests fail").waitFor();
    await page.getByText(/Since the start most failures were caused by the local service/).waitFor();
    await page.getByRole("radio", { name: "Last minute" }).check();
    await page.getByRole("img", { name: /in the last 60 seconds.*6 failures/ }).waitFor();
    expect(page.url()).toContain("over=minute");
    await expectAccessible(page);
    await picture(page, "overview-failing");
    await page.getByRole("link", { name: "Show details" }).first().click();
    await page.getByRole("heading", { name: "Topology" }).waitFor();
  });

  it("reads well in the dark", async () => {
    await show(world, "dark");
    await figure("Tunnels").waitFor();
    await expectAccessible(page);
    await picture(page, "overview-dark");
    await page.setViewportSize({ width: 1920, height: 1080 });
    await picture(page, "overview-dark-wide");
  });

  it("says when the server is gone, and goes on when it is back", async () => {
    await show(world);
    await world.killServer();
    await page.getByText("The server does not respond").waitFor();
    await world.startServer();
    await page.getByText("The server is reachable").waitFor();
    await eventually("the agent is back", async () => {
      const text = await figure("Agents").textContent();
      return text?.includes("1") ? text : undefined;
    });
  });
});
