// Lists of the console: totals, saved views, selected rows that are deleted together, files, and traffic as columns.
import { readFile } from "node:fs/promises";
import { testWithEdges } from "../kit/edges";
import { expect, expectAccessible, picture, type Page } from "../kit/fixtures";

const test = testWithEdges();
test.use({ viewport: { width: 1280, height: 800 } });

const selectRow = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true });

test.describe("a long list", () => {
  test.beforeAll(async ({ world, edges: _ }) => {
    for (let number = 1; number <= 60; number += 1)
      await world.create("/bot_users", { name: `builder-${String(number).padStart(2, "0")}` });
  });

  test("says how many records there are, on every page and of every search", async ({ page, pages }) => {
    await pages.go("/bot_users?limit=25");
    await expect(page.getByText("60 bot users", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Older" }).click();
    await expect(page.getByRole("link", { name: "builder-35" })).toBeVisible();
    await expect(page.getByText("60 bot users", { exact: true })).toBeVisible();
    await page.getByRole("searchbox", { name: "Search bot users" }).fill("builder-1");
    await expect(page.getByText("10 bot users found")).toBeVisible();
  });

  test("is exported whole, as it is searched and sorted", async ({ page, pages }) => {
    await pages.go("/bot_users?limit=25&sort=name&q=builder");
    await expect(page.getByText("60 bot users found")).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("bot-users.csv");
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^ID,Name/);
    expect(lines).toHaveLength(61);
    expect(lines[1]).toContain("builder-01");
    expect(lines[60]).toContain("builder-60");
    await expect(page.getByText("60 records exported")).toBeVisible();
  });

  test("has views that are saved by name", async ({ page, pages }) => {
    await pages.go("/bot_users?limit=25");
    await page.getByRole("searchbox", { name: "Search bot users" }).fill("builder-2");
    await expect(page.getByText("10 bot users found")).toBeVisible();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save this view…" }).click();
    await page.getByRole("textbox", { name: "Name of the view" }).fill("Twenties");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("button", { name: "View: Twenties" })).toBeVisible();
    await page.getByRole("button", { name: "View: Twenties" }).click();
    await page.getByRole("menuitem", { name: "Reset the view" }).click();
    await expect(page.getByText("60 bot users", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Twenties" }).click();
    await expect(page.getByText("10 bot users found")).toBeVisible();
    await expect(page.getByRole("searchbox", { name: "Search bot users" })).toHaveValue("builder-2");
    await page.getByRole("button", { name: "View: Twenties" }).click();
    await page.getByRole("menuitem", { name: "Delete “Twenties”" }).click();
    await expect(page.getByRole("button", { name: "Views", exact: true })).toBeVisible();
  });

  test("keeps rows selected over pages, and deletes them together", async ({ page, world, pages }) => {
    await pages.go("/bot_users?limit=25&sort=name");
    await selectRow(page, "builder-01").click();
    await page.getByRole("button", { name: "Older" }).click();
    await selectRow(page, "builder-26").click();
    await expect(page.getByText("2 bot users selected")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "list-selected");
    await page.getByRole("button", { name: "Delete selected" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 bot users?" });
    await expect(dialog.getByText("builder-01")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete 2 records" }).click();
    await expect(page.getByText("2 bot users deleted")).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText("58 bot users", { exact: true })).toBeVisible();
    const left = await world.manage<{ bot_users: { name: string }[] }>("GET", "/bot_users?limit=100");
    expect(left.bot_users.filter(({ name }) => /-(01|26)$/.test(name))).toEqual([]);
  });
});

test("names what depends on the selected records, and leaves out those in use", async ({
  page,
  world,
  edges,
  pages,
}) => {
  await edges.shop("depends.localhost");
  await world.create("/backends/http_response", { description: "Spare", body: "x" });
  await pages.go("/backends/http_response");
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
  await page.getByRole("button", { name: "Delete selected" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 2 HTTP responses?" });
  await expect(dialog.getByText("In use: it is left out")).toBeVisible();
  await expect(dialog.getByRole("link", { name: /^depends\.localhost/ }).first()).toBeVisible();
  await expectAccessible(page);
  await picture(page, "list-bulk-delete");
  await dialog.getByRole("button", { name: "Delete 1 record" }).click();
  await expect(page.getByText("1 HTTP response deleted")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
  await expect(page.getByText("1 HTTP response", { exact: true })).toBeVisible();
  await expect(page.getByText("1 HTTP response selected")).toBeVisible();
  await edges.removeAll();
});

test("selects all rows once there are rows", async ({ page, world, pages }) => {
  const id = await world.create("/bot_users", { name: "late" });
  let send = () => {};
  const isSent = new Promise<void>((resolve) => (send = resolve));
  await page.route(/\/bot_users\?/, async (route) => {
    await isSent;
    await route.continue();
  });
  await pages.go("/bot_users");
  const all = page.getByRole("checkbox", { name: "Select all rows of this page" });
  await expect(page.getByText("Loading bot users…")).toBeVisible();
  await expect(all).toBeDisabled();
  send();
  await all.click();
  await expect(selectRow(page, "late")).toBeChecked();
  await world.manage("DELETE", `/bot_users/${id}`);
});

test("shows the traffic and the health of edges", async ({ page, world, edges, pages }) => {
  await edges.shop("quiet.localhost");
  await edges.shop("busy.localhost");
  for (let visit = 0; visit < 3; visit += 1) await world.visit(`https://busy.localhost:${world.httpsPort}/`);
  await pages.go("/edges/https");
  const row = (host: string) => page.getByRole("row").filter({ hasText: host });
  await expect(row("busy.localhost").getByText("Responding")).toBeVisible();
  await expect(row("busy.localhost").getByRole("cell", { name: "3", exact: true })).toBeVisible();
  await expect(row("quiet.localhost").getByText("Idle")).toBeVisible();
  await page.getByRole("button", { name: "Last minute" }).click();
  await page.getByRole("button", { name: "Last minute" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("busy.localhost");
  await expectAccessible(page);
  await picture(page, "list-traffic");
  await edges.removeAll();
});
