// The stages of a route in the console: every module is added, changed, turned off and removed through its form and
// read back over the API; what providers must be told is what the server says and does.
import type { Locator } from "@playwright/test";
import { readFileSync } from "node:fs";
import { choose } from "../kit/choose";
import { copied } from "../kit/clipboard";
import { testWithEdges, type Shop } from "../kit/edges";
import { expect, expectAccessible } from "../kit/fixtures";

const test = testWithEdges().extend<{ at: Shop }>({
  at: async ({ edges }, use) => {
    await use(await edges.shop("stages.localhost"));
    await edges.removeAll();
  },
});

interface Tried {
  label: string;
  name: string;
  /** Fills the form of a module that is not set. */
  fill(form: Locator): Promise<void>;
  set: object;
  /** Changes it; null where there is nothing but the switch. */
  change: ((form: Locator) => Promise<void>) | null;
  changed: object;
}

const METADATA =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test"></EntityDescriptor>';

const box = (form: Locator, name: string) => form.getByRole("textbox", { name, exact: true });

const MODULES: readonly Tried[] = [
  {
    label: "IP restriction",
    name: "ip_restriction",
    fill: (form) => form.getByRole("checkbox", { name: "Office" }).check(),
    set: { ip_policies: [{ id: expect.stringMatching(/^ipp_/) as unknown }] },
    change: null,
    changed: {},
  },
  {
    label: "Rate limit",
    name: "rate_limit",
    fill: (form) => box(form, "Burst").fill("20"),
    set: { requests: 100, interval: 10, burst: 20, key: "address" },
    change: (form) => box(form, "Counted separately").fill("everyone"),
    changed: { requests: 100, burst: 20, key: "everyone" },
  },
  {
    label: "Maintenance",
    name: "maintenance",
    fill: (form) => box(form, "Body").fill("<h1>Soon</h1>"),
    set: { until: null, status_code: 503, body: "<h1>Soon</h1>", allow: [] },
    change: (form) => box(form, "Until").fill("2030-01-31T12:00:00Z"),
    changed: { until: "2030-01-31T12:00:00Z", body: "<h1>Soon</h1>" },
  },
  {
    label: "Redirect",
    name: "redirect",
    fill: async (form) => {
      await form.getByRole("button", { name: "Add rule" }).click();
      await form.getByLabel("Path 1", { exact: true }).fill("/old/(.*)");
      await form.getByLabel("Target 1", { exact: true }).fill("/new/${1}");
    },
    set: { rules: [{ host: "", path: "/old/(.*)", to: "/new/${1}", status_code: 302 }] },
    change: (form) => form.getByLabel("Status 1", { exact: true }).fill("308"),
    changed: { rules: [{ host: "", path: "/old/(.*)", to: "/new/${1}", status_code: 308 }] },
  },
  {
    label: "Rewrite",
    name: "rewrite",
    fill: (form) => box(form, "Remove prefix").fill("/api"),
    set: { strip_prefix: "/api", host: "" },
    change: (form) => box(form, "Host").fill("app.internal"),
    changed: { strip_prefix: "/api", host: "app.internal" },
  },
  {
    label: "Error pages",
    name: "error_pages",
    fill: async (form) => {
      await form.getByRole("button", { name: "Add page" }).click();
      await form.getByRole("textbox", { name: "Status" }).fill("5xx");
      await form.getByRole("textbox", { name: "HTML" }).fill("<h1>${res.status}</h1>");
    },
    set: { pages: { "5xx": "<h1>${res.status}</h1>" }, upstream: false },
    change: (form) => form.getByRole("checkbox", { name: "Also for errors of the backend" }).check(),
    changed: { pages: { "5xx": "<h1>${res.status}</h1>" }, upstream: true },
  },
  {
    label: "User agent filter",
    name: "user_agent_filter",
    fill: (form) => box(form, "Deny").fill("(?i)curl/\n(?i)wget/"),
    set: { allow: [], deny: ["(?i)curl/", "(?i)wget/"] },
    change: (form) => box(form, "Allow").fill("^$"),
    changed: { allow: ["^$"], deny: ["(?i)curl/", "(?i)wget/"] },
  },
  {
    label: "Webhook verification",
    name: "webhook_verification",
    fill: async (form) => {
      await choose(form.getByRole("combobox", { name: "Provider" }), "Stripe");
      await box(form, "Secret").fill("whsec_planted");
    },
    set: { provider: "stripe", secret: "whsec_planted" },
    change: (form) => choose(form.getByRole("combobox", { name: "Provider" }), "Amazon SNS"),
    changed: { provider: "sns", secret: "" },
  },
  {
    label: "Basic authentication",
    name: "basic_auth",
    fill: async (form) => {
      await form.getByRole("button", { name: "Add user" }).click();
      await form.getByLabel("User name 1", { exact: true }).fill("ada");
      await form.getByLabel("Password 1", { exact: true }).fill("planted-secret-1");
    },
    set: { users: [{ username: "ada" }] },
    // The password of the first user stays.
    change: async (form) => {
      await expect(form.getByLabel("Password 1", { exact: true })).toHaveValue("");
      await form.getByRole("button", { name: "Add user" }).click();
      await form.getByLabel("User name 2", { exact: true }).fill("bob");
      await form.getByLabel("Password 2", { exact: true }).fill("planted-secret-2");
    },
    changed: { users: [{ username: "ada" }, { username: "bob" }] },
  },
  {
    label: "OAuth login",
    name: "oauth",
    fill: async (form) => {
      await box(form, "Client ID").fill("app");
      await box(form, "Client secret").fill("planted");
      await box(form, "Allowed organizations").fill("acme");
    },
    set: { provider: { github: { client_id: "app", client_secret: "planted", organizations: ["acme"] } } },
    change: async (form) => {
      await choose(form.getByRole("combobox", { name: "Provider" }), "Google");
      await box(form, "Allowed e-mail domains").fill("example.com");
    },
    changed: { provider: { github: null, google: { client_id: "app", email_domains: ["example.com"] } } },
  },
  {
    label: "OpenID Connect login",
    name: "oidc",
    fill: async (form) => {
      await box(form, "Issuer").fill("https://accounts.example.com");
      await box(form, "Client ID").fill("app");
      await box(form, "Client secret").fill("planted");
    },
    set: {
      issuer: "https://accounts.example.com",
      client_secret: "planted",
      scopes: ["openid", "profile", "email"],
    },
    change: (form) => box(form, "Maximum duration of a session").fill("3600"),
    changed: { maximum_duration: 3600, client_secret: "planted" },
  },
  {
    label: "SAML login",
    name: "saml",
    fill: async (form) => {
      await expect(form.getByText("No visitor can log in with this metadata")).toBeVisible();
      await box(form, "Metadata of the identity provider").fill(METADATA);
    },
    set: { idp_metadata: METADATA, allow_idp_initiated: true },
    change: async (form) => {
      await box(form, "Allowed groups").fill("staff");
      await form.getByRole("checkbox", { name: "Logins may start at the identity provider" }).uncheck();
    },
    changed: { authorized_groups: ["staff"], allow_idp_initiated: false },
  },
  {
    label: "WebSocket to TCP",
    name: "websocket_tcp_converter",
    fill: async () => {},
    set: {},
    change: null,
    changed: {},
  },
  {
    label: "Circuit breaker",
    name: "circuit_breaker",
    fill: (form) => box(form, "Opens at this share of errors").fill("25"),
    set: { error_threshold_percentage: 0.25, volume_threshold: 20, num_buckets: 10 },
    change: (form) => box(form, "Stays open for").fill("60"),
    changed: { error_threshold_percentage: 0.25, tripped_duration: 60 },
  },
  {
    label: "Request headers",
    name: "request_headers",
    fill: async (form) => {
      await form.getByRole("button", { name: "Add header" }).click();
      await form.getByRole("textbox", { name: "Name" }).fill("X-Request");
      await form.getByRole("textbox", { name: "Value" }).fill("${req.id}");
    },
    set: { add: { "x-request": "${req.id}" }, remove: [] },
    change: (form) => box(form, "Remove").fill("x-debug"),
    changed: { add: { "x-request": "${req.id}" }, remove: ["x-debug"] },
  },
  {
    label: "Compression",
    name: "compression",
    fill: async () => {},
    set: {},
    change: null,
    changed: {},
  },
  {
    label: "Response headers",
    name: "response_headers",
    fill: (form) => box(form, "Remove").fill("server"),
    set: { add: {}, remove: ["server"] },
    change: (form) => box(form, "Remove").fill("server\nx-powered-by"),
    changed: { remove: ["server", "x-powered-by"] },
  },
];

