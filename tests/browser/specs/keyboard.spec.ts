// The whole way without a mouse: publish, inspect, edit and replay, make a policy, and put it in front of an edge.
import type { Page } from "@playwright/test";
import { expect, testWithWorld } from "../kit/fixtures";
import { chooseByTyping, tabTo } from "../kit/keys";

const test = testWithWorld();

async function enter(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

test("publishes a local service", async ({ page, world, openAgent }) => {
  await openAgent("/index.html");
  await tabTo(page, "Local port or address");
  await page.keyboard.type(String(world.site.port));
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("article", { name: "Tunnel web", exact: true }).getByText("Running"),
  ).toBeVisible();
  const { tunnels } = await world.api<{ tunnels: { public_url: string }[] }>("GET", "/api/tunnels");
  expect((await world.visit(`${tunnels[0]?.public_url}/hello`)).status).toBe(200);
  await world.api("DELETE", "/api/configured/web");
});

test.describe("a captured request", () => {
  test.beforeEach(async ({ page, world, openAgent }) => {
    await world.api("DELETE", "/api/requests/http");
    const url = await world.publish("inspected");
    expect((await world.visit(`${url}/hello?a=1`)).status).toBe(200);
    await openAgent("/index.html");
    await expect(page.getByRole("row", { name: "/hello?a=1" })).toBeVisible();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Request details").locator(":focus")).toBeAttached();
  });
  test.afterEach(({ world }) => world.api("DELETE", "/api/tunnels/inspected"));

  test("is inspected", async ({ page }) => {
    await page.keyboard.press("]");
    await expect(page.getByRole("tabpanel", { name: "Request" })).toBeVisible();
  });

  test("is edited and replayed", async ({ page, world }) => {
    await page.keyboard.press("e");
    await tabTo(page, "Path and query");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("/hello?a=2");
    await tabTo(page, "Send");
    await page.keyboard.press("Enter");
    await expect.poll(() => world.site.heard).toContain("GET /hello?a=2");
    await expect(page.getByRole("row", { name: "/hello?a=2" })).toBeVisible();
  });
});

test.describe("in the console", () => {
  test.beforeEach(async ({ page, world }) => {
    await page.goto(`${world.management}/console/`);
    await tabTo(page, "API key");
    await page.keyboard.type(world.key);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  });

  test("makes a policy with a rule", async ({ page }) => {
    await enter(page, "IP access");
    await expect(page.getByRole("heading", { name: "IP policies", level: 1 })).toBeVisible();
    await enter(page, "New IP policy");
    await tabTo(page, "Description");
    await page.keyboard.type("Made by keyboard");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Made by keyboard", level: 1 })).toBeVisible();
    await enter(page, "Add rule");
    await expect(page.getByRole("dialog", { name: "New rule" })).toBeVisible();
    await tabTo(page, "Network");
    await page.keyboard.type("192.0.2.0/24");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("row", { name: "allow 192.0.2.0/24" })).toBeVisible();
    await expect(page.getByRole("dialog", { name: "New rule" })).toHaveCount(0);
  });

  test("finds an edge with the palette, and puts a policy in front of it", async ({ page, world }) => {
    const policy = await world.create("/ip_policies", { description: "Office" });
    await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "allow" });
    const group = await world.create("/backends/tunnel_group", { labels: { app: "shop" } });
    const edge = await world.create("/edges/https", {
      hostports: ["keys.localhost:443"],
      description: "The shop",
    });
    const route = await world.create(`/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match: "/",
      backend: { backend_id: group },
    });
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: "Find anything" })).toBeVisible();
    await page.keyboard.type("the shop");
    await expect(page.getByRole("option", { name: /The shop/ }).first()).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "The shop", level: 1 })).toBeVisible();
    await enter(page, "/…");
    await expect(page.getByRole("heading", { name: "/…", level: 1 })).toBeVisible();
    await enter(page, "Add module");
    await chooseByTyping(page, "IP", "IP restriction");
    await expect(page.getByRole("checkbox", { name: "Office" })).toBeVisible();
    await tabTo(page, /^Office(ipp_|$)/);
    await page.keyboard.press("Space");
    await enter(page, "Add IP restriction");
    await expect(page.getByRole("switch", { name: "IP restriction enabled" })).toBeVisible();
    expect(await world.manage("GET", `/edges/https/${edge}/routes/${route}`)).toMatchObject({
      ip_restriction: { enabled: true, ip_policies: [{ id: policy }] },
    });
    expect((await world.visit(`https://keys.localhost:${world.httpsPort}/`)).status).toBe(403);
  });
});
