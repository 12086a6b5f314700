// The topology: what is published and connected as a graph, and the same as a table.
import { hostname } from "node:os";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";

/** The name by which agents of this machine are shown. */
const HOST = hostname();

const test = testWithWorld().extend<{}, { shop: string }>({
  /** The id of an edge with two routes, one of which leads to an agent. */
  shop: [
    async ({ world }, use) => {
      const labels = { app: "shop" };
      const group = await world.create("/backends/tunnel_group", { labels, description: "All shops" });
      const fixed = await world.create("/backends/http_response", { body: "sorry", status_code: 503 });
      const weighted = await world.create("/backends/weighted", {
        backends: { [group]: 3, [fixed]: 1 },
        description: "Canary",
      });
      const policy = await world.create("/ip_policies", { description: "Everybody" });
      await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "127.0.0.0/8", action: "allow" });
      const shop = await world.create("/edges/https", {
        hostports: ["shop.localhost:443"],
        description: "The shop",
      });
      await world.create(`/edges/https/${shop}/routes`, {
        match_type: "path_prefix",
        match: "/api",
        backend: { backend_id: weighted },
        ip_restriction: { ip_policy_ids: [policy] },
        compression: {},
      });
      await world.create(`/edges/https/${shop}/routes`, {
        match_type: "exact_path",
        match: "/down",
        backend: { backend_id: fixed },
      });
      const addr = String(world.site.port);
      await world.api("POST", "/api/tunnels", { name: "shop", labels: ["app=shop"], addr });
      await use(shop);
    },
    { scope: "worker" },
  ],
});
test.use({ viewport: { width: 1280, height: 800 } });

test.beforeEach(async ({ shop: _, openConsole }) => {
  await openConsole("/topology");
});

const part = (page: Page, name: RegExp) => page.getByRole("button", { name });

test("shows the way from an edge to the local service", async ({ page, world }) => {
  await expect(part(page, /^HTTPS edge, shop\.localhost, The shop/)).toBeVisible();
  await expect(part(page, /^Route, \/api\/…/)).toBeVisible();
  await expect(part(page, /^Modules, IP restriction → Compression/)).toBeVisible();
  await expect(part(page, /^Weighted backend, Canary/)).toBeVisible();
  await expect(part(page, /^Tunnel group, app=shop, All shops/)).toBeVisible();
  await expect(part(page, new RegExp(`^Agent, ${HOST}`))).toBeVisible();
  const service = part(page, new RegExp(`^Local service, .*${world.site.port}`));
  await expect(service).toBeInViewport({ ratio: 1 });
  await expect(part(page, /^HTTPS edge/), "the whole way fits into the window").toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await picture(page, "topology");
});

test("shows what fails on it, and leads there", async ({ page, world, shop }) => {
  const url = `https://shop.localhost:${world.httpsPort}`;
  for (let visit = 0; visit < 4; visit += 1) expect((await world.visit(`${url}/down`)).status).toBe(503);
  await expect(part(page, /^Route, \/down, .*100% errors/)).toBeVisible();
  await part(page, /^Route, \/down/).click();
  const chosen = page.getByRole("complementary", { name: "Route /down" });
  await expect(chosen.getByText("4, 100% errors")).toBeVisible();
  await expect(page).toHaveURL(/node=edghtsrt_/);
  await expectAccessible(page);
  await picture(page, "topology-chosen");
  await chosen.getByRole("link", { name: "Open, with its refusals" }).click();
  await expect(page).toHaveURL((url) => url.hash.startsWith(`#/edges/https/${shop}/routes/edghtsrt_`));
});

test("shows which address leads to which service of an agent", async ({ page, world }) => {
  const open = ["one", "two"].map((name) => world.publish(name));
  const hosts = (await Promise.all(open)).map((url) => new URL(url).host);
  await world.api("POST", "/api/tunnels", { name: "far", proto: "http", addr: "9", domain: "far" });
  await expect(part(page, /^Tunnel's address, far\.localhost/)).toBeVisible();
  for (const host of hosts) await expect(part(page, new RegExp(`^Tunnel's address, ${host}`))).toBeVisible();
  await expect(part(page, /^Local service, localhost:9/)).toBeVisible();
  await expect(part(page, new RegExp(`^Agent, ${HOST}`)), "one, with each of its services").toHaveCount(1);
  await expect(part(page, /^Local service/)).toHaveCount(2);
  for (const name of ["one", "two", "far"]) await world.api("DELETE", `/api/tunnels/${name}`);
});

test("can be walked with the keyboard", async ({ page }) => {
  await page.getByRole("tab", { name: "Graph" }).focus();
  await page.keyboard.press("Tab");
  if (!(await part(page, /^HTTPS edge, shop/).evaluate((edge) => edge === document.activeElement)))
    await page.keyboard.press("Tab");
  await expect(part(page, /^HTTPS edge, shop/)).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(part(page, /^Route/).and(page.locator(":focus"))).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await expect(part(page, /^HTTPS edge, shop/)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "HTTPS edge shop.localhost" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "HTTPS edge shop.localhost" })).toHaveCount(0);
});

