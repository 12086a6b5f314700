// Ctrl+K finds pages, actions, ids, hosts, networks and descriptions; all of it with the keyboard.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];
let policy = "";
let edge = "";
let route = "";

beforeAll(async () => {
  browser = await launch();
  world = await World.startServerOnly();
  const make = async (path: string, body: unknown) =>
    (await world.manage<{ id: string }>("POST", path, body)).id;
  policy = await make("/ip_policies", { description: "Head office" });
  await make("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.20.0.0/16", action: "allow" });
  edge = await make("/edges/https", { hostports: ["shop.example.test:443"], description: "The shop" });
  const backend = await make("/backends/http_response", { body: "x" });
  route = await make(`/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/checkout",
    backend: { backend_id: backend },
  });
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});
beforeEach(async () => {
  ({ page, wrong } = await open(browser, `${world.management}/console`, {
    viewport: { width: 1280, height: 800 },
  }));
  await enterKey(page, world.key);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

const finder = () => page.getByRole("combobox", { name: "Find anything" });
const option = (name: string | RegExp) => page.getByRole("option", { name });

it("opens with Ctrl+K, goes to pages and begins actions, and closes with Escape", async () => {
  await page.keyboard.press("Control+k");
  await finder().waitFor();
  await option(/^Topology/).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await finder().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Find anything" }).click();
  await finder().fill("new ip pol");
  await option(/^New IP policy/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New IP policy" }).waitFor();
});

it("finds a record by what it is called, by its host, its network, an address in it, and its route", async () => {
  const found: [words: string, name: RegExp][] = [
    ["head off", /^Head office/],
    ["10.20.0.0/16", /^Head office 10\.20\.0\.0\/16/],
    ["10.20.30.40", /^Head office/],
    ["shop.example", /shop\.example\.test/],
    ["/checkout", /shop\.example\.test/],
  ];
  await page.keyboard.press("Control+k");
  for (const [words, name] of found) {
    await finder().fill(words);
    await option(name).first().waitFor();
  }
  await finder().fill("office");
  await option(/^Head office/).waitFor();
  await expectAccessible(page);
  await picture(page, "palette");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**#/ip_policies/${policy}`);
});

it("takes a pasted id straight to what has it", async () => {
  for (const [id, place] of [
    [edge, `/edges/https/${edge}`],
    [route, `/edges/https/${edge}/routes/${route}`],
  ] as const) {
    await page.keyboard.press("Control+k");
    await finder().fill(id);
    await page.getByRole("group", { name: "Go to" }).getByRole("option", { name: id }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**#${place}`);
  }
});

it("says when there is nothing, and moves with the arrows", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.keyboard.press("Control+k");
  await finder().fill("surely nothing");
  await page.getByText("Nothing matches “surely nothing”.").waitFor();
  await finder().fill("");
  await option(/^Overview/)
    .and(page.locator('[aria-selected="true"]'))
    .waitFor();
  await page.keyboard.press("ArrowDown");
  await option(/^Topology/)
    .and(page.locator('[aria-selected="true"]'))
    .waitFor();
  await expectAccessible(page);
  await picture(page, "palette-dark");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Topology", level: 1 }).waitFor();
});
