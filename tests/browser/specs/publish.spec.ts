// A service is published in one form: every target and every protection, counted in clicks, by mouse and by keyboard.
import { choose } from "../kit/choose";
import { countClicks } from "../kit/clicks";
import { FakeAgent } from "../kit/fake-agent";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, expectAccessible } from "../kit/fixtures";
import { namesOfFocus, tabTo } from "../kit/keys";
import { testWithPublish } from "../kit/publish";

const test = testWithPublish();
test.use({ viewport: { width: 1280, height: 800 } });

const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

test("takes at most six clicks for a tunnel behind a password", async ({ page, publish, world }) => {
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Publish a service" }).click();
  await expect(publish.name).toBeFocused();
  await page.keyboard.type("counted");
  await expect(page.getByRole("radio", { name: /^app=shop/ })).toBeChecked();
  await page.getByText("Password", { exact: true }).click();
  await page.getByRole("textbox", { name: "User name 1" }).click();
  await page.keyboard.type("ada");
  await page.getByRole("textbox", { name: "Password 1" }).click();
  await page.keyboard.type("correct horse");
  await expect(publish.plan).toContainText("Create HTTPS edge counted.localhost:443");
  await expect(publish.plan).toContainText("Create tunnel group app=shop");
  await expect(publish.plan).toContainText("with Basic authentication");
  await publish.submit.click();
  await publish.expectPublished("counted.localhost");
  expect(await clicks()).toBeLessThanOrEqual(6);

  const address = `https://counted.localhost:${world.httpsPort}/`;
  await expect(page.getByRole("link", { name: address })).toBeVisible();
  await expect(page.getByText("One tunnel is connected")).toBeVisible();
  expect((await world.visit(address)).status).toBe(401);
  expect(await world.visit(address, basic("ada", "correct horse"))).toMatchObject({
    status: 200,
    body: "hello from the site\n",
  });
  await page.getByRole("button", { name: "Open the route" }).click();
  await expect(page.getByRole("heading", { name: "/…" })).toBeVisible();
});