test.describe("a stage of a route", () => {
  for (const { label, name, fill, set, change, changed } of MODULES)
    test(`${label} is added, changed, switched and removed`, async ({ page, world, pages, at }) => {
      const read = () => world.manage("GET", `${at.place}/${name}`);
      await pages.go(at.place);
      await expect(pages.stage("Backend")).toBeVisible();
      await pages.addStage(label);
      const adding = page.getByRole("form", { name: `Add ${label}` });
      await fill(adding);
      await expect(pages.preview(adding)).toContainText(
        `curl -X PUT '${world.management}${at.place}/${name}'`,
      );
      await expect(pages.preview(adding), "secrets are covered").not.toContainText("planted");
      await expectAccessible(page);
      await adding.getByRole("button", { name: `Add ${label}` }).click();
      await expect(pages.stage(label)).toBeVisible();
      await expect(adding).toBeHidden();
      expect(await read()).toMatchObject({ enabled: true, ...set });

      if (change) {
        await page.getByRole("button", { name: `Settings of ${label}` }).click();
        const form = page.getByRole("form", { name: `Settings of ${label}` });
        await change(form);
        await form.getByRole("button", { name: "Save" }).click();
        await expect(form).toBeHidden();
        expect(await read()).toMatchObject({ enabled: true, ...changed });
      }

      for (const on of [false, true]) {
        await page.getByRole("switch", { name: `${label} enabled` }).click();
        const dialog = page.getByRole("dialog", { name: `Turn ${on ? "on" : "off"} ${label}?` });
        await expect(pages.preview(dialog)).toContainText(`"enabled": ${on}`);
        await expect(pages.preview(dialog)).not.toContainText("planted");
        await dialog.getByRole("button", { name: on ? "Turn on" : "Turn off" }).click();
        await expect(pages.stage(on ? label : `${label}, off`)).toBeVisible();
        expect(await read()).toMatchObject({ enabled: on, ...(change ? changed : set) });
      }

      await pages.removeStage(label);
      expect(await world.manage<object>("GET", at.place)).toMatchObject({ [name]: null });
    });

  test("the backend is chosen and changed", async ({ page, world, pages, at }) => {
    const other = await world.create("/backends/tunnel_group", {
      description: "Agents",
      labels: { app: "shop" },
    });
    await pages.go(at.place);
    await page.getByRole("button", { name: "Settings of Backend" }).click();
    const form = page.getByRole("form", { name: "Settings of Backend" });
    await choose(form.getByRole("combobox", { name: "Backend" }), "Agents (app=shop)");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toBeHidden();
    await expect(pages.stage("Backend").getByText("Agents")).toBeVisible();
    expect(await world.manage("GET", `${at.place}/backend`)).toMatchObject({ backend: { id: other } });
  });

  test("the backend is removed, and added again once one is chosen", async ({ page, pages, at }) => {
    await pages.go(at.place);
    await pages.removeStage("Backend");
    await expect(page.getByText("no visitor is served until one is added")).toBeVisible();
    await pages.addStage("Backend");
    const adding = page.getByRole("form", { name: "Add Backend" });
    await adding.getByRole("button", { name: "Add Backend" }).click();
    const list = adding.getByRole("combobox", { name: "Backend" });
    await expect(list).toBeFocused();
    await expect(list).toHaveAccessibleDescription(/Choose a backend\./);
    await choose(list, "Greeting");
    await adding.getByRole("button", { name: "Add Backend" }).click();
    await expect(pages.stage("Backend").getByText("Greeting")).toBeVisible();
  });

  test("says before it is tried that a route has one login", async ({ page, world, pages, at }) => {
    await world.manage("PUT", `${at.place}/saml`, { idp_metadata: METADATA });
    await pages.go(at.place);
    await expect(pages.stage("SAML login")).toBeVisible();
    await pages.addStage("OpenID Connect login");
    const form = page.getByRole("form", { name: "Add OpenID Connect login" });
    await expect(form.getByText("“SAML login” is enabled: turn it off first")).toBeVisible();
    await box(form, "Issuer").fill("https://accounts.example.com");
    await box(form, "Client ID").fill("app");
    await box(form, "Client secret").fill("planted");
    await form.getByRole("button", { name: "Add OpenID Connect login" }).click();
    await expect(form.getByRole("alert").getByText("a route can have one login only")).toBeVisible();
    await form.getByRole("button", { name: "Cancel" }).click();
  });
});

