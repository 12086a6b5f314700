// The first start and the settings: what listens is picked and published, a sample comes through; every topic of the
// settings can be read and changed.
import type { Page } from "@playwright/test";
import { openInDesktop } from "../kit/fake-desktop";
import { expect, expectAccessible, picture, testWithFakeAgent as test } from "../kit/fixtures";

test("publishes what was picked, sends a sample request and shows it", async ({ page, agent }) => {
  agent.visits = 0;
  await page.goto("/index.html");
  const port = (name: RegExp) => page.getByRole("button", { name });
  await expect(port(/^5173 Vite \(node\) HTTP$/)).toBeVisible();
  await expect(port(/^5432 PostgreSQL TCP$/)).toBeVisible();
  await port(/^8000 python3 Unknown protocol$/).click();
  await expect(port(/^8000 python3 HTTP$/)).toBeVisible();
  await expect(page.getByLabel("Local port or address")).toHaveValue("8000");
  await expectAccessible(page);
  await picture(page, "first-start");
  await page.getByRole("button", { name: "Publish" }).click();
  const published = page.getByRole("region", { name: "python3 is published" });
  await published.getByRole("button", { name: "Send a sample request" }).click();
  await expect(page.getByText("with the response 200")).toBeVisible();
  agent.captures({ path: "/", tunnel: "python3" });
  await expect(page.getByRole("row", { name: "python3" })).toBeVisible();
  await expectAccessible(page);
  await picture(page, "first-request");
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(page.getByText("The first request has arrived")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Request details" })).toBeVisible();
  await expect(page.locator('[role=row][aria-selected="true"]')).toHaveCount(1);
  expect(agent.heard).toEqual([
    'PUT /api/configured/python3 {"proto":"http","addr":8000}',
    "POST /api/configured/python3/start {}",
    "POST /api/configured/python3/sample {}",
  ]);
});

test("edits the agent's configuration, and saves only what is valid", async ({ page, agent }) => {
  agent.tunnel({ name: "shop" });
  await page.goto("/index.html");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Configuration" }).click();
  const text = page.getByRole("textbox", { name: "Agent configuration" });
  const save = page.getByRole("button", { name: "Save" });
  const before = await text.inputValue();
  await text.fill(`${before}servr_addr: x\n`);
  await expect(page.getByText("Did you mean server_addr?")).toBeVisible();
  await expect(save).toHaveAttribute("aria-disabled", "true");
  await expectAccessible(page);
  await picture(page, "settings-configuration");
  await text.fill(`${before}log_level: debug\n`);
  await expect(page.getByText("Did you mean")).toHaveCount(0);
  await save.click();
  await expect(page.getByText("The configuration is saved and active")).toBeVisible();
  expect(agent.configuration).toContain("log_level: debug");
});

test.describe("the settings in the desktop app", () => {
  const topic = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();

  test("show startup and notifications", async ({ page }) => {
    const desktop = await openInDesktop(page, "/index.html#/settings");
    await topic(page, "Startup and notifications");
    await page.getByLabel("Start at login").check();
    await expectAccessible(page);
    await picture(page, "settings-manners");
    expect(await desktop.calls()).toEqual(expect.arrayContaining(['set_autostart {"on":true}']));
  });

  test("show data and logs", async ({ page }) => {
    await openInDesktop(page, "/index.html#/settings");
    await topic(page, "Data and logs");
    await expect(page.getByRole("textbox", { name: "Latest lines of the log" })).toHaveValue(/agent listens/);
    await expect(page.getByText("1.4 MB")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "settings-storage");
  });

  test("run the diagnosis", async ({ page, agent }) => {
    agent.tunnel({ name: "shop" });
    await openInDesktop(page, "/index.html#/settings");
    await topic(page, "Diagnosis");
    await page.getByRole("button", { name: "Run the diagnosis" }).click();
    await expect(page.getByRole("cell", { name: "Failed" })).toBeVisible();
    await expectAccessible(page);
    await picture(page, "settings-diagnosis");
  });

  test("say why another server cannot be used", async ({ page }) => {
    await openInDesktop(page, "/index.html#/settings");
    await topic(page, "Server");
    await page.getByLabel("Another server").check();
    await page.getByLabel("Agent address").fill("tunnel.example.com:443");
    await page.getByLabel("Management API").fill("https://api.example.com");
    await page.getByLabel("API key").fill("a key");
    await page.getByRole("button", { name: "Connect and restart" }).click();
    await expect(page.getByText("The server at https://api.example.com does not answer.")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "settings-server");
  });
});

test("shows one topic at a time: what the next one holds stands where it will stay", async ({ page }) => {
  await openInDesktop(page, "/index.html#/settings");
  await expect(page.getByRole("tab", { name: "Configuration" })).toBeVisible();
  await page.evaluate(() => {
    const shown = () =>
      [...document.querySelectorAll<HTMLElement>("[role=tabpanel]")].filter((it) => it.clientHeight > 0);
    const counts = new Set<number>();
    new MutationObserver(() => counts.add(shown().length)).observe(document.body, {
      childList: true,
      subtree: true,
    });
    Object.assign(window, { counts });
  });
  const tabs = page.getByRole("tab");
  const places = () => tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().left));
  const before = await places();
  for (const tab of await tabs.all()) {
    await tab.click();
    await expect(page.getByRole("tabpanel", { name: await tab.innerText() })).toBeVisible();
    expect(await places()).toEqual(before);
  }
  expect(await page.evaluate(() => [...(window as unknown as { counts: Set<number> }).counts])).toEqual([1]);
});

for (const [width, height] of [
  [1280, 800],
  [1080, 720],
] as const)
  test.describe(`the button for settings in a window of ${width} by ${height}`, () => {
    test.use({ viewport: { width, height } });

    test("leads to all topics in the app", async ({ page, agent }) => {
      agent.tunnel({ name: "shop" });
      await openInDesktop(page, "/index.html");
      await page.getByRole("button", { name: "Settings" }).click();
      await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
      const tabs = page.getByRole("tab");
      await expect(tabs).toHaveCount(7);
      for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 });
    });

    test("opens a dialog in a browser that stays in its place", async ({ page, agent }) => {
      agent.tunnel({ name: "shop" });
      await page.goto("/index.html");
      await page.getByRole("button", { name: "Settings" }).click();
      const dialog = page.getByRole("dialog", { name: "Settings" });
      const tabs = dialog.getByRole("tab");
      await expect(tabs).toHaveCount(4);
      const before = await dialog.boundingBox();
      for (const tab of await tabs.all()) {
        await expect(tab).toBeInViewport({ ratio: 1 });
        await tab.click();
        expect(await dialog.boundingBox()).toEqual(before);
      }
    });
  });
