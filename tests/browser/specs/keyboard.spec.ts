// The whole way without a mouse: publish, inspect, edit and replay, make a policy, and put it in front of an edge.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, open } from "../kit/browser";
import { tabTo } from "../kit/keys";
import { eventually, World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  world = await World.start();
});
afterAll(async () => {
  await world?.stop();
  await browser?.close();
});

it("leads from a local service to an edge that only some may pass", async () => {
  const agent = await open(browser, `${world.url}/index.html`);
  page = agent.page;
  await page.getByText("Online").waitFor();

  // Publish.
  await tabTo(page, "Local port or address");
  await page.keyboard.type(String(world.site.port));
  await page.keyboard.press("Enter");
  const tunnel = await eventually("the tunnel is published", async () => {
    const { tunnels } = await world.api<{ tunnels: { public_url: string }[] }>("GET", "/api/tunnels");
    return tunnels[0];
  });
  await page.getByRole("article", { name: "Tunnel web", exact: true }).getByText("Running").waitFor();

  // Inspect.
  expect((await world.visit(`${tunnel.public_url}/hello?a=1`)).status).toBe(200);
  await page.getByRole("row", { name: "/hello?a=1" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await eventually("the focus is in the details", async () =>
    (await page.evaluate(() => document.activeElement?.closest("[aria-label='Request details']") !== null))
      ? true
      : undefined,
  );
  await page.keyboard.press("]");
  await page.getByRole("tabpanel", { name: "Request" }).waitFor();

  // Edit and replay.
  await page.keyboard.press("e");
  await tabTo(page, "Path and query");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("/hello?a=2");
  await tabTo(page, "Send");
  await page.keyboard.press("Enter");
  await eventually("the local service hears it", async () =>
    world.site.heard.includes("GET /hello?a=2") ? true : undefined,
  );
  await page.getByRole("row", { name: "/hello?a=2" }).waitFor();
  await page.keyboard.press("Escape");
  expect(agent.wrong).toEqual([]);
  await page.context().close();

  // Make a policy.
  const group = await world.manage<{ id: string }>("POST", "/backends/tunnel_group", {
    labels: { app: "shop" },
  });
  const { id: edge } = await world.manage<{ id: string }>("POST", "/edges/https", {
    hostports: ["keys.localhost:443"],
    description: "The shop",
  });
  const { id: route } = await world.manage<{ id: string }>("POST", `/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: group.id },
  });
  const console = await open(browser, `${world.management}/console/`);
  page = console.page;
  await tabTo(page, "API key");
  await page.keyboard.type(world.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await enter("IP policies");
  await page.getByRole("heading", { name: "IP policies", level: 1 }).waitFor();
  await enter("New IP policy");
  await tabTo(page, "Description");
  await page.keyboard.type("Made by keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Made by keyboard", level: 1 }).waitFor();
  await enter("Add rule");
  await page.getByRole("dialog", { name: "New rule" }).waitFor();
  await tabTo(page, "Network");
  await page.keyboard.type("192.0.2.0/24");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: "allow 192.0.2.0/24" }).waitFor();
  await page.getByRole("dialog", { name: "New rule" }).waitFor({ state: "detached" });

  // Attach it to an edge, found with the palette.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find anything" }).waitFor();
  await page.keyboard.type("the shop");
  await page
    .getByRole("option", { name: /The shop/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The shop", level: 1 }).waitFor();
  await enter("/…");
  await page.getByRole("heading", { name: "/…", level: 1 }).waitFor();
  await enter("Add a stage");
  await page.getByRole("menu").waitFor();
  await page.keyboard.type("IP r");
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Made by keyboard" }).waitFor();
  await tabTo(page, /^Made by keyboard(ipp_|$)/);
  await page.keyboard.press("Space");
  await enter("Add IP restriction");
  await page.getByRole("switch", { name: "IP restriction enabled" }).waitFor();
  expect(await world.manage("GET", `/edges/https/${edge}/routes/${route}`)).toMatchObject({
    ip_restriction: { enabled: true, ip_policies: [{ id: expect.stringMatching(/^ipp_/) as string }] },
  });
  expect((await world.visit(`https://keys.localhost:${world.httpsPort}/`)).status).toBe(403);
  expect(console.wrong).toEqual([]);
  await page.context().close();
});

async function enter(name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}