test.describe("a login", () => {
  test.afterEach(({ edges }) => edges.removeAll());

  test("sends visitors to the provider with the address that the form shows", async ({
    page,
    world,
    edges,
    pages,
  }) => {
    const { place } = await edges.shop("members.localhost");
    await pages.go(place);
    await pages.addStage("OAuth login");
    const form = page.getByRole("form", { name: "Add OAuth login" });
    const pasted = await form.getByRole("region", { name: "Redirect URI (callback URL)" }).textContent();
    await form.getByRole("button", { name: "Copy Redirect URI (callback URL)" }).click();
    await expect.poll(() => copied(page)).toBe(pasted);
    await box(form, "Client ID").fill("app");
    await box(form, "Client secret").fill("planted");
    await expect(form.getByText("everyone with an account at GitHub is admitted")).toBeVisible();
    await form.getByRole("button", { name: "Add OAuth login" }).click();
    await expect(pages.stage("OAuth login")).toBeVisible();
    const link = page.getByRole("link", { name: `https://members.localhost:${world.httpsPort}/` });
    const address = await link.getAttribute("href");
    const browsing = await world.visit(address ?? "", { Accept: "text/html" });
    expect(browsing.status).toBe(302);
    const provider = new URL(browsing.headers.location ?? "");
    expect(provider.origin).toBe("https://github.com");
    expect(provider.searchParams.get("client_id")).toBe("app");
    expect(provider.searchParams.get("redirect_uri")).toBe(pasted);
    const program = await world.visit(address ?? "", { Accept: "application/json" });
    expect(program.status).toBe(401);
    await expect(pages.stage("OAuth login").getByText("refused 1")).toBeVisible();
  });

  test("with SAML hands out the metadata that the server shows", async ({ page, world, edges, pages }) => {
    const { place, route } = await edges.shop("staff.localhost");
    await pages.go(place);
    await pages.addStage("SAML login");
    const adding = page.getByRole("form", { name: "Add SAML login" });
    const before = await adding.getByRole("region", { name: "Entity ID" }).textContent();
    await adding.getByRole("button", { name: "Add SAML login" }).click();
    await expect(
      pages.stage("SAML login").getByText("No visitor is admitted yet: the metadata is incomplete"),
    ).toBeVisible();
    await page.getByRole("button", { name: "Settings of SAML login" }).click();
    const form = page.getByRole("form", { name: "Settings of SAML login" });
    await expect(
      form.getByRole("region", { name: "Signing certificate" }).getByText("BEGIN CERTIFICATE"),
    ).toBeVisible();
    const entity = await form.getByRole("region", { name: "Entity ID" }).textContent();
    expect(entity).toBe(before);
    await expectAccessible(page);
    const download = page.waitForEvent("download");
    await form.getByRole("button", { name: "Download the metadata file" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${route}-metadata.xml`);
    const saved = readFileSync(await file.path(), "utf8");
    const served = await world.visit(entity ?? "");
    expect(served.status).toBe(200);
    expect(facts(saved)).toEqual(facts(served.body));
  });
});

/** What identity providers read of the metadata of a service provider. */
function facts(xml: string): object {
  const all = (pattern: RegExp) => [...xml.matchAll(pattern)].map((found) => found[1]?.replace(/\s/g, ""));
  const places = (element: string) =>
    [...xml.matchAll(new RegExp(`<(?:\\w+:)?${element}\\s[^>]*>`, "g"))]
      .map(([tag]) => ["Binding", "Location"].map((name) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1]))
      .toSorted();
  return {
    entity: all(/entityID="([^"]*)"/g),
    certificates: new Set(all(/<(?:\w+:)?X509Certificate>([^<]*)</g)),
    formats: all(/<(?:\w+:)?NameIDFormat>([^<]*)</g),
    signed: all(/AuthnRequestsSigned="([^"]*)"/g),
    wants: all(/WantAssertionsSigned="([^"]*)"/g),
    acs: places("AssertionConsumerService"),
    logout: places("SingleLogoutService"),
  };
}
