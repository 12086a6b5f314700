// The console as a person uses it.
import { expect, type Locator, type Page } from "@playwright/test";

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Areas" })).toBeVisible();
}

export async function signOut(
  page: Page,
  where: "Sign out" | "Sign out everywhere" = "Sign out",
): Promise<void> {
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: where, exact: true }).click();
  await expect(page.getByLabel("API key")).toBeVisible();
}

/** The entries of the navigation that have tabs. Every other area is an entry itself. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  Topology: ["Topology", "Nodes"],
  Endpoints: ["Endpoints", "Tunnels"],
  Agents: ["Agents", "Agent sessions"],
  Visitors: ["Logged-in visitors", "Visitor sessions"],
  Edges: ["HTTPS edges", "TLS edges", "TCP edges"],
  Backends: ["Tunnel groups", "Static backends", "HTTP responses", "Weighted backends", "Failover backends"],
  Reservations: ["Reserved domains", "Reserved addresses"],
  Certificates: [
    "TLS certificates",
    "Certificate authorities",
    "SSH authorities",
    "SSH host certificates",
    "SSH user certificates",
  ],
  "IP access": ["IP policies", "IP restrictions"],
  Team: ["Users", "Bot users", "API keys"],
  Events: ["Audit log", "Event destinations", "Alerts"],
};

/** Opens an area through the navigation and, where it is one of several, its tab. */
export async function openArea(page: Page, label: string): Promise<void> {
  const entry = Object.keys(ENTRIES).find((name) => ENTRIES[name]?.includes(label));
  const navigation = page.getByRole("navigation", { name: "Areas" });
  await navigation.getByRole("link", { name: entry ?? label, exact: true }).click();
  if (entry)
    await page
      .getByRole("navigation", { name: entry, exact: true })
      .getByRole("link", { name: label, exact: true })
      .click();
  await expect(page.getByRole("heading", { name: label, level: 1 })).toBeVisible();
}

/** Shows the request that a form or a dialog sends, unless it is shown already. */
export async function showApiRequest(where: Page | Locator): Promise<void> {
  const hidden = where.getByRole("button", { name: "Show API request" });
  const shown = where.getByRole("complementary", { name: "API request" });
  await expect(hidden.or(shown)).toBeVisible();
  if (await hidden.isVisible()) await hidden.click();
  await expect(shown).toBeVisible();
}
