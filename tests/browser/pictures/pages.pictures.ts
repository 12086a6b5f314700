// Every page of the console, the inspector and the main window, in light and dark, at two sizes, into docs/screenshots.
import type { Page } from "@playwright/test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ordinary } from "../kit/captured";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, testWithFakeAgent, testWithWorld } from "../kit/fixtures";
import { fill, visitors } from "./shop";

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

/** The page at every size in every colour, with the pointer where it marks nothing. */
async function pictures(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
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

test("the console", async ({ page, world, places, openConsole }) => {
  await openConsole();
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
    await pictures(page, `console-${name}`);
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
