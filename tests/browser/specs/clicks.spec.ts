// How many clicks the usual tasks take, from the first page on. Typing and keys are not counted; docs/clicks.md has the table.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ClickTable, countClicks } from "../kit/clicks";
import { copied } from "../kit/clipboard";
import { createShop } from "../kit/edges";
import { FakeAgent } from "../kit/fake-agent";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, type Page } from "../kit/fixtures";
import { testWithPublish } from "../kit/publish";
import type { World } from "../kit/world";

const test = testWithPublish();
test.use({ viewport: { width: 1280, height: 800 } });

const table = new ClickTable();
test.afterAll(() => console.log(table.toString()));

const overview = (page: Page) => expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
const area = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true }).click();
const tab = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
const title = (page: Page, name: string) => expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();

/** Types into the field that has the focus, which must be this one. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await expect(page.getByLabel(label, { exact: true })).toBeFocused();
  await page.keyboard.insertText(text);
}

/** Goes into a field with the mouse, and types. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click();
  await page.keyboard.insertText(text);
}

async function list<T = Record<string, unknown>>(world: World, path: string, member: string): Promise<T[]> {
  return (await world.manage<Record<string, T[]>>("GET", path))[member] ?? [];
}

/** An edge with one route for everything, such as a publication leaves. */
async function route(world: World, host: string): Promise<string> {
  const backend = await world.create("/backends/http_response", { description: "Greeting", body: "hello" });
  return (await createShop(world, host, backend)).place;
}

test.describe("in the main window", () => {
  test("a running app is published, and gets its first request", async ({ page }) => {
    const agent = await FakeAgent.start();
    agent.visits = 0;
    await openInDesktop(page, `${agent.url}/index.html`);
    await expect(page.getByRole("button", { name: /^8000 python3/ })).toBeVisible();
    const publishing = await countClicks(page);
    await button(page, /^8000 python3/);
    await button(page, "Publish");
    const published = page.getByRole("region", { name: "python3 is published" });
    await expect(published).toBeVisible();
    expect(agent.tunnels).toMatchObject([{ name: "python3", state: "running" }]);
    await table.add("publish a running app", 2, publishing);

    const requesting = await countClicks(page);
    await published.getByRole("button", { name: "Send a sample request" }).click();
    await expect(page.getByText("with the response 200")).toBeVisible();
    expect(agent.heard).toContain("POST /api/configured/python3/sample {}");
    await table.add("first request", 1, requesting);
    await agent.stop();
  });

  test("a second tunnel is added", async ({ page, world, openAgent }) => {
    await openAgent("/index.html");
    const clicks = await countClicks(page);
    await button(page, "Add tunnel");
    await type(page, "Local port or address", String(world.site.port));
    await button(page, "Add and start");
    const card = page.getByRole("article", { name: "Tunnel web", exact: true });
    await expect(card.getByText("Running")).toBeVisible();
    await table.add("second tunnel", 5, clicks);
    const { tunnels } = await world.api<{ tunnels: { name: string; public_url: string }[] }>("GET", "/api/tunnels");
    const address = tunnels.find(({ name }) => name === "web")?.public_url;
    expect((await world.visit(`${address}/`)).status).toBe(200);
    await world.api("DELETE", "/api/configured/web");
  });
});

