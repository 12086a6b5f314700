// Every kind of the console: made, changed and deleted through its forms.
import type { Locator, Page } from "@playwright/test";
import { openArea } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";
import type { World } from "../kit/world";

const test = testWithWorld({ agent: null });

/** One field as a person fills it in. */
type Fill = (form: Locator, world: World) => Promise<unknown>;
const type =
  (label: string, text: string): Fill =>
  (form) =>
    form.getByLabel(label, { exact: true }).fill(text);
const tick =
  (label: string): Fill =>
  (form) =>
    form.getByLabel(label, { exact: true }).check();
const press =
  (name: string): Fill =>
  (form) =>
    form.getByRole("button", { name }).click();

interface Kind {
  many: string;
  one: string;
  path: string;
  member: string;
  /** What must be there first. */
  before?: (world: World) => Promise<unknown>;
  create: readonly Fill[];
  title: string;
  /** What the server has to have then, beside what it adds. */
  made: Record<string, unknown>;
  change: readonly Fill[];
  changed: Record<string, unknown>;
  /** What the server shows once. */
  once?: "token" | "secret";
  /** A mistake that is said at its field before anything is sent. */
  mistake?: { fill: readonly Fill[]; says: string };
}

const KINDS: readonly Kind[] = [
  {
    many: "IP restrictions",
    one: "IP restriction",
    path: "/ip_restrictions",
    member: "ip_restrictions",
    before: (world) => world.manage("POST", "/ip_policies", { description: "Nowhere" }),
    mistake: { fill: [], says: "Choose at least one IP policy." },
    create: [
      tick("Agents that connect"),
      (form) => form.getByText("Nowhere").click(),
      type("Description", "Office only"),
    ],
    title: "Office only",
    made: { type: "agent", enforced: false, description: "Office only" },
    change: [tick("Enforced")],
    changed: { enforced: true },
  },
  {
    many: "Credentials",
    one: "credential",
    path: "/credentials",
    member: "credentials",
    mistake: { fill: [type("Rules", "bind:ok.test\nlisten:x")], says: "listen:x: A rule is bind:<target>" },
    create: [type("Description", "Build machine"), type("Rules", "bind:*.shop.test\nbind:team=web")],
    title: "Build machine",
    made: { acl: ["bind:*.shop.test", "bind:team=web"] },
    change: [type("Rules", "")],
    changed: { acl: [] },
    once: "token",
  },
  {
    many: "API keys",
    one: "API key",
    path: "/api_keys",
    member: "keys",
    create: [type("Description", "Deployments")],
    title: "Deployments",
    made: { description: "Deployments" },
    change: [type("Metadata", '{"team":"web"}')],
    changed: { metadata: '{"team":"web"}' },
    once: "token",
  },
  {
    many: "Event destinations",
    one: "event destination",
    path: "/event_destinations",
    member: "event_destinations",
    mistake: {
      fill: [type("URL", "http://127.0.0.1:9/in"), type("Kinds of events", "ip_polices")],
      says: "There are no events of this kind.",
    },
    create: [type("Kinds of events", "ip_policy\nuser"), type("Description", "SIEM")],
    title: "SIEM",
    made: { url: "http://127.0.0.1:9/in", kinds: ["ip_policy", "user"], enabled: true, secret: null },
    change: [(form) => form.getByLabel("Enabled", { exact: true }).uncheck()],
    changed: { enabled: false },
    once: "secret",
  },
  {
    many: "Alerts",
    one: "alert rule",
    path: "/alert_rules",
    member: "alert_rules",
    mistake: {
      fill: [(form) => form.getByRole("radio", { name: /^Bytes/ }).check(), type("Threshold", "much")],
      says: "Write bytes, or such as 500MB or 100GB.",
    },
    create: [
      (form) => form.getByRole("radio", { name: /^A month/ }).check(),
      type("Threshold", "100GB"),
      type("Description", "Plan of the month"),
    ],
    title: "Plan of the month",
    made: {
      measure: "bytes",
      subject_id: null,
      period: "month",
      threshold: 107374182400,
      window_minutes: null,
      state: "ok",
    },
    change: [type("Threshold", "2GB")],
    changed: { threshold: 2147483648 },
  },
  {
    many: "Users",
    one: "user",
    path: "/users",
    member: "users",
    mistake: { fill: [], says: "Name is required." },
    create: [type("Name", "Ada"), (form) => form.getByRole("radio", { name: /^Administrator/ }).check()],
    title: "Ada",
    made: { name: "Ada", role: "admin", admin: true },
    change: [type("Name", "Ada Lovelace")],
    changed: { name: "Ada Lovelace" },
  },
  {
    many: "Bot users",
    one: "bot user",
    path: "/bot_users",
    member: "bot_users",
    mistake: { fill: [], says: "Name is required." },
    create: [type("Name", "builder")],
    title: "builder",
    made: { name: "builder", active: true, role: "editor", admin: false },
    change: [(form) => form.getByLabel("Active", { exact: true }).uncheck()],
    changed: { active: false },
  },
  {
    many: "Tunnel groups",
    one: "tunnel group",
    path: "/backends/tunnel_group",
    member: "backends",
    create: [
      press("Add label"),
      type("Key 1", "team"),
      type("Value 1", "web"),
      press("Add label"),
      type("Key 2", "stage"),
      type("Value 2", "test"),
    ],
    title: "stage=test, team=web",
    made: { labels: { team: "web", stage: "test" } },
    change: [press("Remove row 1")],
    changed: { labels: { team: "web" } },
  },
  {
    many: "Static backends",
    one: "static backend",
    path: "/backends/static",
    member: "backends",
    mistake: { fill: [type("Address", "app.internal:99999")], says: "A port is a number from 1 to 65535." },
    create: [type("Address", "app.internal:443"), tick("Connect with TLS")],
    title: "app.internal:443",
    made: { address: "app.internal:443", tls: { enabled: true } },
    change: [type("Address", "[2001:db8::7]:8443")],
    changed: { address: "[2001:db8::7]:8443", tls: { enabled: true } },
  },
  {
    many: "HTTP responses",
    one: "HTTP response",
    path: "/backends/http_response",
    member: "backends",
    mistake: { fill: [type("Status", "700")], says: "Enter a whole number from 200 to 599." },
    create: [
      type("Status", "503"),
      press("Add header"),
      type("Header 1", "Retry-After"),
      type("Value 1", "120"),
      type("Body", "Back soon."),
      type("Description", "Maintenance"),
    ],
    title: "Maintenance",
    made: { status_code: 503, headers: { "retry-after": "120" }, body: "Back soon." },
    change: [type("Body", "")],
    changed: { body: "" },
  },
  {
    many: "Weighted backends",
    one: "weighted backend",
    path: "/backends/weighted",
    member: "backends",
    before: async (world) => {
      for (const port of [81, 82])
        await world.manage("POST", "/backends/static", {
          address: `a.test:${port}`,
          description: `Half ${port}`,
        });
    },
    create: [
      type("Description", "Canary"),
      press("Add Half 81"),
      press("Add Half 82"),
      type("Weight of Half 82", "300"),
      (form) => expect(form.getByText("75%")).toBeVisible(),
    ],
    title: "Canary",
    made: { description: "Canary" },
    change: [
      type("Weight of Half 82", "20000"),
      (form) => expect(form.getByText("from 0 to 10000")).toBeVisible(),
      type("Weight of Half 82", "0"),
    ],
    changed: {},
  },
  {
    many: "Failover backends",
    one: "failover backend",
    path: "/backends/failover",
    member: "backends",
    before: async (world) => {
      for (const port of [91, 92])
        await world.manage("POST", "/backends/static", {
          address: `b.test:${port}`,
          description: `Site ${port}`,
        });
    },
    create: [
      type("Description", "Two sites"),
      press("Add Site 91"),
      press("Add Site 92"),
      press("Move Site 92 up"),
    ],
    title: "Two sites",
    made: { description: "Two sites" },
    change: [press("Remove Site 91")],
    changed: {},
  },
  {
    many: "Reserved domains",
    one: "reserved domain",
    path: "/reserved_domains",
    member: "reserved_domains",
    mistake: { fill: [type("Domain", "under_score.test")], says: "Use letters, digits and hyphens" },
    create: [type("Domain", "shop.example.com")],
    title: "shop.example.com",
    made: { domain: "shop.example.com" },
    change: [type("Description", "The shop")],
    changed: { description: "The shop" },
  },
  {
    many: "Reserved addresses",
    one: "reserved address",
    path: "/reserved_addrs",
    member: "reserved_addrs",
    create: [type("Description", "Database")],
    title: "localhost:",
    made: { description: "Database" },
    change: [type("Description", "")],
    changed: { description: "" },
  },
  {
    many: "Certificate authorities",
    one: "certificate authority",
    path: "/certificate_authorities",
    member: "certificate_authorities",
    mistake: {
      fill: [type("Certificate", "no certificate")],
      says: "begins with -----BEGIN CERTIFICATE-----",
    },
    create: [
      (form, world) => form.getByLabel("Certificate", { exact: true }).fill(world.authorityText),
      type("Description", "Our own"),
    ],
    title: "Our own",
    made: { description: "Our own" },
    change: [type("Description", "The old one")],
    changed: { description: "The old one" },
  },
];

