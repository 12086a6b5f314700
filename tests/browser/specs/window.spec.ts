// The main window: tunnels are added, switched, changed and removed; what goes wrong is said with what to do.
import type { Page } from "@playwright/test";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, expectAccessible, picture, testWithFakeAgent as test } from "../kit/fixtures";

const card = (page: Page, name: string) => page.getByRole("article", { name: `Tunnel ${name}`, exact: true });

const said = (page: Page, words: string) =>
  page.getByRole("region", { name: "Notifications" }).getByText(words);

test("publishes a first service with one number", async ({ page, agent }) => {
  await page.goto("/index.html");
  await page.getByLabel("Local port or address").fill("80800");
  await page.getByRole("button", { name: "Publish" }).click();
  await expect(page.getByText("A port is a number from 1 to 65535.")).toBeVisible();
  await page.getByLabel("Local port or address").fill("8080");
  await page.keyboard.press("Enter");
  await expect(card(page, "web").getByText("https://web-1234.localhost:4443")).toBeVisible();
  await expect(card(page, "web").getByText("Running")).toBeVisible();
  expect(agent.heard).toEqual([
    'PUT /api/configured/web {"proto":"http","addr":8080}',
    "POST /api/configured/web/start {}",
  ]);
  await card(page, "web").getByRole("button", { name: "Copy the address of web" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("https://web-1234.localhost:4443");
});

test("switches a tunnel on and off", async ({ page, agent }) => {
  agent.tunnel({ name: "shop" });
  await page.goto("/index.html");
  const toggle = page.getByRole("switch", { name: "shop on or off" });
  await toggle.click();
  await expect(card(page, "shop").getByText("Running")).toBeVisible();
  await expect(toggle).toHaveAttribute("aria-checked", "true");
  await toggle.press("Space");
  await expect(card(page, "shop").getByText("Stopped")).toBeVisible();
  expect(agent.heard).toEqual(["POST /api/configured/shop/start {}", "POST /api/configured/shop/stop {}"]);
});

test("says why a tunnel could not start and what to do", async ({ page, agent }) => {
  agent.tunnel({ name: "shop" });
  agent.refusal = {
    status: 502,
    code: "ERR_POSTERN_334",
    message: "The name shop.localhost is already in use.",
  };
  await page.goto("/index.html");
  await page.getByRole("switch", { name: "shop on or off" }).click();
  await expect(card(page, "shop").getByText("The name shop.localhost is already in use.")).toBeVisible();
  await expect(card(page, "shop").getByText("Choose another name")).toBeVisible();
  await expect(card(page, "shop").getByText("ERR_POSTERN_334")).toBeVisible();
});

test("says that the local service of a running tunnel does not run", async ({ page, agent }) => {
  const tunnel = agent.tunnel({
    name: "shop",
    state: "running",
    public_url: "https://shop.localhost:4443",
    service: {
      code: "ERR_POSTERN_8012",
      message: "Nothing listens on http://localhost:9. Start the local service, or correct `addr` of the tunnel.",
    },
  });
  await page.goto("/index.html");
  const card = page.getByRole("article", { name: "Tunnel shop" });
  await expect(card.getByText("No local service")).toBeVisible();
  await expect(card.getByText("Nothing listens on http://localhost:9.")).toBeVisible();
  await expect(card.locator("code", { hasText: /^addr$/ })).toBeVisible();
  await expectAccessible(page);
  tunnel.service = null;
  agent.tellTunnels();
  await expect(card.getByText("Running")).toBeVisible();
  await expect(card.getByText("Nothing listens")).toHaveCount(0);
});

test("edits a tunnel and keeps what it does not know", async ({ page, agent }) => {
  agent.tunnel({ name: "shop", definition: { proto: "http", addr: 8080, basic_auth: ["user:password1"] } });
  await page.goto("/index.html");
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await page.getByLabel("Local port or address").fill("localhost:9090");
  await page.getByLabel("Public name").fill("tea");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(card(page, "shop").getByText("localhost:9090")).toBeVisible();
  expect(agent.tunnels[0]?.definition).toEqual({
    basic_auth: ["user:password1"],
    proto: "http",
    addr: "localhost:9090",
    domain: "tea",
  });
});

test("adds a TCP tunnel and refuses a name that is taken", async ({ page, agent }) => {
  agent.tunnel({ name: "db" });
  await page.goto("/index.html");
  await page.getByRole("button", { name: "Add tunnel" }).click();
  await page.getByLabel("Local port or address").fill("5432");
  await page.getByRole("radio", { name: "TCP" }).check();
  await page.getByLabel("Name of the tunnel").fill("db");
  await page.getByRole("button", { name: "Add and start" }).click();
  await expect(page.getByText("Another tunnel has this name.")).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")))
    .toBe("true");
  await page.getByLabel("Name of the tunnel").fill("postgres");
  await page.getByRole("button", { name: "Add and start" }).click();
  await expect(card(page, "postgres").getByText("tcp://localhost:24010")).toBeVisible();
});

test("protects a tunnel by passwords and networks, and changes that later", async ({ page, agent }) => {
  await page.goto("/index.html");
  agent.tunnel({ name: "other" });
  await page.reload();
  await page.getByRole("button", { name: "Add tunnel" }).click();
  await page.getByLabel("Local port or address").fill("8080");
  await page.getByRole("radio", { name: "Password" }).check();
  await page.getByLabel("User name 1").fill("ada");
  await page.getByRole("textbox", { name: "Password 1" }).fill("short");
  await page.getByLabel("Allowed networks").fill("10.1.2.3/8");
  await page.getByRole("button", { name: "Add and start" }).click();
  await expect(page.getByText("The password of “ada” is too short")).toBeVisible();
  await expect(page.getByText("Did you mean 10.0.0.0/8?")).toBeVisible();
  await expectAccessible(page);
  await picture(page, "window-protection");
  await page.getByRole("textbox", { name: "Password 1" }).fill("correct horse");
  await page.getByLabel("Allowed networks").fill("10.0.0.0/8");
  await page.getByRole("button", { name: "Add and start" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const protectedBy = () => agent.tunnels.find(({ name }) => name === "web")?.definition;
  expect(protectedBy()).toMatchObject({
    basic_auth: ["ada:correct horse"],
    ip_restriction: { allow_cidrs: ["10.0.0.0/8"] },
  });

  await page.getByRole("button", { name: "More about web" }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await expect(page.getByLabel("User name 1")).toHaveValue("ada");
  await page.getByRole("radio", { name: "Webhook" }).check();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Secret" }).fill("whsec");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(protectedBy()).toMatchObject({ verify_webhook: { provider: "github", secret: "whsec" } });
  expect(protectedBy()).not.toHaveProperty("basic_auth");
});

test("removes a tunnel only after asking", async ({ page, agent }) => {
  agent.tunnel({ name: "shop" });
  await page.goto("/index.html");
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await expect(page.getByRole("dialog", { name: "Remove shop?" })).toBeVisible();
  await page.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByRole("heading", { name: "Publish a local service" })).toBeVisible();
  expect(agent.heard).toEqual(["DELETE /api/configured/shop "]);
});

test("counts down to the next try and clears up by itself", async ({ page, agent }) => {
  agent.tunnel({ name: "shop", state: "starting" });
  const online = agent.session;
  agent.session = {
    ...online,
    state: "waiting",
    reason: { code: "ERR_POSTERN_8112", message: "The server at localhost:4443 refused the connection." },
    next_try: new Date(Date.now() + 9_500).toISOString(),
    attempt: 3,
  };
  await page.goto("/index.html");
  const timer = page.getByRole("timer");
  await expect(timer).toHaveText(/Next attempt in [1-9] s/);
  const first = (await timer.textContent()) ?? "";
  await expect(timer).not.toHaveText(first);
  await expect(card(page, "shop").getByText("next attempt in")).toBeVisible();
  await expect(page.getByText("ERR_POSTERN_8112")).toBeVisible();
  agent.session = online;
  agent.tellStatus();
  await expect(page.getByText("Not connected to localhost:4443")).toHaveCount(0);
  await expect(page.getByText("Online")).toBeVisible();
});

test("shows a tunnel's requests on one side and hands over to the inspector", async ({ page, agent }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://shop.localhost:4443" });
  agent.captures({ path: "/a", tunnel: "other" });
  agent.captures({ path: "/b", tunnel: "shop" });
  await page.goto("/index.html");
  await expect(page.getByRole("row", { name: "/a" })).toBeVisible();
  await page.getByRole("button", { name: "More about shop" }).click();
  await page.getByRole("menuitem", { name: "Show its requests" }).click();
  await expect(page.getByRole("row", { name: "/a" })).toHaveCount(0);
  await page.getByRole("row", { name: "/b" }).click();
  await page.getByRole("button", { name: "Inspector" }).click();
  await expect(page).toHaveURL(/inspector\.html\?request=/);
  await expect(page.getByRole("heading", { name: "/b" })).toBeVisible();
});

test("offers trust with the first https address, tells what came of it, and undoes it", async ({
  page,
  agent,
}) => {
  agent.tunnel({ name: "shop" });
  const desktop = await openInDesktop(page, "/index.html");
  await expect(page.getByRole("switch", { name: "shop on or off" })).toBeVisible();
  await expect(page.getByText("Trust the local certificate authority?")).toHaveCount(0);
  await page.getByRole("switch", { name: "shop on or off" }).click();
  await expect(page.getByText("Trust the local certificate authority?")).toBeVisible();
  await expect(page.getByText("anyone with that key can impersonate any site")).toBeVisible();
  await expectAccessible(page);
  await picture(page, "desktop-trust");
  await page.getByRole("button", { name: "Trust", exact: true }).click();
  await expect(said(page, "Firefox and Chromium trust the authority.")).toBeVisible();
  await expect(said(page, "The system store needs an administrator.")).toBeVisible();
  await expect(page.getByText("Trust the local certificate authority?")).toHaveCount(0);
  await page.getByRole("button", { name: "Settings" }).click();
  await expect(page.getByText("No keychain service was found")).toBeVisible();
  await expectAccessible(page);
  await picture(page, "desktop-settings");
  await page.getByRole("button", { name: "Remove trust everywhere" }).click();
  await expect(said(page, "The authority was taken out of the browsers.")).toBeVisible();
  expect(await desktop.calls()).toEqual(
    expect.arrayContaining(['trust_authority {"where":"both"}', "untrust_authority {}"]),
  );
});

test("does not offer trust again after “Not now”", async ({ page, agent }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://shop.localhost:4443" });
  await openInDesktop(page, "/index.html");
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(page.getByText("Trust the local certificate authority?")).toHaveCount(0);
});

test("says when the app's own server does not run, and starts it again on request", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  const desktop = await openInDesktop(page, "/index.html", {
    server: {
      state: "failed",
      pid: null,
      error: {
        code: "ERR_POSTERN_8114",
        message: "The address 127.0.0.1:4443 is in use by another program.",
      },
      next_try: new Date(Date.now() + 20_000).toISOString(),
    },
  });
  await expect(page.getByText("The local server is not running")).toBeVisible();
  await expect(page.getByText("Another program uses this port.")).toBeVisible();
  await expect(page.getByText(/Next attempt in 1\d s/)).toBeVisible();
  await expectAccessible(page);
  await picture(page, "desktop-failed");
  await page.getByRole("button", { name: "Restart the local server" }).click();
  await expect.poll(() => desktop.calls()).toContain('restart_part {"part":"server"}');
});
