// The topology: what is published and connected as a graph, and the same as a table.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];
let shop = "";

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
  const make = async (path: string, body: unknown) =>
    (await world.manage<{ id: string }>("POST", path, body)).id;
  const labels = { app: "shop" };
  const group = await make("/backends/tunnel_group", { labels, description: "All shops" });
  const fixed = await make("/backends/http_response", { body: "sorry", status_code: 503 });
  const weighted = await make("/backends/weighted", {
    backends: { [group]: 3, [fixed]: 1 },
    description: "Canary",
  });
  const policy = await make("/ip_policies", { description: "Everybody" });
  await make("/ip_policy_rules", { ip_policy_id: policy, cidr: "127.0.0.0/8", action: "allow" });
  shop = await make("/edges/https", { hostports: ["shop.localhost:443"], description: "The shop" });
  await make(`/edges/https/${shop}/routes`, {
    match_type: "path_prefix",
    match: "/api",
    backend: { backend_id: weighted },
    ip_restriction: { ip_policy_ids: [policy] },
    compression: {},
  });
  await make(`/edges/https/${shop}/routes`, {
    match_type: "exact_path",
    match: "/down",
    backend: { backend_id: fixed },
  });
  const addr = String(world.site.port);
  await world.api("POST", "/api/tunnels", { name: "shop", labels: ["app=shop"], addr });
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(colorScheme: "light" | "dark" = "light"): Promise<void> {
  ({ page, wrong } = await open(browser, `${world.management}/console#/topology`, {
    viewport: { width: 1280, height: 800 },
    colorScheme,
  }));
  await enterKey(page, world.key);
  await page.getByRole("heading", { name: "Topology", level: 1 }).waitFor();
}

const part = (name: RegExp) => page.getByRole("group", { name });

it("shows the way from an edge to the local service, and what fails on it", async () => {
  const url = `https://shop.localhost:${world.httpsPort}`;
  for (let visit = 0; visit < 4; visit += 1) expect((await world.visit(`${url}/down`)).status).toBe(503);
  await show();
  await part(/^HTTPS edge, shop\.localhost, The shop/).waitFor();
  await part(/^Route, \/api…/).waitFor();
  await part(/^Stages, IP restriction → Compression/).waitFor();
  await part(/^Weighted backend, Canary/).waitFor();
  await part(/^Tunnel group, app=shop, All shops/).waitFor();
  await part(/^Agent, 127\.0\.0\.1/).waitFor();
  await part(new RegExp(`^Local service, .*${world.site.port}`)).waitFor();
  await part(/^Route, \/down, .*100 % fail/).waitFor();
  await expectAccessible(page);
  await picture(page, "topology");

  await part(/^Route, \/down/).click();
  const chosen = page.getByRole("complementary", { name: "Route /down" });
  await chosen.getByText("4, 100 % fail").waitFor();
  expect(page.url()).toContain("node=edghtsrt_");
  await expectAccessible(page);
  await picture(page, "topology-chosen");
  await chosen.getByRole("link", { name: "Open, with its refusals" }).click();
  await page.waitForURL(`**#/edges/https/${shop}/routes/edghtsrt_*`);
});

it("can be walked with the keyboard", async () => {
  await show();
  await part(/^HTTPS edge/).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "HTTPS edge shop.localhost" }).waitFor();
});

it("says the same as a table, and finds what is looked for", async () => {
  await show("dark");
  await part(/^HTTPS edge/).waitFor();
  await expectAccessible(page);
  await picture(page, "topology-dark");
  await page.getByRole("tab", { name: "Table" }).click();
  await page
    .getByRole("row", { name: /shop\.localhost \/api… IP restriction → Compression app=shop 127\.0\.0\.1/ })
    .waitFor();
  await expectAccessible(page);
  await picture(page, "topology-table-dark");
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("/down");
  await page.getByRole("row", { name: /\/down/ }).waitFor();
  expect(await page.getByRole("row", { name: /\/api/ }).count()).toBe(0);
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("nothing such");
  await page.getByText("Nothing matches “nothing such”.").waitFor();
});

it("stays usable with hundreds of edges", async () => {
  const backend = (await world.manage<{ id: string }>("POST", "/backends/http_response", { body: "x" })).id;
  for (let number = 0; number < 300; number += 1)
    await world.manage("POST", "/edges/https", { hostports: [`many-${number}.test:443`] });
  const last = await world.manage<{ id: string }>("POST", "/edges/https", { hostports: ["last.test:443"] });
  await world.manage("POST", `/edges/https/${last.id}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: backend },
  });
  await show();
  await part(/^HTTPS edge, last\.test/).waitFor();
  await page.getByText(/quiet edges not shown/).waitFor();
  await page.getByRole("searchbox", { name: "Search the topology" }).fill("last.test");
  await part(/^HTTP response, responds with 200/).waitFor();
  await part(/^HTTPS edge, many-299/).waitFor({ state: "detached" });
  await picture(page, "topology-many");
});
