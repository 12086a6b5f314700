// Traffic over time in the console: what visitors did is drawn, read by pointer and keyboard, listed, and there after a restart.
import { testWithEdges } from "../kit/edges";
import { expect, expectAccessible, picture } from "../kit/fixtures";

const test = testWithEdges();
test.use({ viewport: { width: 1280, height: 900 } });

test.afterEach(({ edges }) => edges.removeAll());

test("of an edge is shown by hour, read with the arrow keys, and listed", async ({
  page,
  world,
  edges,
  pages,
}) => {
  const { edge } = await edges.shop("traffic.localhost", {});
  const visit = (path: string) => world.visit(`https://traffic.localhost:${world.httpsPort}${path}`);
  for (let time = 0; time < 12; time += 1) expect((await visit("/")).status).toBe(200);
  await pages.go(`/edges/https/${edge}?tab=traffic`);
  const chart = page.getByRole("figure", { name: "Requests" });
  await expect(chart.getByText("12 requests: 12 successful")).toBeVisible();
  await expect(page.getByRole("radio", { name: "24 hours" })).toBeChecked();
  await page.getByRole("radio", { name: "Hour", exact: true }).check();
  await expect(page).toHaveURL(/over=hour/);
  await expect(
    page.getByRole("figure", { name: "Latency" }).getByText(/^p50 .* ms, p95 .* ms, p99 .* ms$/),
  ).toBeVisible();

  const cursor = chart.getByRole("slider", { name: "Requests: time" });
  await expect(cursor).toHaveAttribute("aria-valuemax", "59");
  await cursor.focus();
  await page.keyboard.press("Home");
  await expect(chart.getByText(/: no requests$/)).toBeVisible();
  await expect(cursor).toHaveAttribute("aria-valuetext", /: no requests$/);
  await page.keyboard.press("Escape");
  await expect(chart.getByText("12 requests: 12 successful")).toBeVisible();
  await chart.getByRole("slider").hover({ position: { x: 3, y: 40 } });
  await expect(chart.getByText(/: no requests$/)).toBeVisible();

  await page.getByRole("button", { name: "Show as a table" }).click();
  const table = page.getByRole("table", { name: "Traffic by minute" });
  const requests = await table.locator("tbody tr td:nth-child(2)").allInnerTexts();
  expect(requests.map(Number).reduce((sum, one) => sum + one)).toBe(12);
  await expectAccessible(page);
  await picture(page, "traffic-edge");
});

test("of a route without any says so", async ({ page, edges, pages }) => {
  const { place } = await edges.shop("silent.localhost", {});
  await pages.go(`${place}?tab=traffic`);
  await expect(page.getByRole("figure", { name: "Requests" }).getByText("no requests")).toBeVisible();
  await expect(page.getByRole("figure", { name: "Latency" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Show as a table" })).toHaveCount(0);
  await expectAccessible(page);
});

test("is there after a restart, on the overview too", async ({ page, world, edges, pages }) => {
  const { edge } = await edges.shop("lasting.localhost", {});
  for (let time = 0; time < 5; time += 1) await world.visit(`https://lasting.localhost:${world.httpsPort}/`);
  await world.endServer();
  await world.startServer();
  await pages.go(`/edges/https/${edge}?tab=traffic`);
  await expect(page.getByText("5 requests: 5 successful")).toBeVisible();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("radio", { name: "90 days" }).check();
  const chart = page.getByRole("figure", { name: "Requests" });
  await expect(chart.getByText(/^\d+ requests: \d+ successful/)).toBeVisible();
  await expectAccessible(page);
});
