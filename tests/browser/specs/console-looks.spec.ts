// Every page of the console with something in it: no violation in any colours, and pictures to be looked at.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible, expectReadable, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { tabTo } from "../kit/keys";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];
/** Places of records, by what they are. */
const places: Record<string, string> = {};

const LONG =
  "A description that is longer than any column of a table, and has not been thought about very much";

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
  const make = async (path: string, body: unknown) => {
    const { id } = await world.manage<{ id: string }>("POST", path, body);
    places[path] = `${path}/${id}`;
    return id;
  };
  const policy = await make("/ip_policies", { description: "Office" });
  await make("/ip_policies", { description: LONG, metadata: '{"team":"web"}' });
  await make("/ip_policies", { description: "Head office" });
  places["/ip_policies"] = `/ip_policies/${policy}`;
  await make("/ip_policy_rules", {
    ip_policy_id: policy,
    cidr: "10.0.0.0/8",
    action: "allow",
    description: "Home",
  });
  await make("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.1.2.0/24", action: "deny" });
  await make("/ip_restrictions", { type: "endpoints", ip_policy_ids: [policy], description: "Only warns" });
  await make("/users", { name: "Ada", admin: true });
  await make("/bot_users", { name: "builder", active: false });
  await make("/api_keys", { description: "Deployments" });
  const group = await make("/backends/tunnel_group", { labels: { team: "web" } });
  const address = await make("/backends/static", { address: "192.0.2.7:8080", description: "Old machine" });
  await make("/backends/http_response", { status_code: 503, body: "Back soon.", description: "Maintenance" });
  await make("/backends/weighted", { backends: { [group]: 90, [address]: 10 }, description: "Canary" });
  await make("/backends/failover", { backends: [group, address], description: "Two sites" });
  await make("/reserved_domains", { domain: "*.shop.example.com" });
  await make("/reserved_addrs", { description: "Database" });
  await make("/certificate_authorities", { ca_pem: world.authorityText });
  await world.publish("shop");
  for (const [path, list] of [
    ["/credentials", "credentials"],
    ["/tunnels", "tunnels"],
    ["/tunnel_sessions", "tunnel_sessions"],
    ["/endpoints", "endpoints"],
  ] as const) {
    const records = (await world.manage<Record<string, { id: string }[]>>("GET", path))[list];
    places[path] = `${path}/${records?.[0]?.id}`;
  }
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});
afterEach(async () => {
  await page.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(width: number, height: number): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.management}/console/`, {
    viewport: { width, height },
    reducedMotion: "reduce",
  }));
  await enterKey(page, world.key);
}

async function goTo(place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), place);
  await page.waitForFunction((hash) => location.hash.startsWith(`#${hash}`), place);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText(/^Loading/).waitFor({ state: "detached" });
}

/** Nothing is wider than the window it is in. */
async function expectFitting(what: string): Promise<void> {
  const over = await page.evaluate(() => {
    const main = document.querySelector("main");
    return main ? main.scrollWidth - main.clientWidth : 0;
  });
  expect(over, `${what} fits into the window`).toBeLessThanOrEqual(0);
}

const theme = (name: string) =>
  page.evaluate((value) => (document.documentElement.dataset["theme"] = value), name);

it("shows every list and every record in all colours without a violation", { timeout: 600_000 }, async () => {
  await show(1280, 800);
  for (const [path, record] of Object.entries(places)) {
    const name = path.slice(1).replaceAll("/", "-");
    for (const [place, picturesque] of [
      [path, `console-${name}-list`],
      [record, `console-${name}-one`],
    ] as const) {
      await goTo(place);
      await expectFitting(place);
      await theme("light");
      await expectAccessible(page);
      await picture(page, `${picturesque}-light`);
      // Tables are the same everywhere; those with states in them have most colours.
      const colourful = place === record || ["/ip_restrictions", "/bot_users", "/endpoints"].includes(path);
      for (const colours of colourful ? ["contrast", "dark"] : ["dark"]) {
        await theme(colours);
        if (colourful) await expectReadable(page);
      }
      await picture(page, `${picturesque}-dark`);
    }
  }
});

