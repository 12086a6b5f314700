// The first start and the settings: what listens is picked and published, a sample comes through; every topic of the
// settings can be read and changed.
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

it("publishes what was picked, sends a sample request and shows it", async () => {
  agent.visits = 0;
  ({ page, wrong } = await open(browser, `${agent.url}/index.html`));
  const port = (name: RegExp) => page.getByRole("button", { name });
  await port(/^5173 Vite \(node\) HTTP$/).waitFor();
  await port(/^5432 PostgreSQL TCP$/).waitFor();
  await port(/^8000 python3 Unknown protocol$/).click();
  await port(/^8000 python3 HTTP$/).waitFor();
  expect(await page.getByLabel("Local port or address").inputValue()).toBe("8000");
  await expectAccessible(page);
  await picture(page, "first-start");
  await page.getByRole("button", { name: "Publish" }).click();
  const published = page.getByRole("region", { name: "python3 is published" });
  await published.getByRole("button", { name: "Send a sample request" }).click();
  await page.getByText("with the response 200").waitFor();
  await expectAccessible(page);
  await picture(page, "first-request");
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByText("The first request has arrived").waitFor({ state: "detached" });
  expect(agent.heard).toEqual([
    'PUT /api/configured/python3 {"proto":"http","addr":8000}',
    "POST /api/configured/python3/start {}",
    "POST /api/configured/python3/sample {}",
  ]);
});

it("edits the agent's configuration, and saves only what is valid", async () => {
  agent.tunnel({ name: "shop" });
  ({ page, wrong } = await open(browser, `${agent.url}/index.html`));
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Configuration" }).click();
  const text = page.getByRole("textbox", { name: "Agent configuration" });
  const save = page.getByRole("button", { name: "Save" });
  const before = await text.inputValue();
  await text.fill(`${before}servr_addr: x\n`);
  await page.getByText("Did you mean `server_addr`?").waitFor();
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  await expectAccessible(page);
  await picture(page, "settings-configuration");
  await text.fill(`${before}log_level: debug\n`);
  await page.getByText("Did you mean").waitFor({ state: "detached" });
  await save.click();
  await page.getByText("The configuration is saved and active").waitFor();
  expect(agent.configuration).toContain("log_level: debug");
});

it("shows every topic of the settings in the desktop app", async () => {
  agent.tunnel({ name: "shop" });
  const desktop = await openInDesktop(browser, `${agent.url}/index.html#/settings`);
  ({ page, wrong } = desktop);
  const topic = (name: string) => page.getByRole("tab", { name, exact: true }).click();
  await topic("Startup and notifications");
  await page.getByLabel("Start at login").check();
  await expectAccessible(page);
  await picture(page, "settings-manners");
  await topic("Data and logs");
  await expect
    .poll(() => page.getByRole("textbox", { name: "Latest lines of the log" }).inputValue())
    .toContain("agent listens");
  await page.getByText("1.4 MB").waitFor();
  await expectAccessible(page);
  await picture(page, "settings-storage");
  await topic("Diagnosis");
  await page.getByRole("button", { name: "Run the diagnosis" }).click();
  await page.getByRole("cell", { name: "Failed" }).waitFor();
  await expectAccessible(page);
  await picture(page, "settings-diagnosis");
  await topic("Server");
  await page.getByLabel("Another server").check();
  await page.getByLabel("Agent address").fill("tunnel.example.com:443");
  await page.getByLabel("Management API").fill("https://api.example.com");
  await page.getByLabel("API key").fill("a key");
  await page.getByRole("button", { name: "Connect and restart" }).click();
  await page.getByText("The server at https://api.example.com does not answer.").waitFor();
  await expectAccessible(page);
  await picture(page, "settings-server");
  expect(await desktop.calls()).toEqual(expect.arrayContaining(['set_autostart {"on":true}']));
});

it("shows one topic at a time: what the next one holds stands where it will stay", async () => {
  ({ page, wrong } = await openInDesktop(browser, `${agent.url}/index.html#/settings`));
  await page.getByRole("tab", { name: "Configuration" }).waitFor();
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
    await page.getByRole("tabpanel", { name: await tab.innerText() }).waitFor();
    expect(await places()).toEqual(before);
  }
  expect(await page.evaluate(() => [...(window as unknown as { counts: Set<number> }).counts])).toEqual([1]);
});