test.describe("in the inspector", () => {
  const row = (page: Page, path: string) => page.getByRole("row", { name: path });

  test.beforeEach(async ({ page, world, openAgent }) => {
    const url = await world.publish("inspected");
    for (const path of ["/one", "/two"]) await world.visit(`${url}${path}`);
    await openAgent("/");
    await expect(row(page, "/two")).toBeVisible();
  });
  test.afterEach(async ({ world }) => {
    await world.api("DELETE", "/api/tunnels/inspected");
    await world.api("DELETE", "/api/requests/http");
  });

  test("a request is edited, replayed and compared", async ({ page, world }) => {
    const clicks = await countClicks(page);
    await row(page, "/one").click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await type(page, "Method", "");
    await page.keyboard.press("Tab");
    await page.keyboard.type("/changed");
    await button(page, "Send");
    await page.getByRole("region", { name: "Responses" }).getByRole("button", { name: "Compare" }).click();
    await expect(page.getByRole("region", { name: "Differences in the head" })).toBeVisible();
    expect(world.site.heard).toContain("GET /changed");
    await table.add("edit, replay, compare", 4, clicks);
  });

  test("requests are filtered, pinned and noted with a key each", async ({ page, world }) => {
    const clicks = await countClicks(page);
    await page.keyboard.press("/");
    await page.keyboard.type("path:one ");
    await expect(row(page, "/two")).toHaveCount(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.locator("input:focus")).toHaveCount(0);
    await page.keyboard.press("j");
    await page.keyboard.press("m");
    await expect(row(page, "Pinned")).toBeVisible();
    await page.keyboard.press("n");
    await page.getByLabel("Note", { exact: true }).press("x");
    await page.keyboard.press("Control+Enter");
    const { requests } = await world.api<{ requests: unknown[] }>("GET", "/api/requests/http?filter=pinned:yes");
    expect(requests).toHaveLength(1);
    await table.add("filter, pin, note (a key each)", 0, clicks);

    const viewing = await countClicks(page);
    await page.getByRole("button", { name: "Pinned", exact: true }).click();
    await expect(page.getByRole("combobox", { name: "Filter requests" })).toHaveValue("pinned:yes");
    await table.add("built-in view", 1, viewing);
  });

  test("two requests are compared", async ({ page }) => {
    const clicks = await countClicks(page);
    await row(page, "/one").click();
    await row(page, "/two").click({ modifiers: ["Control"] });
    await expect(page.getByRole("region", { name: "Differences in the head" })).toBeVisible();
    await table.add("compare two requests", 2, clicks);
  });

  test("requests are saved as a HAR file", async ({ page }) => {
    const clicks = await countClicks(page);
    await button(page, "Actions on all requests");
    await page.getByRole("menuitem", { name: "Save as HAR…" }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("dialog", { name: "Save as a HAR file" }).getByRole("button", { name: "Save" }).click();
    expect(readFileSync(await (await saving).path(), "utf8")).toContain("/two");
    await table.add("save a HAR file", 3, clicks);
  });

  test("a request is copied as curl", async ({ page }) => {
    const clicks = await countClicks(page);
    await row(page, "/one").click();
    await button(page, "Copy the request as curl");
    await expect.poll(() => copied(page)).toMatch(/^curl [\s\S]*\/one/);
    await table.add("copy as curl", 2, clicks);
  });
});

test.describe("in the console", () => {
  test.beforeEach(({ page }) => overview(page));

  test("a service is published: HTTPS edge, route, tunnel group and password", async ({ page, publish, world }) => {
    const clicks = await countClicks(page);
    await button(page, "Publish a service");
    await expect(publish.name).toBeFocused();
    await page.keyboard.type("counted");
    await page.getByText("Password", { exact: true }).click();
    await fill(page, "User name 1", "ada");
    await fill(page, "Password 1", "correct horse");
    await publish.submit.click();
    await publish.expectPublished("counted.localhost");
    await table.add("HTTPS edge, route, tunnel group, agent", 16, clicks, 6);
    expect((await world.visit(`https://counted.localhost:${world.httpsPort}/`)).status).toBe(401);
  });

  test("a weighted backend is made", async ({ page, world }) => {
    for (const name of ["Old", "New"])
      await world.create("/backends/static", { address: `${name.toLowerCase()}.test:80`, description: name });
    const clicks = await countClicks(page);
    await area(page, "Backends");
    await tab(page, "Weighted backends");
    await button(page, "New weighted backend");
    await button(page, "Add Old");
    await button(page, "Add New");
    await type(page, "Weight of New", "300");
    await expect(page.getByText("75%")).toBeVisible();
    await button(page, "Create weighted backend");
    await expect(page.getByRole("button", { name: "Delete", exact: true })).toBeVisible();
    await table.add("weighted backend", 6, clicks);
    const [made] = await list<{ backends: Record<string, number> }>(world, "/backends/weighted", "backends");
    expect(Object.values(made?.backends ?? {}).toSorted()).toEqual([100, 300]);
  });

  test("an IP policy is made, and put in front of a route", async ({ page, world }) => {
    const place = await route(world, "policy.localhost");
    const clicks = await countClicks(page);
    await area(page, "IP access");
    await button(page, "New IP policy");
    await type(page, "Description", "Office");
    await page.keyboard.press("Enter");
    await title(page, "Office");
    await button(page, "Add rule");
    await type(page, "Network", "192.0.2.0/24");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("row", { name: "allow 192.0.2.0/24" })).toBeVisible();
    await area(page, "Edges");
    await page.getByRole("link", { name: "/…", exact: true }).click();
    await button(page, "Add module");
    await page.getByRole("menuitem", { name: "IP restriction", exact: true }).click();
    await page.getByRole("checkbox", { name: "Office" }).click();
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("switch", { name: "IP restriction enabled" })).toBeVisible();
    await table.add("IP policy on a route", 8, clicks);
    expect(await world.manage("GET", `${place}/ip_restriction`)).toMatchObject({ ip_policies: [{}] });
    expect((await world.visit(`https://policy.localhost:${world.httpsPort}/`)).status).toBe(403);
  });

  test("webhooks of Stripe are verified", async ({ page, world }) => {
    const place = await route(world, "hooks.localhost");
    const clicks = await countClicks(page);
    await area(page, "Edges");
    await page.getByRole("link", { name: "/…", exact: true }).click();
    await button(page, "Add module");
    await page.getByRole("menuitem", { name: "Webhook verification", exact: true }).click();
    const provider = page.getByRole("combobox", { name: "Provider" });
    await expect(provider).toBeFocused();
    await page.keyboard.type("Stripe");
    await expect(provider).toHaveText("Stripe");
    await page.keyboard.press("Tab");
    await type(page, "Secret", "whsec_planted");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("switch", { name: "Webhook verification enabled" })).toBeVisible();
    await table.add("webhook (Stripe)", 4, clicks);
    expect(await world.manage("GET", `${place}/webhook_verification`)).toMatchObject({ provider: "stripe" });
  });

  test("the form of an OAuth login is reached", async ({ page }) => {
    const clicks = await countClicks(page);
    await button(page, "Publish a service");
    await page.getByText("Login", { exact: true }).click();
    await expect(page.getByRole("textbox", { name: "Client ID" })).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Allowed organizations" })).toBeVisible();
    await table.add("OAuth form, until it is reached", 3, clicks);
  });

  test("a TLS certificate is uploaded", async ({ page, world }) => {
    const [key, certificate] = [join(world.folder, "tls.key"), join(world.folder, "tls.pem")];
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate];
    const names = ["-subj", "/CN=tls.test", "-addext", "subjectAltName=DNS:tls.test", "-days", "90"];
    execFileSync("openssl", ["req", "-x509", ...made, ...names], { stdio: "pipe" });
    const clicks = await countClicks(page);
    await area(page, "Certificates");
    await button(page, "Upload a certificate");
    await type(page, "Certificate chain", readFileSync(certificate, "utf8"));
    await fill(page, "Private key", readFileSync(key, "utf8"));
    await expect(page.getByText("The key matches the certificate.")).toBeVisible();
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await title(page, "tls.test");
    await table.add("TLS certificate", 4, clicks);
    expect(await list(world, "/tls_certificates", "tls_certificates")).toHaveLength(1);
  });

  test("an SSH authority is made, and signs a host certificate", async ({ page, world }) => {
    const making = await countClicks(page);
    await area(page, "Certificates");
    await tab(page, "SSH authorities");
    await button(page, "New SSH authority");
    await type(page, "Description", "Our machines");
    await page.keyboard.press("Enter");
    await title(page, "Our machines");
    await table.add("SSH authority", 3, making);

    const path = join(world.folder, "host");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
    const signing = await countClicks(page);
    await area(page, "Certificates");
    await tab(page, "SSH host certificates");
    await button(page, "New SSH host certificate");
    await expect(page.getByRole("combobox", { name: "SSH authority" })).toContainText("Our machines");
    await fill(page, "Public key", readFileSync(`${path}.pub`, "utf8").trim());
    await fill(page, "Host names and addresses", "git.example.test");
    await button(page, "Create SSH host certificate");
    await title(page, "git.example.test");
    await table.add("SSH host certificate", 6, signing);
    expect(await list(world, "/ssh_host_certificates", "ssh_host_certificates")).toMatchObject([
      { principals: ["git.example.test"] },
    ]);
  });

  test("a credential with rules is made, and its token stored", async ({ page, world }) => {
    const clicks = await countClicks(page);
    await area(page, "Credentials");
    await button(page, "New credential");
    await type(page, "Description", "Build machine");
    await fill(page, "Rules", "bind:*.shop.test");
    await page.keyboard.press("Control+Enter");
    const dialog = page.getByRole("dialog", { name: "Store this token now" });
    const token = await dialog.getByLabel("Token").textContent();
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => copied(page)).toBe(token);
    await expect(dialog.getByRole("button", { name: "Done" })).toBeFocused();
    await page.keyboard.press("Enter");
    await title(page, "Build machine");
    await table.add("credential with rules", 4, clicks);
    expect(await list(world, "/credentials", "credentials")).toContainEqual(
      expect.objectContaining({ acl: ["bind:*.shop.test"] }),
    );
  });

  test("what others depend on is deleted from its page", async ({ page, world }) => {
    const policy = await world.create("/ip_policies", { description: "Former office" });
    await world.create("/ip_policy_rules", { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "allow" });
    const place = await route(world, "former.localhost");
    await world.manage("PUT", `${place}/ip_restriction`, { ip_policy_ids: [policy] });
    await area(page, "IP access");
    await page.getByRole("link", { name: "Former office" }).click();
    await title(page, "Former office");
    const clicks = await countClicks(page);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Former office?" });
    await expect(dialog.getByRole("link", { name: /^former\.localhost:443 \// }).first()).toBeVisible();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await title(page, "IP policies");
    await table.add("delete with dependents", 2, clicks);
    expect((await world.managed("GET", `/ip_policies/${policy}`, null)).status).toBe(404);
  });
});
