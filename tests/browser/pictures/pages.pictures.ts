// Every page of the console, the inspector and the main window, in light and dark, at two sizes, into docs/screenshots.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, open } from "../kit/browser";
import { ordinary } from "../kit/captured";
import { enterKey } from "../kit/console";
import { FakeAgent } from "../kit/fake-agent";
import { openInDesktop } from "../kit/fake-desktop";
import { openShop, visitors, type Shop } from "./shop";

const FOLDER = process.env["POSTERN_PICTURES"] ?? join(import.meta.dirname, "../../../docs/screenshots");
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const COLOURS = ["light", "dark"] as const;

/** Lists and forms, by the name of their picture. */
const PLACES: Record<string, string> = {
  overview: "/overview",
  topology: "/topology",
  endpoints: "/endpoints",
  tunnels: "/tunnels",
  "tunnel-sessions": "/tunnel_sessions",
  "https-edges": "/edges/https",
  "https-edge-new": "/edges/https/new",
  "tls-edges": "/edges/tls",
  "tcp-edges": "/edges/tcp",
  "reserved-domains": "/reserved_domains",
  "reserved-addresses": "/reserved_addrs",
  "tunnel-groups": "/backends/tunnel_group",
  "static-backends": "/backends/static",
  "http-responses": "/backends/http_response",
  "weighted-backends": "/backends/weighted",
  "weighted-backend-new": "/backends/weighted/new",
  "failover-backends": "/backends/failover",
  "ip-policies": "/ip_policies",
  "ip-restrictions": "/ip_restrictions",
  credentials: "/credentials",
  "credential-new": "/credentials/new",
  "api-keys": "/api_keys",
  users: "/users",
  "bot-users": "/bot_users",
  "tls-certificates": "/tls_certificates",
  "tls-certificate-new": "/tls_certificates/new",
  "certificate-authorities": "/certificate_authorities",
  "ssh-authorities": "/ssh_certificate_authorities",
  "ssh-host-certificates": "/ssh_host_certificates",
  "ssh-user-certificates": "/ssh_user_certificates",
  people: "/app/users",
  sessions: "/app/sessions",
};

let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  browser = await launch();
  shop = await openShop();
  await visitors(shop.world);
});
afterAll(async () => {
  await browser.close();
  await shop.stop();
});

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.getByText(/^Loading/).waitFor({ state: "detached" });
}

/** The page at every size in every colour. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const { width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of COLOURS) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) });
    }
  }
}

it("the console", async () => {
  const { page, wrong } = await open(browser, `${shop.world.management}/console/`);
  await enterKey(page, shop.world.key);
  for (const [name, place] of [...Object.entries(PLACES), ...Object.entries(shop.places)]) {
    await page.setViewportSize(SIZES[0]!);
    await page.evaluate((hash) => (location.hash = hash), place);
    await page.waitForFunction((hash) => location.hash.startsWith(`#${hash}`), place);
    await settled(page);
    await page.waitForLoadState("networkidle");
    // Graphs and charts come with traffic.
    if (["overview", "topology"].includes(name)) {
      await visitors(shop.world);
      await page.waitForFunction(() => !document.body.textContent?.includes("Nothing has passed"));
    }
    await pictures(page, `console-${name}`);
  }
  expect(wrong).toEqual([]);
});

it("the inspector", async () => {
  const agent = await FakeAgent.start();
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  for (const captured of ordinary()) agent.captures(captured);
  const { page } = await open(browser, agent.url);
  await page.getByRole("row", { name: "POST /api/orders" }).click();
  await tabs(page, ["Overview", "Request", "Response", "Headers", "Raw"]);
  await page.keyboard.press("e");
  await page.getByRole("textbox").first().waitFor();
  await pictures(page, "inspector-replay");
  await page.context().close();
  await agent.stop();

  // How long things took and who decided what only a real way through the house can tell.
  const { page: real } = await open(browser, shop.world.url);
  await real.getByRole("row", { name: "/teas/green" }).first().click();
  await tabs(real, ["Timing", "Decisions"]);
  await real.context().close();
});

async function tabs(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.getByRole("tab", { name }).click();
    await page.getByRole("tabpanel", { name }).waitFor();
    await pictures(page, `inspector-${name.toLowerCase()}`);
  }
}

it("the main window", async () => {
  for (const [name, url] of [
    ["main-first", shop.world.url],
    ["settings", `${shop.world.url}/index.html#/settings`],
  ] as const) {
    const { page } = await openInDesktop(browser, url.endsWith("settings") ? url : `${url}/index.html`);
    await page.getByRole("heading").first().waitFor();
    await page.waitForLoadState("domcontentloaded");
    await pictures(page, name);
    await page.context().close();
  }
});