it("fits into wide and narrow windows", async () => {
  await show(1920, 1080);
  for (const path of ["/ip_policies", "/endpoints"]) {
    await goTo(path);
    await picture(page, `console-${path.slice(1)}-wide`);
    await goTo(places[path] ?? "");
    await picture(page, `console-${path.slice(1)}-one-wide`);
  }
  // As much room as a window of 1280 by 800 has at 200 %.
  await page.setViewportSize({ width: 640, height: 400 });
  for (const path of ["/ip_policies", "/backends/weighted", "/tunnel_sessions"]) {
    await goTo(path);
    await expectFitting(path);
    await goTo(places[path] ?? "");
    await expectFitting(`${path} one`);
    await picture(page, `console-${path.slice(1).replaceAll("/", "-")}-narrow`);
  }
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Credentials" }).click();
  await page.getByRole("heading", { name: "Credentials", level: 1 }).waitFor();
});

it("keeps the chosen colours and follows what is connected", async () => {
  await show(1280, 800);
  await page.getByRole("button", { name: "Colours" }).click();
  await page.getByRole("menuitem", { name: "High contrast" }).click();
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("contrast");
  await goTo("/endpoints");
  await page.getByRole("row").filter({ hasText: "shop" }).waitFor();
  await world.publish("tea");
  await page.getByRole("row").filter({ hasText: "tea" }).waitFor();
  await world.api("DELETE", "/api/tunnels/tea");
  await page.getByRole("row").filter({ hasText: "tea" }).waitFor({ state: "detached" });
});

it("searches, sorts and turns pages, and says so in the address", async () => {
  for (let number = 1; number <= 27; number += 1)
    await world.manage("POST", "/ip_policies", { description: `Branch ${number}` });
  await show(1280, 800);
  await goTo("/ip_policies?limit=25");
  await page.getByRole("link", { name: "Branch 27" }).waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByRole("link", { name: "Branch 2", exact: true }).waitFor();
  await page.getByRole("button", { name: "Newer" }).click();
  await page.getByRole("link", { name: "Branch 27" }).waitFor();
  await page.getByRole("button", { name: "Description" }).click();
  await page.getByRole("link", { name: "Branch 3", exact: true }).waitFor();
  const names = await page.getByRole("row").getByRole("link").allTextContents();
  expect(names.filter((name) => name.startsWith("Branch")).slice(0, 3)).toEqual([
    "Branch 1",
    "Branch 2",
    "Branch 3",
  ]);
  await page.getByRole("searchbox", { name: "Search IP policies" }).fill("office");
  await page.getByText("2 IP policies found").waitFor();
  expect(new URL(page.url()).hash).toContain("q=office");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Metadata" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("columnheader", { name: "Metadata" }).waitFor();
  await page.getByRole("searchbox", { name: "Search IP policies" }).fill("nowhere at all");
  await page.getByText("Nothing matches “nowhere at all”.").waitFor();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.getByRole("link", { name: "Branch 9", exact: true }).waitFor();
});

it("works by keyboard alone", async () => {
  await show(1280, 800);
  await goTo("/ip_policies");
  await page.reload();
  await page.getByLabel("API key").focus();
  await page.keyboard.type(world.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "IP policies", level: 1 }).waitFor();
  await tabTo(page, "Skip to the page");
  await page.keyboard.press("Enter");
  await tabTo(page, "New IP policy");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New IP policy" }).waitFor();
  await tabTo(page, "Description");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "By keyboard", level: 1 }).waitFor();
  await tabTo(page, "Add rule");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New rule" }).waitFor();
  await tabTo(page, "Network");
  await page.keyboard.type("192.0.2.0/24");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: "allow 192.0.2.0/24" }).waitFor();
  await page.getByRole("dialog", { name: "New rule" }).waitFor({ state: "detached" });
  await tabTo(page, "Delete allow 192.0.2.0/24");
  await page.keyboard.press("Enter");
  const asked = page.getByRole("dialog", { name: "Delete allow 192.0.2.0/24?" });
  await asked.waitFor();
  await tabTo(page, "Delete");
  await page.keyboard.press("Enter");
  await page.getByText("No rules: this policy admits no one.").waitFor();
});
