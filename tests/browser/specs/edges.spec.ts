// Edges in the console, from the first name to the last stage: everything is made, changed and removed through the
// forms, read back over the API, and seen by visitors from outside.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World, eventually } from "../kit/world";

interface Edge {
  id: string;
  hostports: string[];
  description: string;
  routes: (Record<string, unknown> & { id: string })[];
}

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];
let policy: string;
let backend: string;
let authority: string;

beforeAll(async () => {
  browser = await launch();
  world = await World.startServerOnly();
  const made = async (path: string, body: unknown) =>
    (await world.manage<{ id: string }>("POST", path, body)).id;
  policy = await made("/ip_policies", { description: "Office" });
  backend = await made("/backends/http_response", {
    description: "Greeting",
    body: "hello",
    status_code: 200,
  });
  authority = await made("/certificate_authorities", { description: "Staff", ca_pem: world.authorityPem });
  ({ page, wrong } = await open(browser, `${world.management}/console`));
  await enterKey(page, world.key);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});
beforeEach(() => {
  wrong.length = 0;
});
afterEach(() => {
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

/** Goes to a place of the console without losing the key. */
async function go(place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), place);
}

async function names(kind: string, member: string): Promise<Edge[]> {
  return (await world.manage<Record<string, Edge[]>>("GET", `/edges/${kind}`))[member] ?? [];
}

