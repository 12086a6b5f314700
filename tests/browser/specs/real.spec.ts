// The pages against real programs: what a person would do by hand on the first day.
import type { Page } from "@playwright/test";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, expectAccessible, picture, testWithWorld } from "../kit/fixtures";
import { externalAgent } from "../kit/world";

interface Running {
  name: string;
  public_url: string;
}

const test = testWithWorld().extend<{
  /** The address of a saved tunnel named `web` to the site. */
  web: string;
  /** A captured request for `/hello?a=1`, selected in the main window. */
  hello: string;
}>({
  web: async ({ world }, use) => {
    await world.api("PUT", "/api/configured/web", { proto: "http", addr: world.site.port });
    await world.api("POST", "/api/configured/web/start", {});
    const running = async () => (await world.api<{ tunnels: Running[] }>("GET", "/api/tunnels")).tunnels;
    await expect.poll(running).toMatchObject([{ name: "web" }]);
    await use((await running())[0]?.public_url ?? "");
  },
  hello: async ({ web, world, openAgent, page }, use) => {
    const visited = await world.visit(`${web}/hello?a=1`);
    expect(visited).toMatchObject({ status: 200, body: "hello from the site\n" });
    await openAgent("/index.html");
    await page.getByRole("row", { name: "/hello?a=1" }).click();
    await use(web);
  },
});

test.beforeEach(({ world }) => {
  world.site.heard = [];
});

