// Every page of the console, the inspector and the main window, in light and dark, at two sizes, into docs/screenshots.
// Each is judged on the way: axe finds nothing in any colours, and nothing is wider than the window.
import type { Page } from "@playwright/test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ordinary } from "../kit/captured";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, expectAccessible, testWithFakeAgent, testWithWorld } from "../kit/fixtures";
import { ManyEdges } from "./many-edges";
import { fill, visitors } from "./shop";

const FOLDER = process.env["POSTERN_PICTURES"] ?? join(import.meta.dirname, "../../../docs/screenshots");
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const WIDTHS = [1280, 1440, 1920];
const COLOURS = ["light", "dark"] as const;
const JUDGED = [
  { colorScheme: "light" },
  { colorScheme: "dark" },
  { colorScheme: "light", contrast: "more" },
  { colorScheme: "light", forcedColors: "active" },
] as const;
const NO_MEDIA = { colorScheme: "light", contrast: "no-preference", forcedColors: "none" } as const;

/** Lists and forms, by the name of their picture. */
const PLACES: Record<string, string> = {
  overview: "/overview",
  topology: "/topology",
  nodes: "/nodes",
  requests: "/requests",
  endpoints: "/endpoints",
  tunnels: "/tunnels",
  agents: "/agents",
  "tunnel-sessions": "/tunnel_sessions",
  publish: "/publish",
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
  "audit-log": "/audit_events",
  "event-destinations": "/event_destinations",
  "alert-rules": "/alert_rules",
};

const test = testWithWorld().extend<{}, { places: Record<string, string> }>({
  /** Places in the console of a shop that has had visitors, by the names of their pictures. */
  places: [
    async ({ world }, use) => {
      mkdirSync(FOLDER, { recursive: true });
      const places = await fill(world);
      await visitors(world);
      await use(places);
    },
    { scope: "worker", timeout: 300_000 },
  ],
});

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
}

const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The page at every size in every colour, with the pointer where it marks nothing. */
async function pictures(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  for (const { width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of COLOURS) {
      await page.emulateMedia({ ...NO_MEDIA, colorScheme, reducedMotion: "reduce" });
      await drawn(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await judge(page, name);
}

/** What is wrong with any page is reported once all of them have been seen. */
async function judge(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await drawn(page);
    const over = await page.evaluate(() => {
      const main = document.querySelector("main") ?? document.documentElement;
      return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth);
    });
    expect.soft(over, `${name} fits into ${width} pixels`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(SIZES[0]!);
  for (const media of JUDGED) {
    await page.emulateMedia({ ...NO_MEDIA, ...media });
    await drawn(page);
    await expectAccessible(page).catch((thrown: unknown) => {
      expect.soft(String(thrown), `${name} in ${JSON.stringify(media)}`).toBe("");
    });
  }
  await page.emulateMedia(NO_MEDIA);
}

/** The paths of all pages that the navigation and its tabs lead to. */
async function navigated(page: Page): Promise<string[]> {
  const linksIn = (name: string | RegExp) =>
    page
      .getByRole("navigation", { name })
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).hash));
  const found = new Set<string>();
  for (const entry of await linksIn("Areas")) {
    found.add(entry.slice(1));
    await page.evaluate((hash) => (location.hash = hash), entry);
    await settled(page);
    for (const tab of await linksIn(/^(?!Areas)/)) found.add(tab.slice(1).replace(/\?.*/, ""));
  }
  return [...found];
}

test("the console", async ({ page, world, places, openConsole }) => {
  await openConsole();
  const known = Object.values(PLACES);
  expect((await navigated(page)).filter((path) => !known.includes(path))).toEqual([]);
  for (const [name, place] of [...Object.entries(PLACES), ...Object.entries(places)]) {
    await page.setViewportSize(SIZES[0]!);
    await page.evaluate((hash) => (location.hash = hash), place);
    await page.waitForFunction((hash) => location.hash.startsWith(`#${hash}`), place);
    await settled(page);
    await page.waitForLoadState("networkidle");
    // Graphs and charts come with traffic.
    if (["overview", "topology"].includes(name)) {
      await visitors(world);
      await page.waitForFunction(() => !document.body.textContent?.includes("Nothing has passed"));
    }
    if (name === "publish") {
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("orders");
      await page.getByRole("radio", { name: "Password", exact: true }).check();
    }
    await pictures(page, `console-${name}`);
  }
});

const testWithMany = testWithWorld();

testWithMany("the topology of many edges", async ({ page, world, openConsole }) => {
  mkdirSync(FOLDER, { recursive: true });
  const many = new ManyEdges(world);
  await openConsole();
  for (const count of [9, 50, 200]) {
    await many.grow(count);
    for (const place of ["/overview", "/topology?idle=shown"])
      await page.evaluate((hash) => (location.hash = hash), place);
    await expect(page.getByText(new RegExp(`^${count} edges`))).toBeVisible();
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await pictures(page, `console-topology-${count}-edges`);
  }
});

testWithFakeAgent("the inspector", async ({ page, agent }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  for (const captured of ordinary()) agent.captures(captured);
  await page.goto("/");
  await page.getByRole("row", { name: "POST /api/orders" }).click();
  await tabs(page, ["Overview", "Request", "Response", "Headers", "Raw"]);
});

// Only a real edge decides and measures.
test("the inspector with timing, decisions and a replay", async ({ page, places: _ }) => {
  await page.goto("/");
  await page.getByRole("row", { name: "/teas/green" }).first().click();
  await tabs(page, ["Timing", "Decisions"]);
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("region", { name: "Responses" }).getByText("hello from the site")).toBeVisible();
  await pictures(page, "inspector-replay");
});

async function tabs(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.getByRole("tab", { name }).click();
    await expect(page.getByRole("tabpanel", { name })).toBeVisible();
    await expect(page.getByText("Loading…")).toHaveCount(0);
    await pictures(page, `inspector-${name.toLowerCase()}`);
  }
}

for (const [name, path] of [
  ["main-first", "/index.html"],
  ["settings", "/index.html#/settings"],
] as const)
  test(`the main window: ${name}`, async ({ page, places: _ }) => {
    await openInDesktop(page, path);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await page.waitForLoadState("domcontentloaded");
    await pictures(page, name);
  });
