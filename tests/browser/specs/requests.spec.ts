// The last requests in the console: what visitors did is listed at once, filtered, opened, and linked from failures.
import { testWithEdges } from "../kit/edges";
import { expect, expectAccessible, picture } from "../kit/fixtures";

const test = testWithEdges();
test.use({ viewport: { width: 1280, height: 900 } });

test.afterEach(({ edges }) => edges.removeAll());

test("of an edge appear by themselves, are filtered and opened by keyboard", async ({
  page,
  world,
  edges,
  pages,
}) => {
  const { edge, route } = await edges.shop("watched.localhost", {});
  await world.manage("PUT", `/edges/https/${edge}/routes/${route}/ip_restriction`, {
    ip_policy_ids: [edges.policy],
  });
  const visit = (path: string) => world.visit(`https://watched.localhost:${world.httpsPort}${path}`);
  await pages.go(`/edges/https/${edge}?tab=requests`);
  await expect(page.getByText("There has been no request since the server started")).toBeVisible();
  await expectAccessible(page);
  expect((await visit("/closed?token=planted")).status).toBe(403);
  await world.manage("DELETE", `/edges/https/${edge}/routes/${route}/ip_restriction`);
  expect((await visit("/welcome")).status).toBe(200);

  const table = page.getByRole("region", { name: "Last requests" });
  const rows = table.locator("tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText("/welcomewatched.localhost");
  await expect(rows.nth(0)).toContainText("Passed");
  await expect(rows.nth(1)).toContainText("/closedwatched.localhost");
  await expect(rows.nth(1)).toContainText("Refused by IP restriction");
  await expect(page.getByText("planted")).toHaveCount(0);

  await page.getByRole("button", { name: "Refused by Postern" }).click();
  await expect(page).toHaveURL(/filter=error/);
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole("status").getByText("1 of 2 requests")).toBeVisible();
  const details = table.getByRole("button", { name: "Details of GET /closed" });
  await details.focus();
  await page.keyboard.press("Enter");
  await expect(details).toHaveAttribute("aria-expanded", "true");
  await expect(table.getByText("IP restriction refused")).toBeVisible();
  await expect(table.getByText("ERR_POSTERN_3203")).toBeVisible();
  await expectAccessible(page);
  await picture(page, "requests-edge");

  const filter = page.getByRole("textbox", { name: "Filter" });
  await filter.fill("path:/welcome status:2xx");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("/welcome");
  await filter.fill("body:secret");
  await expect(page.getByText("The server keeps no headers and bodies")).toBeVisible();
  await expectAccessible(page);
  await filter.fill("path:/nothing");
  await expect(page.getByText("No request matches the filter.")).toBeVisible();
});

test("are reached from refusals, from a route and from the overview", async ({ page, world, edges, pages }) => {
  const { edge, route, place } = await edges.shop("linked.localhost", {});
  await world.manage("PUT", `${place}/ip_restriction`, { ip_policy_ids: [edges.policy] });
  expect((await world.visit(`https://linked.localhost:${world.httpsPort}/page`)).status).toBe(403);
  const row = page.getByRole("region", { name: "Last requests" }).locator("tbody tr");

  await pages.go(`/edges/https/${edge}?tab=refused`);
  await page.getByRole("link", { name: "ERR_POSTERN_3203" }).click();
  await expect(page).toHaveURL(/tab=requests&filter=error%3AERR_POSTERN_3203/);
  await expect(row).toHaveCount(1);

  await pages.go(`/edges/https/${edge}`);
  await page.getByRole("link", { name: "1 refused" }).first().click();
  await expect(page).toHaveURL(/filter=status%3A4xx/);
  await expect(row).toHaveCount(1);

  await pages.go(`${place}?tab=requests`);
  await expect(row).toHaveCount(1);

  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("link", { name: /^the configuration \(\d+\)$/ }).click();
  await expect(page.getByRole("heading", { name: "Requests", level: 1 })).toBeVisible();
  await expect(row.filter({ hasText: "/page" })).toHaveCount(1);
  await row.filter({ hasText: "/page" }).getByRole("button", { name: /^Details of/ }).click();
  await expect(page.locator(`a[href*="${route}"]`)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "requests-all");
});
