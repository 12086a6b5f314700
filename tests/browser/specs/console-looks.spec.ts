// Every page of the console with something in it: no violation in any colours, and pictures to be looked at.
import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectReadable, picture, testWithWorld } from "../kit/fixtures";
import { fill } from "../kit/filled";
import { tabTo } from "../kit/keys";

/** The lists of the console, each of which has a record. */
const LISTS = [
  "/ip_policies",
  "/ip_policy_rules",
  "/ip_restrictions",
  "/users",
  "/bot_users",
  "/api_keys",
  "/backends/tunnel_group",
  "/backends/static",
  "/backends/http_response",
  "/backends/weighted",
  "/backends/failover",
  "/reserved_domains",
  "/reserved_addrs",
  "/certificate_authorities",
  "/credentials",
  "/tunnels",
  "/agents",
  "/tunnel_sessions",
  "/endpoints",
  "/nodes",
] as const;

const test = testWithWorld().extend<{}, { places: Record<string, string> }>({
  places: [async ({ world }, use) => use(await fill(world)), { scope: "worker", timeout: 60_000 }],
});
test.use({
  viewport: { width: 1280, height: 800 },
  contextOptions: { reducedMotion: "reduce" },
});

test.beforeEach(async ({ places: _, openConsole }) => {
  await openConsole();
});

async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), place);
  await page.waitForFunction((hash) => location.hash.startsWith(`#${hash}`), place);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
}

/** Nothing is wider than the window it is in. */
async function expectFitting(page: Page, what: string): Promise<void> {
  const over = await page.evaluate(() => {
    const main = document.querySelector("main");
    return main ? main.scrollWidth - main.clientWidth : 0;
  });
  expect(over, `${what} fits into the window`).toBeLessThanOrEqual(0);
}

const theme = (page: Page, name: string) =>
  page.evaluate((value) => (document.documentElement.dataset["theme"] = value), name);

for (const path of LISTS) {
  const name = path.slice(1).replaceAll("/", "-");
  for (const kind of ["list", "one"] as const)
    test(`${path}: ${kind === "list" ? "the list" : "a record"} is shown in all colours without a violation`, async ({
      page,
      places,
    }) => {
      const place = (kind === "list" ? path : places[path]) ?? "";
      await goTo(page, place);
      await expectFitting(page, place);
      await theme(page, "light");
      await expectAccessible(page);
      await picture(page, `console-${name}-${kind}-light`);
      // Tables are the same everywhere; those with states in them have most colours.
      const colourful = kind === "one" || ["/ip_restrictions", "/bot_users", "/endpoints"].includes(path);
      for (const colours of colourful ? ["contrast", "dark"] : ["dark"]) {
        await theme(page, colours);
        if (colourful) await expectReadable(page);
      }
      await picture(page, `console-${name}-${kind}-dark`);
    });
}

test("every kind of record has its tests", async ({ places }) => {
  expect(Object.keys(places).toSorted()).toEqual([...LISTS].toSorted());
});

test("fits into a wide window", async ({ page, places }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const path of ["/ip_policies", "/endpoints"]) {
    await goTo(page, path);
    await picture(page, `console-${path.slice(1)}-wide`);
    await goTo(page, places[path] ?? "");
    await picture(page, `console-${path.slice(1)}-one-wide`);
  }
});

test("fits into a narrow window", async ({ page, places }) => {
  // As much room as a window of 1280 by 800 has at 200 %.
  await page.setViewportSize({ width: 640, height: 400 });
  for (const path of ["/ip_policies", "/backends/weighted", "/tunnel_sessions"]) {
    await goTo(page, path);
    await expectFitting(page, path);
    await goTo(page, places[path] ?? "");
    await expectFitting(page, `${path} one`);
    await picture(page, `console-${path.slice(1).replaceAll("/", "-")}-narrow`);
  }
});

test("has its areas in a menu in a narrow window", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Credentials" }).click();
  await expect(page.getByRole("heading", { name: "Credentials", level: 1 })).toBeVisible();
});