const card = (page: Page, name: string) => page.getByRole("article", { name: `Tunnel ${name}`, exact: true });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test.describe("on a fresh machine", () => {
  test.skip(externalAgent !== null, "the configuration of an agent that runs already is not changed");

  test.afterEach(async ({ world }) => {
    const { tunnels } = await world.api<{ tunnels: { name: string }[] }>("GET", "/api/configured");
    for (const { name } of tunnels) await world.api("DELETE", `/api/configured/${name}`);
    await world.api("DELETE", "/api/requests/http");
  });

  test("publishes a site at an address that can be copied", async ({ page, world, openAgent }) => {
    await openAgent("/index.html");
    await page.getByLabel("Local port or address").fill(String(world.site.port));
    await page.getByRole("button", { name: "Publish" }).click();
    await expect(card(page, "web").getByText("Running")).toBeVisible();
    await card(page, "web").getByRole("button", { name: "Copy the address of web" }).click();
    await expect.poll(() => copied(page)).toMatch(/^https:\/\//);
    expect(readFileSync(world.configuration, "utf8")).toMatch(
      /# a comment that stays[\s\S]*web:[\s\S]*addr:/,
    );
    const visited = await world.visit(`${await copied(page)}/`);
    expect(visited).toMatchObject({ status: 200, body: "hello from the site\n" });
  });

  test("shows the visit", async ({ page, hello: _ }) => {
    await page.getByRole("tab", { name: "Response" }).click();
    await expect(page.getByText("hello from the site")).toBeVisible();
    await page.getByRole("tab", { name: "Headers" }).click();
    await expect(page.getByText("sid=••••••••; Path=/")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "real-main");
  });

  test("replays the visit", async ({ page, world, hello: _ }) => {
    await page.keyboard.press("r");
    const replays = page.getByRole("heading", { name: "Replays" }).locator("..");
    await expect(replays.getByRole("button", { name: "200 OK" })).toBeVisible();
    expect(world.site.heard).toEqual(["GET /hello?a=1", "GET /hello?a=1"]);
  });

  test("gives a curl command that works", async ({ page, world, hello: _ }) => {
    await page.keyboard.press("c");
    await expect.poll(() => copied(page)).toMatch(/^curl/);
    // It names the authority that the agent trusts.
    expect(await copied(page)).toContain(`--cacert ${world.authority}`);
    const { stdout } = await promisify(execFile)("sh", ["-c", await copied(page)]);
    expect(stdout).toBe("hello from the site\n");
    expect(world.site.heard.length).toBe(2);
  });

  test("says that the server is gone, counts down, and has the same address when it is back", async ({
    page,
    world,
    web,
    openAgent,
  }) => {
    test.setTimeout(90_000);
    await openAgent("/index.html");
    await expect(card(page, "web").getByText("https://")).toHaveText(web);
    await world.killServer();
    await expect(page.getByText("Not connected to")).toBeVisible();
    await expect(page.getByRole("timer")).toHaveText(/Next attempt in \d+ s|Trying now/);
    await expect(card(page, "web").getByText("Waiting")).toBeVisible();
    await expect(page.getByText(/ERR_POSTERN_\d+/).first()).toBeVisible();
    await picture(page, "real-offline");
    await world.startServer();
    await expect(page.getByText("Online")).toBeVisible({ timeout: 45_000 });
    await expect(card(page, "web").getByText("Running")).toBeVisible();
    await expect(card(page, "web").getByText("https://")).toHaveText(web);
    expect((await world.visit(`${web}/again`)).status).toBe(200);
    await expect(page.getByRole("row", { name: "/again" })).toBeVisible();
  });

  test("edits, stops and removes a tunnel", async ({ page, world, web: _, openAgent }) => {
    await openAgent("/index.html");
    await page.getByRole("button", { name: "More about web" }).click();
    await page.getByRole("menuitem", { name: "Edit…" }).click();
    await page.getByLabel("Public name").fill("tea-shop");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(card(page, "web").getByText("https://tea-shop.localhost")).toBeVisible();
    await page.getByRole("switch", { name: "web on or off" }).click();
    await expect(card(page, "web").getByText("Stopped")).toBeVisible();
    await page.getByRole("button", { name: "More about web" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    // What is behind an open dialog has no role.
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(card(page, "web")).toHaveCount(0);
    await expect.poll(() => readFileSync(world.configuration, "utf8")).not.toContain("tea-shop");
    expect(readFileSync(world.configuration, "utf8")).toContain("# a comment that stays");
  });

  test("protects a tunnel by a password, which is not asked again when it is edited", async ({
    page,
    world,
    openAgent,
  }) => {
    await world.api("PUT", "/api/configured/other", { proto: "http", addr: world.site.port });
    await openAgent("/index.html");
    await page.getByRole("button", { name: "Add tunnel" }).click();
    await page.getByLabel("Local port or address").fill(String(world.site.port));
    await page.getByRole("radio", { name: "Password" }).check();
    await page.getByLabel("User name 1").fill("ada");
    await page.getByRole("textbox", { name: "Password 1" }).fill("correct horse");
    await page.getByRole("button", { name: "Add and start" }).click();
    await expect(card(page, "web").getByText("Running")).toBeVisible();
    const { tunnels } = await world.api<{ tunnels: Running[] }>("GET", "/api/tunnels");
    const url = tunnels.find(({ name }) => name === "web")?.public_url ?? "";
    const entry = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString("base64")}` });
    expect(await world.visit(`${url}/`)).toMatchObject({ status: 401 });
    expect(await world.visit(`${url}/`, entry("ada:correct horse"))).toMatchObject({ status: 200 });

    await page.getByRole("button", { name: "More about web" }).click();
    await page.getByRole("menuitem", { name: "Edit…" }).click();
    await expect(page.getByRole("textbox", { name: "Password 1" })).toHaveValue("***");
    await page.getByLabel("Allowed networks").fill("127.0.0.0/8\n::1");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect
      .poll(async () => (await world.visit(`${url}/`, entry("ada:correct horse"))).status)
      .toBe(200);
    expect(readFileSync(world.configuration, "utf8")).toContain("ada:correct horse");
    expect(readFileSync(world.configuration, "utf8")).toContain("127.0.0.0/8");
  });

  test("says why a name cannot be had", async ({ page, world, openAgent }) => {
    await world.api("POST", "/api/tunnels", {
      name: "holder",
      proto: "http",
      addr: world.site.port,
      domain: "taken",
    });
    await openAgent("/index.html");
    await page.getByRole("button", { name: "Add tunnel" }).click();
    await page.getByLabel("Local port or address").fill(String(world.site.port));
    await page.getByLabel("Name of the tunnel").fill("second");
    await page.getByLabel("Public name").fill("taken");
    await page.getByRole("button", { name: "Add and start" }).click();
    await expect(card(page, "second").getByText("Failed")).toBeVisible();
    await expect(card(page, "second").getByText("ERR_POSTERN_334")).toBeVisible();
    await expect(card(page, "second").getByText("taken.localhost")).toBeVisible();
    await expect(card(page, "second").getByText("choose another name")).toBeVisible();
    await picture(page, "real-taken");
    await world.api("DELETE", "/api/tunnels/holder");
  });
});

test.describe("with a configuration file that was spoilt", () => {
  test.skip(externalAgent !== null, "the configuration of an agent that runs already is not changed");

  test("says what is wrong and where, and goes on as before", async ({ page, world, openAgent }) => {
    await openAgent("/index.html");
    const good = readFileSync(world.configuration, "utf8");
    writeFileSync(world.configuration, `${good}\nunknown_key: 1\n`);
    await expect(page.getByText("The configuration file has errors")).toBeVisible();
    await expect(page.getByText("unknown_key")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "real-mistakes");
    writeFileSync(world.configuration, good);
    await expect(page.getByText("The configuration file has errors")).toHaveCount(0);
  });
});

test.describe("bodies", () => {
  test("that were packed and chunked are shown decoded", async ({ page, world, openAgent }) => {
    const url = await world.publish("packed");
    await world.visit(`${url}/packed`);
    await openAgent("/");
    await page.getByRole("row", { name: "/packed" }).click();
    await page.getByRole("tab", { name: "Response" }).click();
    await expect(page.getByText("12345678901234567890")).toBeVisible();
    await expect(page.getByText("Decoded from gzip.")).toBeVisible();
    await expectAccessible(page);
    await world.api("DELETE", "/api/tunnels/packed");
  });

  test("that were cut say so", async ({ page, world, openAgent }) => {
    const url = await world.publish("large");
    await world.visit(`${url}/large`);
    await openAgent("/");
    await page.getByRole("row", { name: "/large" }).click();
    await page.getByRole("tab", { name: "Response" }).click();
    await expect(page.getByText("Incomplete: only the beginning of this body was captured.")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "real-inspector");
    await world.api("DELETE", "/api/tunnels/large");
  });
});

test("clears the list for every window at once", async ({ page, context, world, openAgent }) => {
  const url = await world.publish("cleared");
  await world.visit(`${url}/y`);
  await openAgent("/?tunnel=cleared");
  const other = await context.newPage();
  await other.goto("/?tunnel=cleared");
  for (const window of [page, other]) await expect(window.getByRole("row", { name: "/y" })).toBeVisible();
  await world.api("DELETE", "/api/requests/http");
  for (const window of [page, other]) await expect(window.getByRole("row", { name: "/y" })).toHaveCount(0);
  await world.api("DELETE", "/api/tunnels/cleared");
});