async function madeChangedAndDeleted(page: Page, world: World, kind: Kind): Promise<void> {
  await kind.before?.(world);
  await openArea(page, kind.many);
  await page
    .getByRole("button", { name: `New ${kind.one}` })
    .first()
    .click();
  const form = page.locator("form");
  await expect(page.getByRole("heading", { name: `New ${kind.one}` })).toBeVisible();
  if (kind.mistake) {
    for (const fill of kind.mistake.fill) await fill(form, world);
    await page.getByRole("button", { name: `Create ${kind.one}` }).click();
    await expect(form.getByText(kind.mistake.says)).toBeVisible();
  }
  for (const fill of kind.create) await fill(form, world);
  await expectAccessible(page);
  await picture(page, `console-new-${kind.path.slice(1).replaceAll("/", "-")}`);
  await page.getByRole("button", { name: `Create ${kind.one}` }).click();
  if (kind.once) {
    const dialog = page.getByRole("dialog", { name: `Store this ${kind.once} now` });
    const shown = (await dialog.getByLabel(kind.once === "token" ? "Token" : "Secret").textContent()) ?? "";
    expect(shown.length).toBeGreaterThan(30);
    await picture(page, `console-once-${kind.path.slice(1).replaceAll("/", "-")}`);
    await dialog.getByLabel("I have stored it").check();
    await dialog.getByRole("button", { name: "Done" }).click();
  }
  await expect(page.getByRole("heading", { level: 1, name: kind.title })).toBeVisible();
  const id = page.url().split("/").at(-1) ?? "";
  expect(await world.manage("GET", `${kind.path}/${id}`)).toMatchObject(kind.made);
  await picture(page, `console-${kind.path.slice(1).replaceAll("/", "-")}`);

  for (const fill of kind.change) await fill(form.first(), world);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Nothing has changed yet.")).toBeVisible();
  expect(await world.manage("GET", `${kind.path}/${id}`)).toMatchObject(kind.changed);

  await page.getByRole("link", { name: kind.many, exact: true }).first().click();
  const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${id}"]`) });
  await expect(row).toBeVisible();
  await picture(page, `console-list-${kind.path.slice(1).replaceAll("/", "-")}`);
  await row.getByRole("link").first().click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: kind.many, level: 1 })).toBeVisible();
  await expect(row).toHaveCount(0);
  const left = await world.manage<Record<string, { id: string }[]>>("GET", kind.path);
  expect(left[kind.member]?.map((record) => record.id)).not.toContain(id);
}

for (const kind of KINDS)
  test(`${kind.many} are made, changed and deleted`, async ({ page, world, openConsole }) => {
    await openConsole();
    await madeChangedAndDeleted(page, world, kind);
  });