test("keeps the chosen colours", async ({ page }) => {
  await page.getByRole("button", { name: "Appearance" }).click();
  await page.getByRole("menuitem", { name: "High contrast" }).click();
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("contrast");
  await goTo(page, "/endpoints");
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("contrast");
});

test("follows what is connected", async ({ page, world }) => {
  // By a whole cell: public addresses are random words, of which "steady" contains "tea".
  const tunnel = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("cell", { name, exact: true }) });
  await goTo(page, "/endpoints");
  await expect(tunnel("shop")).toBeVisible();
  await world.publish("tea");
  await expect(tunnel("tea")).toBeVisible();
  await world.api("DELETE", "/api/tunnels/tea");
  await expect(tunnel("tea")).toHaveCount(0);
});

test.describe("a long list", () => {
  /** With what is there already two pages of 25. */
  test.beforeAll(async ({ world, places: _ }) => {
    for (let number = 1; number <= 27; number += 1)
      await world.create("/ip_policies", { description: `Branch ${number}` });
  });

  test("has pages that can be turned", async ({ page }) => {
    await goTo(page, "/ip_policies?limit=25");
    await expect(page.getByRole("link", { name: "Branch 27" })).toBeVisible();
    await page.getByRole("button", { name: "Older" }).click();
    await expect(page.getByRole("link", { name: "Branch 2", exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Newer" }).click();
    await expect(page.getByRole("link", { name: "Branch 27" })).toBeVisible();
  });

  test("is sorted by a column", async ({ page }) => {
    await goTo(page, "/ip_policies?limit=25");
    await page.getByRole("button", { name: "Description" }).click();
    await expect(page.getByRole("link", { name: "Branch 3", exact: true })).toBeVisible();
    const names = await page.getByRole("row").getByRole("link").allTextContents();
    expect(names.filter((name) => name.startsWith("Branch")).slice(0, 3)).toEqual([
      "Branch 1",
      "Branch 2",
      "Branch 3",
    ]);
  });

  test("is searched while it is sorted, and says so in the address", async ({ page }) => {
    await goTo(page, "/ip_policies?limit=25");
    await page.getByRole("button", { name: "Description" }).click();
    await page.getByRole("searchbox", { name: "Search IP policies" }).fill("office");
    await expect(page.getByText("2 IP policies found")).toBeVisible();
    await expect(page).toHaveURL(/#.*q=office/);
    await page.getByRole("searchbox", { name: "Search IP policies" }).fill("nowhere at all");
    await expect(page.getByText("Nothing matches “nowhere at all”.")).toBeVisible();
    await page.getByRole("button", { name: "Clear the search" }).click();
    await expect(page.getByRole("link", { name: "Branch 9", exact: true })).toBeVisible();
  });

  test("has columns to choose from", async ({ page }) => {
    await goTo(page, "/ip_policies?limit=25");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Metadata" }).click();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("columnheader", { name: "Metadata" })).toBeVisible();
  });
});

test("works by keyboard alone", async ({ page, context, world }) => {
  await goTo(page, "/ip_policies");
  await context.clearCookies();
  await page.reload();
  await page.getByLabel("API key").focus();
  await page.keyboard.type(world.key);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "IP policies", level: 1 })).toBeVisible();
  await tabTo(page, "Skip to the page");
  await page.keyboard.press("Enter");
  await tabTo(page, "New IP policy");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "New IP policy" })).toBeVisible();
  await tabTo(page, "Description");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "By keyboard", level: 1 })).toBeVisible();
  await tabTo(page, "Add rule");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "New rule" })).toBeVisible();
  await tabTo(page, "Network");
  await page.keyboard.type("192.0.2.0/24");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row", { name: "allow 192.0.2.0/24" })).toBeVisible();
  await expect(page.getByRole("dialog", { name: "New rule" })).toHaveCount(0);
  await tabTo(page, "Delete allow 192.0.2.0/24");
  await page.keyboard.press("Enter");
  const asked = page.getByRole("dialog", { name: "Delete allow 192.0.2.0/24?" });
  await expect(asked).toBeVisible();
  await tabTo(page, "Delete");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No rules: this policy admits no one.")).toBeVisible();
});
