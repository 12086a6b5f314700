// The main window: tunnels are added, switched, changed and removed; what goes wrong is said with what to do.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { FakeAgent } from "../kit/fake-agent";
import { openInDesktop } from "../kit/fake-desktop";

let browser: Browser;
let agent: FakeAgent;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  agent = await FakeAgent.start();
});
afterEach(async () => {
  await page.context().close();
  await agent.stop();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(): Promise<void> {
  ({ page, wrong } = await open(browser, `${agent.url}/index.html`));
}

const card = (name: string) => page.getByRole("article", { name: `Tunnel ${name}`, exact: true });

const said = (words: string) => page.getByRole("region", { name: "Notifications" }).getByText(words);

it("publishes a first service with one number", async () => {
  await show();
  await page.getByLabel("Local port or address").fill("80800");
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByText("A port is a number from 1 to 65535.").waitFor();
  await page.getByLabel("Local port or address").fill("8080");
  await page.keyboard.press("Enter");
  await card("web").getByText("https://web-1234.localhost:4443").waitFor();
  await card("web").getByText("Running").waitFor();
  expect(agent.heard).toEqual([
    'PUT /api/configured/web {"proto":"http","addr":8080}',
    "POST /api/configured/web/start {}",
  ]);
  await card("web").getByRole("button", { name: "Copy the address of web" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("https://web-1234.localhost:4443");
});

it("switches a tunnel on and off", async () => {
  agent.tunnel({ name: "shop" });
  await show();
  const toggle = page.getByRole("switch", { name: "shop on or off" });
  await toggle.click();
  await card("shop").getByText("Running").waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("true");
  await toggle.press("Space");
  await card("shop").getByText("Stopped").waitFor();
  expect(agent.heard).toEqual(["POST /api/configured/shop/start {}", "POST /api/configured/shop/stop {}"]);
});

it("says why a tunnel could not start and what to do", async () => {
  agent.tunnel({ name: "shop" });
  agent.refusal = {
    status: 502,
    code: "ERR_POSTERN_334",
    message: "The name shop.localhost is already in use.",
  };
  await show();
  await page.getByRole("switch", { name: "shop on or off" }).click();
  await card("shop").getByText("The name shop.localhost is already in use.").waitFor();
  await card("shop").getByText("Choose another name").waitFor();
  await card("shop").getByText("ERR_POSTERN_334").waitFor();
});

it("edits a tunnel and keeps what it does not know", async () => {
  agent.tunnel({ name: "shop", definition: { proto: "http", addr: 8080, basic_auth: ["user:password1"] } });
  await show();
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await page.getByLabel("Local port or address").fill("localhost:9090");
  await page.getByLabel("Public name").fill("tea");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await card("shop").getByText("localhost:9090").waitFor();
  expect(agent.tunnels[0]?.definition).toEqual({
    basic_auth: ["user:password1"],
    proto: "http",
    addr: "localhost:9090",
    domain: "tea",
  });
});

it("adds a TCP tunnel and refuses a name that is taken", async () => {
  agent.tunnel({ name: "db" });
  await show();
  await page.getByRole("button", { name: "Add tunnel" }).click();
  await page.getByLabel("Local port or address").fill("5432");
  await page.getByRole("radio", { name: "TCP" }).check();
  await page.getByLabel("Name of the tunnel").fill("db");
  await page.getByRole("button", { name: "Add and start" }).click();
  await page.getByText("Another tunnel has this name.").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")))
    .toBe("true");
  await page.getByLabel("Name of the tunnel").fill("postgres");
  await page.getByRole("button", { name: "Add and start" }).click();
  await card("postgres").getByText("tcp://localhost:24010").waitFor();
});

it("removes a tunnel only after asking", async () => {
  agent.tunnel({ name: "shop" });
  await show();
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("dialog", { name: "Remove shop?" }).waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { name: "Publish a local service" }).waitFor();
  expect(agent.heard).toEqual(["DELETE /api/configured/shop "]);
});

it("counts down to the next try and clears up by itself", async () => {
  agent.tunnel({ name: "shop", state: "starting" });
  const online = agent.session;
  agent.session = {
    ...online,
    state: "waiting",
    reason: { code: "ERR_POSTERN_8112", message: "The server at localhost:4443 refused the connection." },
    next_try: new Date(Date.now() + 9_500).toISOString(),
    attempt: 3,
  };
  await show();
  const timer = page.getByRole("timer");
  await expect.poll(() => timer.textContent()).toMatch(/Next attempt in [1-9] s/);
  const first = await timer.textContent();
  await expect.poll(() => timer.textContent()).not.toBe(first);
  await card("shop").getByText("next attempt in").waitFor();
  await page.getByText("ERR_POSTERN_8112").waitFor();
  agent.session = online;
  agent.tellStatus();
  await page.getByText("Not connected to localhost:4443").waitFor({ state: "detached" });
  await page.getByText("Online").waitFor();
});

it("shows a tunnel's requests on one side and hands over to the inspector", async () => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://shop.localhost:4443" });
  agent.captures({ path: "/a", tunnel: "other" });
  agent.captures({ path: "/b", tunnel: "shop" });
  await show();
  await page.getByRole("row", { name: "/a" }).waitFor();
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Show its requests" }).click();
  await page.getByRole("row", { name: "/a" }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: "/b" }).click();
  await page.getByRole("button", { name: "Inspector" }).click();
  await page.waitForURL(/inspector\.html\?request=/);
  await page.getByRole("heading", { name: "/b" }).waitFor();
});

it("offers trust with the first https address, tells what came of it, and undoes it", async () => {
  agent.tunnel({ name: "shop" });
  const desktop = await openInDesktop(browser, `${agent.url}/index.html`);
  ({ page, wrong } = desktop);
  await page.getByRole("switch", { name: "shop on or off" }).waitFor();
  expect(await page.getByText("Let this computer trust").count()).toBe(0);
  await page.getByRole("switch", { name: "shop on or off" }).click();
  await page.getByText("Let this computer trust your https addresses?").waitFor();
  await page.getByText("anyone with that key can impersonate any site").waitFor();
  await expectAccessible(page);
  await picture(page, "desktop-trust");
  await page.getByRole("button", { name: "Trust the local authority" }).click();
  await said("Firefox and Chromium trust the authority.").waitFor();
  await said("The system store needs an administrator.").waitFor();
  await page.getByText("Let this computer trust").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("No keychain service was found").waitFor();
  await expectAccessible(page);
  await picture(page, "desktop-settings");
  await page.getByRole("button", { name: "Remove trust everywhere" }).click();
  await said("The authority was taken out of the browsers.").waitFor();
  expect(await desktop.calls()).toEqual(
    expect.arrayContaining(['trust_authority {"where":"both"}', "untrust_authority {}"]),
  );
});

it("does not offer trust again after “Not now”", async () => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://shop.localhost:4443" });
  ({ page, wrong } = await openInDesktop(browser, `${agent.url}/index.html`));
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByText("Let this computer trust").waitFor({ state: "detached" });
});

it("says when the app's own server does not run, and starts it again on request", async () => {
  const desktop = await openInDesktop(
    browser,
    `${agent.url}/index.html`,
    {
      server: {
        state: "failed",
        pid: null,
        error: {
          code: "ERR_POSTERN_8114",
          message: "The address 127.0.0.1:4443 is in use by another program.",
        },
        next_try: new Date(Date.now() + 20_000).toISOString(),
      },
    },
    { colorScheme: "dark" },
  );
  ({ page, wrong } = desktop);
  await page.getByText("The local server is not running").waitFor();
  await page.getByText("Another program uses this port.").waitFor();
  await page.getByText(/Next attempt in 1\d s/).waitFor();
  await expectAccessible(page);
  await picture(page, "desktop-failed");
  await page.getByRole("button", { name: "Restart the local server" }).click();
  await expect.poll(() => desktop.calls()).toContain('restart_part {"part":"server"}');
});
