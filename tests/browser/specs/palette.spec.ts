// Ctrl+K finds pages, actions, ids, hosts, networks and descriptions; all of it with the keyboard.
import type { Page } from "@playwright/test";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

interface Records {
  policy: string;
  edge: string;
  route: string;
}

const test = testWithWorld({ agent: null }).extend<{}, { records: Records }>({
  records: [
    async ({ world }, use) => {
      const policy = await world.create("/ip_policies", { description: "Head office" });
      await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.20.0.0/16", action: "allow" });
      const edge = await world.create("/edges/https", {
        hostports: ["shop.example.test:443"],
        description: "The shop",
      });
      const backend = await world.create("/backends/http_response", { body: "x" });
      const route = await world.create(`/edges/https/${edge}/routes`, {
        match_type: "path_prefix",
        match: "/checkout",
        backend: { backend_id: backend },
      });
      await use({ policy, edge, route });
    },
    { scope: "worker" },
  ],
});
test.use({ viewport: { width: 1280, height: 800 } });

test.beforeEach(async ({ records: _, page, openConsole }) => {
  await openConsole();
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
});

const finder = (page: Page) => page.getByRole("combobox", { name: "Find anything" });
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });

test("opens with Ctrl+K, goes to pages and begins actions, and closes with Escape", async ({ page }) => {
  await page.keyboard.press("Control+k");
  await expect(finder(page)).toBeVisible();
  await expect(option(page, /^Topology/)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(finder(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Find anything" }).click();
  await finder(page).fill("new ip pol");
  await expect(option(page, /^New IP policy/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "New IP policy" })).toBeVisible();
});

test("finds a record by what it is called, by its host, its network, an address in it, and its route", async ({
  page,
  records,
}) => {
  const found: [words: string, name: RegExp][] = [
    ["head off", /^Head office/],
    ["10.20.0.0/16", /^Head office 10\.20\.0\.0\/16/],
    ["10.20.30.40", /^Head office/],
    ["shop.example", /shop\.example\.test/],
    ["/checkout", /shop\.example\.test/],
  ];
  await page.keyboard.press("Control+k");
  for (const [words, name] of found) {
    await finder(page).fill(words);
    await expect(option(page, name).first()).toBeVisible();
  }
  await finder(page).fill("office");
  await expect(option(page, /^Head office/)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "palette");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL((url) => url.hash === `#/ip_policies/${records.policy}`);
});

test("takes a pasted id straight to what has it", async ({ page, records }) => {
  for (const [id, place] of [
    [records.edge, `/edges/https/${records.edge}`],
    [records.route, `/edges/https/${records.edge}/routes/${records.route}`],
  ] as const) {
    await page.keyboard.press("Control+k");
    await finder(page).fill(id);
    await expect(page.getByRole("group", { name: "Go to" }).getByRole("option", { name: id })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL((url) => url.hash === `#${place}`);
  }
});

test("says when there is nothing, and moves with the arrows", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.keyboard.press("Control+k");
  await finder(page).fill("surely nothing");
  await expect(page.getByText("Nothing matches “surely nothing”.")).toBeVisible();
  await finder(page).fill("");
  await expect(option(page, /^Overview/).and(page.locator("[data-highlighted]"))).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(option(page, /^Topology/).and(page.locator("[data-highlighted]"))).toBeVisible();
  await expectAccessible(page);
  await picture(page, "palette-dark");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Topology", level: 1 })).toBeVisible();
});