test("is reached from the overview, from the edges and from the palette", async ({ page, publish }) => {
  const isOpen = () => expect(page.getByRole("heading", { name: "Publish a service", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Publish a service" }).click();
  await isOpen();
  await publish.go("/edges/https");
  await page.getByRole("button", { name: "Publish a service" }).first().click();
  await isOpen();
  await publish.go("/overview");
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find anything" }).fill("publish");
  await expect(page.getByRole("option", { name: /^Publish a service/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await isOpen();
});

test("works by keyboard alone", async ({ page, publish, world }) => {
  await publish.go();
  await expect(publish.name).toBeFocused();
  await page.keyboard.type("typed");
  await tabTo(page, /^Running tunnel/);
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Fixed response" })).toBeChecked();
  await tabTo(page, "Text");
  await page.keyboard.type("Back soon.");
  await tabTo(page, /^Everyone/);
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Allowed networks" })).toBeChecked();
  await tabTo(page, "Networks");
  await page.keyboard.type("127.0.0.0/8");
  await tabTo(page, "Publish");
  await page.keyboard.press("Enter");
  await publish.expectPublished("typed.localhost");
  expect(await world.visit(`https://typed.localhost:${world.httpsPort}/`)).toMatchObject({
    status: 200,
    body: "Back soon.",
  });
});

test("says what is missing, at the first place that lacks it", async ({ page, publish }) => {
  await publish.open("");
  await publish.lead("Allowed networks");
  await publish.submit.click();
  await expect(page.getByText("Name is required.")).toBeVisible();
  await expect(publish.name).toBeFocused();
  await expect(page.getByText("Enter at least one network.")).toBeVisible();
  await publish.name.fill("https://shop");
  await expect(page.getByText("Enter the name alone")).toBeVisible();
  await publish.name.fill("shop");
  await publish.submit.click();
  await expect(page.getByRole("textbox", { name: "Networks" })).toBeFocused();
  await expectAccessible(page);
  expect(await publish.counts()).toMatchObject({ "/edges/https": 0, "/ip_policies": 0 });
});

test.describe("leads", () => {
  test("to tunnels that are started later", async ({ page, publish }) => {
    await publish.open("later");
    await publish.lead("Tunnels by labels");
    await page.getByRole("textbox", { name: "Key 1" }).fill("team");
    await page.getByRole("textbox", { name: "Value 1" }).fill("web");
    await publish.submit.click();
    await publish.expectPublished("later.localhost");
    await expect(page.getByText("postern tunnel --label team=web localhost:8080")).toBeVisible();
    expect(await publish.records("/backends/tunnel_group")).toMatchObject([{ labels: { team: "web" } }]);
  });

  test("to several addresses by weight", async ({ page, publish, world }) => {
    await publish.open("weighted");
    await publish.lead("Address");
    await page.getByRole("textbox", { name: "Address 1" }).fill(`127.0.0.1:${world.site.port}`);
    await page.getByRole("button", { name: "Add address" }).click();
    await expect(page.getByRole("textbox", { name: "Address 2" })).toBeFocused();
    await page.keyboard.type(`localhost:${world.site.port}`);
    await page.getByRole("textbox", { name: "Weight 2" }).fill("3");
    await expect(publish.plan).toContainText("Create weighted backend");
    await publish.submit.click();
    await publish.expectPublished("weighted.localhost");
    const [weighted] = await publish.records<{ backends: Record<string, number> }>("/backends/weighted");
    expect(Object.values(weighted!.backends).toSorted()).toEqual([1, 3]);
    expect((await world.visit(`https://weighted.localhost:${world.httpsPort}/`)).body).toBe("hello from the site\n");
  });

  test("to a backend and a tunnel group that exist already", async ({ page, publish, world }) => {
    const backend = await world.create("/backends/http_response", { description: "Greeting", body: "hi" });
    await world.create("/backends/tunnel_group", { labels: { app: "shop" } });
    await publish.open("existing");
    await expect(publish.plan).toContainText("Use existing tunnel group");
    await publish.lead("Existing backend");
    await choose(page.getByRole("combobox", { name: "Backend" }), /Greeting/);
    await expect(publish.plan.getByRole("link", { name: "Greeting" })).toBeVisible();
    await publish.submit.click();
    await publish.expectPublished("existing.localhost");
    expect(await publish.routeOf("existing.localhost")).toMatchObject({ backend: { backend: { id: backend } } });
    expect(await publish.records("/backends/tunnel_group")).toHaveLength(1);
  });
});

test.describe("admits", () => {
  test.beforeEach(async ({ publish }) => publish.open("guarded"));

  test("networks, with existing policies", async ({ page, publish, world }) => {
    const policy = await world.create("/ip_policies", { description: "Office" });
    await publish.lead("Allowed networks");
    await page.getByRole("textbox", { name: "Networks" }).fill("192.0.2.0/24\n2001:db8::/32");
    await page.getByRole("checkbox", { name: "Office" }).check();
    await publish.submit.click();
    await publish.expectPublished("guarded.localhost");
    const { ip_restriction: restriction } = (await publish.routeOf("guarded.localhost")) as {
      ip_restriction: { ip_policies: { id: string }[] };
    };
    expect(restriction.ip_policies).toHaveLength(2);
    expect(restriction.ip_policies[0]?.id).toBe(policy);
    expect(await publish.records("/ip_policy_rules")).toHaveLength(2);
    expect((await world.visit(`https://guarded.localhost:${world.httpsPort}/`)).status).toBe(403);
  });

  test("accounts of a provider", async ({ page, publish }) => {
    await publish.lead("Login");
    await choose(page.getByRole("combobox", { name: "Provider" }), "Google");
    await expect(page.getByText("This server has no Google app of its own")).toBeVisible();
    await page.getByRole("textbox", { name: "Client ID" }).fill("app");
    await page.getByRole("textbox", { name: "Client secret" }).fill("planted");
    await page.getByRole("textbox", { name: "Allowed e-mail domains" }).fill("example.com");
    await expect(publish.plan).toContainText("Visitors log in with Google.");
    await publish.submit.click();
    await publish.expectPublished("guarded.localhost");
    await expect(page.getByText("Register this redirect URI at the provider:")).toBeVisible();
    expect(await publish.routeOf("guarded.localhost")).toMatchObject({
      oauth: { enabled: true, provider: { google: { client_id: "app", email_domains: ["example.com"] } } },
    });
  });

  test("accounts of an OpenID provider", async ({ page, publish }) => {
    await publish.lead("Login");
    await choose(page.getByRole("combobox", { name: "Provider" }), /OpenID Connect/);
    await page.getByRole("textbox", { name: "Issuer" }).fill("https://id.example.com");
    await page.getByRole("textbox", { name: "Client ID" }).fill("app");
    await page.getByRole("textbox", { name: "Client secret" }).fill("planted");
    await publish.submit.click();
    await publish.expectPublished("guarded.localhost");
    expect(await publish.routeOf("guarded.localhost")).toMatchObject({
      oidc: { enabled: true, issuer: "https://id.example.com", client_id: "app" },
    });
  });

  test("webhooks that a provider has signed", async ({ page, publish, world }) => {
    await publish.lead("Webhook");
    await choose(page.getByRole("combobox", { name: "Provider" }), "Stripe");
    await page.getByRole("textbox", { name: "Secret", exact: true }).fill("planted");
    await page.getByText("API requests").click();
    const commands = publish.plan.getByRole("region", { name: "curl commands" });
    await expect(commands).toContainText("••••••••");
    await expect(commands).not.toContainText("planted");
    await publish.submit.click();
    await publish.expectPublished("guarded.localhost");
    await expect(page.getByText("as the address of the webhook at the provider")).toBeVisible();
    expect(await publish.routeOf("guarded.localhost")).toMatchObject({
      webhook_verification: { enabled: true, provider: "stripe" },
    });
    expect((await world.visit(`https://guarded.localhost:${world.httpsPort}/`)).status).toBe(403);
  });
});

test("offers the command where no tunnel is connected, and the tunnel once it is", async ({
  page,
  publish,
  world,
}) => {
  await world.api("DELETE", "/api/tunnels/shop");
  await expect
    .poll(async () => (await world.manage<{ tunnels: unknown[] }>("GET", "/tunnels")).tunnels.length)
    .toBe(0);
  await page.reload();
  await expect(page.getByRole("navigation", { name: "Areas" })).toBeVisible();
  await publish.open("waiting");
  await expect(page.getByText("No tunnel with labels is connected.")).toBeVisible();
  await world.api("POST", "/api/tunnels", { name: "shop", labels: ["app=shop"], addr: String(world.site.port) });
  await page.getByRole("radio", { name: /^app=shop/ }).check();
  expect(await namesOfFocus(page)).not.toEqual([]);
  await publish.submit.click();
  await publish.expectPublished("waiting.localhost");
});

test("works in the window of the desktop app, which keeps the key to itself", async ({ page, publish, world }) => {
  const agent = await FakeAgent.start();
  await page.exposeFunction("manageServer", (method: string, path: string, body: string | null) =>
    world.managed(method, path, body),
  );
  await openInDesktop(page, `${agent.url}/index.html#/overview`);
  await page.getByRole("button", { name: "Publish a service" }).click();
  await expect(publish.name).toBeFocused();
  await publish.name.fill("window");
  await publish.lead("Allowed networks");
  await page.getByRole("textbox", { name: "Networks" }).fill("127.0.0.0/8");
  await publish.submit.click();
  await publish.expectPublished("window.localhost");
  expect((await world.visit(`https://window.localhost:${world.httpsPort}/`)).status).toBe(200);
  await agent.stop();
});