test("shows the paths of one edge, which its address keeps", async ({ page, world }) => {
  await world.api("POST", "/api/tunnels", { name: "aside", proto: "http", addr: "9", domain: "aside" });
  await expect(part(page, /^Tunnel's address, aside/)).toBeVisible();
  await part(page, /^HTTPS edge, shop/).click();
  await page.getByRole("button", { name: "Show only its paths" }).click();
  await expect(part(page, /^Tunnel's address, aside/)).toHaveCount(0);
  await expect(part(page, /^Tunnel group, app=shop/)).toBeVisible();
  await expect(page).toHaveURL(/focus=edghts_/);
  await page.reload();
  await expect(part(page, /^HTTPS edge, shop/)).toBeVisible();
  await expect(part(page, /^Tunnel's address, aside/)).toHaveCount(0);
  await page.getByRole("button", { name: "Only shop.localhost: show all paths" }).click();
  await expect(part(page, /^Tunnel's address, aside/)).toBeVisible();
  await world.api("DELETE", "/api/tunnels/aside");
});

test("reads well in the dark", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(part(page, /^HTTPS edge/)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "topology-dark");
});

test("says the same as a table, and finds what is looked for", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("tab", { name: "Table" }).click();
  await expect(
    page.getByRole("row", {
      name: new RegExp(
        `shop\\.localhost HTTPS edge, The shop /api/… IP restriction → Compression Canary Weighted backend → 75% app=shop Tunnel group, All shops ${HOST}`,
      ),
    }),
  ).toBeVisible();
  await expectAccessible(page);
  await picture(page, "topology-table-dark");
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("/down");
  await expect(page.getByRole("row", { name: /\/down/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /\/api/ })).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("nothing such");
  await expect(page.getByText("Nothing matches “nothing such”.")).toBeVisible();
});

test("stays usable with hundreds of edges", async ({ page, world }) => {
  const backend = await world.create("/backends/http_response", { body: "x" });
  for (let number = 0; number < 300; number += 1)
    await world.manage("POST", "/edges/https", { hostports: [`many-${number}.test:443`] });
  const last = await world.create("/edges/https", { hostports: ["last.test:443"] });
  await world.manage("POST", `/edges/https/${last}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: backend },
  });
  for (let number = 0; number < 17; number += 1)
    await world.manage("POST", `/edges/https/${last}/routes`, { match_type: "exact_path", match: `/${number}` });
  await page.reload();
  const folded = page.getByRole("button", { name: /^Show \d+ idle edges/ });
  await expect(folded).toBeVisible();
  await expect(part(page, /^HTTPS edge, many-200/), "idle edges are folded").toHaveCount(0);
  await folded.click();
  await expect(page).toHaveURL(/idle=shown/);
  await expect(page.getByText(/^20\d edges/)).toBeVisible();
  const edges = page.locator('[data-node^="edghts_"]');
  await edges.first().focus();
  await page.keyboard.press("End");
  await expect(part(page, /^HTTPS edge, shop/).or(part(page, /^HTTPS edge, many-299/)).and(page.locator(":focus"))).toBeInViewport();
  await page.keyboard.press("Home");
  await expect(edges.first()).toBeFocused();
  const [first, pane] = [page.locator("[data-node]").first(), page.locator(".react-flow")];
  const top = await first.boundingBox();
  expect(top?.y, "the first row is not cut off").toBeGreaterThanOrEqual((await pane.boundingBox())!.y);
  expect(top?.height, "it can be read").toBeGreaterThan(28 * 0.7);
  await expect(page.getByText(/quiet edges not shown/)).toBeVisible();
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("last.test");
  await expect(part(page, /^HTTP response, responds with 200/)).toBeVisible();
  await expect(part(page, /^HTTPS edge, many-299/)).toHaveCount(0);
  await picture(page, "topology-many");
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("");
  await page.getByRole("button", { name: "Fold idle edges" }).click();
  await expect(folded).toBeVisible();
  await expect(part(page, /^HTTPS edge, many-200/)).toHaveCount(0);
});