/** An edge with one route for everything, made over the API. */
async function shop(
  host: string,
  modules: object = {},
): Promise<{ edge: string; route: string; place: string }> {
  const edge = await world.manage<Edge>("POST", "/edges/https", { hostports: [`${host}:443`] });
  const route = await world.manage<{ id: string }>("POST", `/edges/https/${edge.id}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: backend },
    ...modules,
  });
  return { edge: edge.id, route: route.id, place: `/edges/https/${edge.id}/routes/${route.id}` };
}

/** What the request that is about to be made says. */
async function preview(within: Page | Locator = page): Promise<string> {
  return (await within.getByRole("region", { name: "curl command" }).first().textContent()) ?? "";
}

const stage = (name: string) => page.getByRole("listitem", { name, exact: true });

async function addStage(label: string): Promise<void> {
  await page.getByRole("button", { name: "Add a stage" }).click();
  await page.getByRole("menuitem", { name: label, exact: true }).click();
}

describe("an HTTPS edge", () => {
  it("is made, changed and deleted", async () => {
    await page.getByRole("link", { name: "HTTPS edges" }).click();
    await page.getByText("There is no HTTPS edge yet.").waitFor();
    await page.getByRole("button", { name: "New HTTPS edge" }).first().click();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByText("“first.localhost” has no port: write it like first.localhost:443.").waitFor();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost:443\nsecond.localhost:443");
    await page.getByRole("textbox", { name: "Description" }).fill("The shop");
    const said = await preview();
    expect(said).toContain("curl -X POST");
    expect(said).toContain('"second.localhost:443"');
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByRole("heading", { name: "The shop" }).waitFor();
    await page.getByText("every request gets 404").waitFor();
    const [edge] = await names("https", "https_edges");
    expect(edge).toMatchObject({
      hostports: ["first.localhost:443", "second.localhost:443"],
      description: "The shop",
    });

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Names" }).fill("first.localhost:443");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Edge changed").waitFor();
    expect((await names("https", "https_edges"))[0]?.hostports).toEqual(["first.localhost:443"]);

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete The shop?" });
    await dialog.getByText("first.localhost:443 no longer lead").waitFor();
    expect(await preview(dialog)).toContain(`curl -X DELETE`);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no HTTPS edge yet.").waitFor();
    expect(await names("https", "https_edges")).toEqual([]);
  });

  it("shows what the server refuses at the field", async () => {
    const { edge } = await shop("taken.localhost");
    await go("/edges/https/new");
    await page.getByRole("textbox", { name: "Names" }).fill("taken.localhost:443");
    await page.getByRole("button", { name: "Create HTTPS edge" }).click();
    await page.getByRole("alert").getByText("belongs to the edge").waitFor();
    await world.manage("DELETE", `/edges/https/${edge}`);
  });

  it("asks visitors for certificates and a version of TLS", async () => {
    const { edge } = await shop("safe.localhost");
    await go(`/edges/https/${edge}?tab=handshake`);
    await addStage("TLS termination");
    await page.getByRole("radio", { name: "TLS 1.3" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await page.getByText("TLS 1.3 or newer").waitFor();
    await addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await page.getByText("1 authority").waitFor();
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({
      tls_termination: { enabled: true, min_version: "1.3" },
      mutual_tls: { enabled: true, certificate_authorities: [{ id: authority }] },
    });
    await removeStage("Mutual TLS");
    expect(await world.manage("GET", `/edges/https/${edge}`)).toMatchObject({ mutual_tls: null });
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

async function removeStage(label: string): Promise<void> {
  await page.getByRole("button", { name: `Remove ${label}` }).click();
  const dialog = page.getByRole("dialog", { name: `Remove ${label}?` });
  expect(await preview(dialog)).toContain("curl -X DELETE");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "hidden" });
  await stage(label).waitFor({ state: "hidden" });
}

describe("a route", () => {
  it("is made, serves visitors, is changed and deleted", async () => {
    const edge = await world.manage<Edge>("POST", "/edges/https", { hostports: ["routes.localhost:443"] });
    await go(`/edges/https/${edge.id}`);
    await page.getByRole("button", { name: "New route" }).click();
    await page.getByRole("textbox", { name: "Path" }).fill("app");
    await page.getByRole("button", { name: "Create route" }).click();
    await page.getByText("A path begins with /.").waitFor();
    await page.getByRole("textbox", { name: "Path" }).fill("/app");
    await page.getByRole("combobox", { name: "Backend" }).selectOption({ label: "Greeting" });
    expect(await preview()).toContain(backend);
    await page.getByRole("button", { name: "Create route" }).click();
    await page.getByRole("heading", { name: "/app/…" }).waitFor();
    await stage("Backend").getByText("Greeting").waitFor();
    const visited = await world.visit(`https://routes.localhost:${world.httpsPort}/app/x`);
    expect(visited).toMatchObject({ status: 200, body: "hello" });

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Exactly" }).check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { name: "/app", exact: true }).waitFor();
    const [route] = (await world.manage<Edge>("GET", `/edges/https/${edge.id}`)).routes;
    expect(route).toMatchObject({ match_type: "exact_path", match: "/app" });

    await page.getByRole("link", { name: "routes.localhost:443" }).click();
    await page.getByRole("row", { name: "/app" }).getByText("Greeting").waitFor();
    await page.getByRole("link", { name: "/app", exact: true }).click();
    await page.getByRole("button", { name: "Delete route" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the route /app?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("every request gets 404").waitFor();
    expect((await world.manage<Edge>("GET", `/edges/https/${edge.id}`)).routes).toEqual([]);
    await world.manage("DELETE", `/edges/https/${edge.id}`);
  });
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
      await form.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Stripe" });
      await box(form, "Secret").fill("whsec_planted");
    },
    set: { provider: "stripe", secret: "whsec_planted" },
    change: (form) =>
      form
        .getByRole("combobox", { name: "Provider" })
        .selectOption({ label: "Amazon SNS" })
        .then(() => {}),
    changed: { provider: "sns", secret: "" },
  },
  {
    label: "OAuth login",
    name: "oauth",
    fill: async (form) => {
      await box(form, "Client id").fill("app");
      await box(form, "Client secret").fill("planted");
      await box(form, "Organizations whose members may come in").fill("acme");
    },
    set: { provider: { github: { client_id: "app", client_secret: "planted", organizations: ["acme"] } } },
    change: async (form) => {
      await form.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Google" });
      await box(form, "Domains whose e-mail addresses may come in").fill("example.com");
    },
    changed: { provider: { github: null, google: { client_id: "app", email_domains: ["example.com"] } } },
  },
  {
    label: "OpenID Connect login",
    name: "oidc",
    fill: async (form) => {
      await box(form, "Issuer").fill("https://accounts.example.com");
      await box(form, "Client id").fill("app");
      await box(form, "Client secret").fill("planted");
    },
    set: {
      issuer: "https://accounts.example.com",
      client_secret: "planted",
      scopes: ["openid", "profile", "email"],
    },
    change: (form) => box(form, "Session ends in any case after").fill("3600"),
    changed: { maximum_duration: 3600, client_secret: "planted" },
  },
  {
    label: "SAML login",
    name: "saml",
    fill: async (form) => {
      await form.getByText("Nobody comes in with this metadata").waitFor();
      await box(form, "Metadata of the identity provider").fill(METADATA);
    },
    set: { idp_metadata: METADATA, allow_idp_initiated: true },
    change: async (form) => {
      await box(form, "Groups whose members may come in").fill("staff");
      await form.getByRole("checkbox", { name: "Logins may begin at the identity provider" }).uncheck();
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
    fill: (form) => box(form, "Trips at this share of errors").fill("25"),
    set: { error_threshold_percentage: 0.25, volume_threshold: 20, num_buckets: 10 },
    change: (form) => box(form, "Stays open for").fill("60"),
    changed: { error_threshold_percentage: 0.25, tripped_duration: 60 },
  },
  {
    label: "Request headers",
    name: "request_headers",
    fill: async (form) => {
      await form.getByRole("button", { name: "Add a header" }).click();
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

describe("a stage of a route", () => {
  let at: { edge: string; route: string; place: string };
  beforeAll(async () => {
    at = await shop("stages.localhost");
  });
  afterAll(() => world.manage("DELETE", `/edges/https/${at.edge}`));

  it.each(MODULES)("$label is added, changed, switched and removed", async (tried) => {
    const { label, name, fill, set, change, changed } = tried;
    const read = () => world.manage("GET", `${at.place}/${name}`);
    await go(at.place);
    await stage("Backend").waitFor();
    await addStage(label);
    const adding = page.getByRole("form", { name: `Add ${label}` });
    await fill(adding);
    const said = await preview(adding);
    expect(said).toContain(`curl -X PUT '${world.management}${at.place}/${name}'`);
    expect(said, "secrets are covered").not.toContain("planted");
    await expectAccessible(page);
    await adding.getByRole("button", { name: `Add ${label}` }).click();
    await stage(label).waitFor();
    await adding.waitFor({ state: "hidden" });
    expect(await read()).toMatchObject({ enabled: true, ...set });

    if (change) {
      await page.getByRole("button", { name: `Settings of ${label}` }).click();
      const form = page.getByRole("form", { name: `Settings of ${label}` });
      await change(form);
      await form.getByRole("button", { name: "Save" }).click();
      await form.waitFor({ state: "hidden" });
      expect(await read()).toMatchObject({ enabled: true, ...changed });
    }

    for (const on of [false, true]) {
      await page.getByRole("switch", { name: `${label} enabled` }).click();
      const dialog = page.getByRole("dialog", { name: `Switch ${label} ${on ? "on" : "off"}?` });
      expect(await preview(dialog)).toContain(`"enabled": ${on}`);
      expect(await preview(dialog)).not.toContain("planted");
      await dialog.getByRole("button", { name: on ? "Switch on" : "Switch off" }).click();
      await stage(on ? label : `${label}, off`).waitFor();
      expect(await read()).toMatchObject({ enabled: on, ...(change ? changed : set) });
    }

    await removeStage(label);
    expect(await world.manage<object>("GET", at.place)).toMatchObject({ [name]: null });
  });

  it("the backend is chosen and changed", async () => {
    const other = await world.manage<{ id: string }>("POST", "/backends/tunnel_group", {
      description: "Agents",
      labels: { app: "shop" },
    });
    await go(at.place);
    await page.getByRole("button", { name: "Settings of Backend" }).click();
    const form = page.getByRole("form", { name: "Settings of Backend" });
    await form.getByRole("combobox", { name: "Backend" }).selectOption({ label: "Agents (app=shop)" });
    await form.getByRole("button", { name: "Save" }).click();
    await stage("Backend").getByText("Agents").waitFor();
    expect(await world.manage("GET", `${at.place}/backend`)).toMatchObject({ backend: { id: other.id } });
    await removeStage("Backend");
    await page.getByText("nobody is served until one is added").waitFor();
    await addStage("Backend");
    const adding = page.getByRole("form", { name: "Add Backend" });
    await adding.getByRole("button", { name: "Add Backend" }).click();
    await adding.getByText("Choose a backend.").waitFor();
    await adding.getByRole("combobox", { name: "Backend" }).selectOption({ label: "Greeting" });
    await adding.getByRole("button", { name: "Add Backend" }).click();
    await stage("Backend").getByText("Greeting").waitFor();
  });

  it("says before it is tried that a route has one login", async () => {
    await world.manage("PUT", `${at.place}/saml`, { idp_metadata: METADATA });
    await go(at.place);
    await stage("SAML login").waitFor();
    await addStage("OpenID Connect login");
    const form = page.getByRole("form", { name: "Add OpenID Connect login" });
    await form.getByText("“SAML login” is enabled: switch that off first").waitFor();
    await box(form, "Issuer").fill("https://accounts.example.com");
    await box(form, "Client id").fill("app");
    await box(form, "Client secret").fill("planted");
    await form.getByRole("button", { name: "Add OpenID Connect login" }).click();
    await form.getByRole("alert").getByText("a route has one login").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await world.manage("DELETE", `${at.place}/saml`);
  });
});

describe("an IP restriction", () => {
  it("turns a visitor away, shows it, and lets them in once a rule allows it", async () => {
    const { edge, place } = await shop("guarded.localhost");
    const address = `https://guarded.localhost:${world.httpsPort}/private`;
    await go(place);
    await addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByText("No rule of these policies allows anybody: every visitor is refused.").waitFor();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await stage("IP restriction").getByText("Office").waitFor();
    expect((await world.visit(address)).status).toBe(403);
    await stage("IP restriction")
      .getByText(/^refused 1, last \d+ s ago$/)
      .waitFor();

    await page.getByRole("tab", { name: "Turned away (1)" }).click();
    const row = page.getByRole("row", { name: "GET /private" });
    await row.getByText("127.0.0.1", { exact: true }).waitFor();
    await row.getByText(/IP restriction refused: no rule allows the address, \d+ µs/).waitFor();
    await row.getByText("403, ERR_POSTERN_3203").waitFor();

    const rule = await world.manage<{ id: string }>("POST", "/ip_policy_rules", {
      ip_policy_id: policy,
      cidr: "127.0.0.0/8",
      action: "allow",
    });
    expect(await world.visit(address)).toMatchObject({ status: 200, body: "hello" });
    await go(`${place}?stage=ip_restriction`);
    await page.getByRole("textbox", { name: "Try an address" }).fill("127.0.0.1");
    await page.getByRole("status").getByText("by allow 127.0.0.0/8").waitFor();
    await page.getByRole("textbox", { name: "Try an address" }).fill("192.0.2.7");
    await page.getByRole("status").getByText("no rule allows it").waitFor();
    await world.manage("DELETE", `/ip_policy_rules/${rule.id}`);
    expect((await world.visit(address)).status).toBe(403);
    await page.getByRole("tab", { name: "Turned away (2)" }).waitFor();
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

describe("a login", () => {
  it("sends visitors to the provider with the address that the form shows", async () => {
    const { edge, place } = await shop("members.localhost");
    await go(place);
    await addStage("OAuth login");
    const form = page.getByRole("form", { name: "Add OAuth login" });
    const pasted = await form.getByRole("region", { name: "Redirect URI (callback URL)" }).textContent();
    await form.getByRole("button", { name: "Copy Redirect URI (callback URL)" }).click();
    await eventually("the clipboard", async () =>
      (await page.evaluate(() => navigator.clipboard.readText())) === pasted ? true : undefined,
    );
    await box(form, "Client id").fill("app");
    await box(form, "Client secret").fill("planted");
    await form.getByText("everybody with an account at GitHub comes in").waitFor();
    await form.getByRole("button", { name: "Add OAuth login" }).click();
    await stage("OAuth login").waitFor();
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
    await stage("OAuth login").getByText("refused 1").waitFor();
    await world.manage("DELETE", `/edges/https/${edge}`);
  });

  it("with SAML hands out the metadata that the server shows", async () => {
    const { edge, place, route } = await shop("staff.localhost");
    await go(place);
    await addStage("SAML login");
    const adding = page.getByRole("form", { name: "Add SAML login" });
    const before = await adding.getByRole("region", { name: "Entity id" }).textContent();
    await adding.getByRole("button", { name: "Add SAML login" }).click();
    await stage("SAML login").getByText("Nobody comes in yet: the metadata is incomplete").waitFor();
    await page.getByRole("button", { name: "Settings of SAML login" }).click();
    const form = page.getByRole("form", { name: "Settings of SAML login" });
    await form.getByRole("region", { name: "Signing certificate" }).getByText("BEGIN CERTIFICATE").waitFor();
    const entity = await form.getByRole("region", { name: "Entity id" }).textContent();
    expect(entity).toBe(before);
    await expectAccessible(page);
    const download = page.waitForEvent("download");
    await form.getByRole("button", { name: "Download the metadata file" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${route}-metadata.xml`);
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    const served = await world.visit(entity ?? "");
    expect(served.status).toBe(200);
    expect(facts(Buffer.concat(chunks).toString())).toEqual(facts(served.body));
    await world.manage("DELETE", `/edges/https/${edge}`);
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

describe("edges of connections", () => {
  it("a TLS edge is made, gets stages, and is deleted", async () => {
    await page.getByRole("link", { name: "TLS edges" }).click();
    await page.getByRole("button", { name: "New TLS edge" }).first().click();
    await page.getByRole("textbox", { name: "Names" }).fill("db.localhost:443");
    await page.getByRole("button", { name: "Create TLS edge" }).click();
    await page.getByRole("heading", { name: "db.localhost:443" }).waitFor();
    const [edge] = await names("tls", "tls_edges");
    await addStage("Mutual TLS");
    await page.getByText("set TLS termination to “at the edge” first").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await addStage("TLS termination");
    await page.getByRole("radio", { name: "At the backend" }).check();
    await page.getByRole("radio", { name: "TLS 1.3" }).waitFor({ state: "hidden" });
    await page.getByRole("radio", { name: "At the edge" }).check();
    await page.getByRole("button", { name: "Add TLS termination" }).click();
    await stage("TLS termination").getByText("At the edge, TLS 1.2 or newer").waitFor();
    await addStage("Mutual TLS");
    await page.getByRole("checkbox", { name: "Staff" }).check();
    await page.getByRole("button", { name: "Add Mutual TLS" }).click();
    await stage("Mutual TLS").waitFor();
    await addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await stage("IP restriction").waitFor();
    const order = await page
      .getByRole("list", { name: "Stages in the order they run" })
      .getByRole("heading")
      .allTextContents();
    expect(order).toEqual(["IP restriction", "TLS termination", "Mutual TLS"]);
    await addBackend("tls", edge?.id ?? "");
    await expectAccessible(page);
    expect(await world.manage("GET", `/edges/tls/${edge?.id}`)).toMatchObject({
      tls_termination: { terminate_at: "edge", min_version: "1.2" },
      mutual_tls: { certificate_authorities: [{ id: authority }] },
      ip_restriction: { ip_policies: [{ id: policy }] },
    });
    for (const label of ["Mutual TLS", "TLS termination", "IP restriction", "Backend"])
      await removeStage(label);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Delete db.localhost" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("There is no TLS edge yet.").waitFor();
    expect(await names("tls", "tls_edges")).toEqual([]);
  });

  it("a TCP edge is made, turns a visitor away, and is deleted", async () => {
    const { first_tcp_port: port } = await world.manage<{ first_tcp_port: number }>("GET", "/server");
    await page.getByRole("link", { name: "TCP edges" }).click();
    await page.getByRole("button", { name: "New TCP edge" }).first().click();
    await page.getByText(`localhost and a port from ${port} to`).waitFor();
    await page.getByRole("textbox", { name: "Addresses" }).fill("localhost:1");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await page.getByRole("alert").getByText("Port 1 is not one of this server").waitFor();
    await page.getByRole("textbox", { name: "Addresses" }).fill(`localhost:${port}`);
    await page.getByRole("textbox", { name: "Description" }).fill("Database");
    await page.getByRole("button", { name: "Create TCP edge" }).click();
    await page.getByRole("heading", { name: "Database" }).waitFor();
    const [edge] = await names("tcp", "tcp_edges");
    expect(edge?.hostports).toEqual([`localhost:${port}`]);
    await addStage("IP restriction");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await page.getByRole("button", { name: "Add IP restriction" }).click();
    await stage("IP restriction").waitFor();
    await addBackend("tcp", edge?.id ?? "");
    await removeStage("IP restriction");
    await removeStage("Backend");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill("");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { name: `localhost:${port}` }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Delete localhost:${port}?` });
    await dialog.getByText("no longer listen").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no TCP edge yet.").waitFor();
  });
});

async function addBackend(kind: string, edge: string): Promise<void> {
  const group = await world.manage<{ id: string }>("POST", "/backends/tunnel_group", {
    description: `Group of ${kind}`,
    labels: { kind },
  });
  await addStage("Backend");
  await eventually("the backend among the choices", async () => {
    await page.getByRole("combobox", { name: "Backend" }).selectOption(group.id, { timeout: 1000 });
    return true;
  });
  await page.getByRole("button", { name: "Add Backend" }).click();
  await stage("Backend").getByText(`Group of ${kind}`).waitFor();
  expect(await world.manage("GET", `/edges/${kind}/${edge}/backend`)).toMatchObject({
    backend: { id: group.id },
  });
}

describe("with a keyboard alone", () => {
  it("a stage is added, switched off and removed", async () => {
    const { edge, place } = await shop("keys.localhost");
    await go(place);
    await page.getByRole("button", { name: "Add a stage" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.type("Comp");
    await page.keyboard.press("Enter");
    await focused("Compression");
    await tabTo("Add Compression");
    await page.keyboard.press("Enter");
    await stage("Compression").waitFor();
    await focused("Compression");
    await tabTo("Compression enabled");
    await page.keyboard.press("Space");
    await page.getByRole("dialog", { name: "Switch Compression off?" }).waitFor();
    await tabTo("Switch off");
    await page.keyboard.press("Enter");
    await stage("Compression, off").waitFor();
    await focused("Compression enabled");
    await tabTo("Remove Compression");
    await page.keyboard.press("Enter");
    const removal = page.getByRole("dialog", { name: "Remove Compression?" });
    await removal.waitFor();
    await page.keyboard.press("Escape");
    await removal.waitFor({ state: "hidden" });
    await focused("Remove Compression");
    await page.keyboard.press("Enter");
    await removal.waitFor();
    await tabTo("Remove");
    await page.keyboard.press("Enter");
    await removal.waitFor({ state: "hidden" });
    await stage("Compression, off").waitFor({ state: "hidden" });
    expect(await world.manage("GET", place)).toMatchObject({ compression: null });
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

/** What has the focus is called so. */
async function focused(name: string): Promise<void> {
  await eventually(`the focus at “${name}”`, async () => ((await nameOfFocus()) === name ? true : undefined));
}

async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await nameOfFocus()) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`“${name}” is not reached with Tab; the focus is at “${await nameOfFocus()}”`);
}

function nameOfFocus(): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
  });
}

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  it("every page can be read", async () => {
    const filled = {
      ip_restriction: { ip_policy_ids: [policy] },
      circuit_breaker: {},
      compression: { enabled: false },
      request_headers: { add: { "x-edge": "${req.id}" } },
      oauth: {
        provider: { google: { client_id: "app", client_secret: "planted", email_domains: ["example.com"] } },
      },
    };
    const { edge, place } = await shop(`looks-${colorScheme}.localhost`, filled);
    await world.visit(`https://looks-${colorScheme}.localhost:${world.httpsPort}/`);
    await page.emulateMedia({ colorScheme });
    const pages: [name: string, place: string, sign: string][] = [
      ["list", "/edges/https", "looks-"],
      ["new", "/edges/https/new", "One per line"],
      ["edge", `/edges/https/${edge}`, "/…"],
      ["handshake", `/edges/https/${edge}?tab=handshake`, "The routes"],
      ["refused", `/edges/https/${edge}?tab=refused`, "ERR_POSTERN_3203"],
      ["settings", `/edges/https/${edge}?tab=settings`, "Metadata"],
      ["new-route", `/edges/https/${edge}/routes/new`, "Which paths"],
      ["route", place, "Trips at 50 %"],
      ["oauth", `${place}?stage=oauth`, "Redirect URI"],
      ["breaker", `${place}?stage=circuit_breaker`, "Window in which"],
      ["headers", `${place}?stage=request_headers`, "Variables"],
      ["route-settings", `${place}?tab=settings`, "Exactly"],
    ];
    for (const [name, at, sign] of pages) {
      await go(at);
      await page.getByText(sign, { exact: false }).first().waitFor();
      await expectAccessible(page);
      for (const [width, height] of [
        [1280, 800],
        [1920, 1080],
      ] as const) {
        await page.setViewportSize({ width, height });
        await picture(page, `edges-${name}-${width}-${colorScheme}`);
      }
    }
    await world.manage("DELETE", `/edges/https/${edge}`);
  });
});

it.each([
  ["forced", { forcedColors: "active" as const }],
  ["contrast", { contrast: "more" as const }],
])("with %s colours the stages can be told apart", async (name, media) => {
  const { edge, place } = await shop(`${name}.localhost`, {
    compression: { enabled: false },
    circuit_breaker: {},
  });
  await page.emulateMedia({ colorScheme: "light", ...media });
  await go(place);
  await stage("Compression, off").waitFor();
  await stage("Circuit breaker").waitFor();
  await expectAccessible(page);
  await picture(page, `edges-${name}`);
  await page.emulateMedia({ forcedColors: "none", contrast: "no-preference" });
  await world.manage("DELETE", `/edges/https/${edge}`);
});
