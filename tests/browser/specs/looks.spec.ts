// Every state of both pages in both colour schemes and at every width: pictures to look at, axe finds nothing,
// the content security policy is never violated.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { exchange, ordinary } from "../kit/captured";
import { FakeAgent } from "../kit/fake-agent";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const schemes = ["light", "dark"] as const;
const sizes = {
  wide: { width: 1180, height: 760 },
  small: { width: 900, height: 600 },
  narrow: { width: 480, height: 760 },
};

async function shop(): Promise<FakeAgent> {
  const agent = await FakeAgent.start();
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  agent.tunnel({
    name: "postgres",
    definition: { proto: "tcp", addr: 5432 },
    state: "running",
    public_url: "tcp://localhost:24010",
  });
  agent.tunnel({
    name: "admin",
    definition: { proto: "http", addr: "https://localhost:8443", domain: "admin" },
  });
  agent.tunnel({
    name: "blog",
    definition: { proto: "http", addr: 4000, domain: "blog" },
    state: "failed",
    error: {
      code: "ERR_POSTERN_334",
      message: "The name blog.localhost is already in use by another agent.",
    },
  });
  for (const captured of ordinary()) agent.captures(captured);
  return agent;
}

// Judging a page takes long on a machine with much else to do.
describe.each(schemes)("in %s colours", { timeout: 180_000 }, (colorScheme) => {
  it("shows the main window at every width", async () => {
    const agent = await shop();
    for (const [name, viewport] of Object.entries(sizes)) {
      const { page, wrong } = await open(browser, `${agent.url}/index.html`, { colorScheme, viewport });
      await page.getByRole("heading", { name: "shop" }).waitFor();
      await page.getByText("128 requests").waitFor();
      await expectAccessible(page);
      await picture(page, `main-${name}-${colorScheme}`);
      if (name === "narrow")
        await page.getByRole("navigation").getByRole("button", { name: "Requests" }).click();
      await page.getByRole("row", { name: "/api/orders?limit" }).click();
      await page.getByRole("heading", { name: "/api/orders" }).waitFor();
      await page.getByText("203.0.113.7", { exact: true }).waitFor();
      await expectAccessible(page);
      await picture(page, `main-detail-${name}-${colorScheme}`);
      expect(wrong).toEqual([]);
      await page.context().close();
    }
    await agent.stop();
  });

  it("shows every tab of a request", async () => {
    const agent = await shop();
    const { page, wrong } = await open(browser, agent.url, { colorScheme, viewport: sizes.wide });
    await page.getByRole("row", { name: "POST /api/orders" }).click();
    for (const tab of ["Overview", "Request", "Response", "Headers", "Raw"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
      await expectAccessible(page);
      await picture(page, `inspector-${tab.toLowerCase()}-${colorScheme}`);
    }
    expect(wrong).toEqual([]);
    await page.context().close();
    await agent.stop();
  });

  it("shows bodies of several kinds", async () => {
    const agent = await shop();
    const { page, wrong } = await open(browser, agent.url, { colorScheme, viewport: sizes.wide });
    await page.getByRole("row", { name: "POST /api/orders" }).click();
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByRole("button", { name: "Tree" }).click();
    await page.getByRole("treeitem").first().waitFor();
    await expectAccessible(page);
    await picture(page, `inspector-tree-${colorScheme}`);
    await page.getByRole("row", { name: "/webhooks/payments" }).click();
    await page.getByText("Not valid JSON: line 3, column 3").waitFor();
    await expectAccessible(page);
    await picture(page, `inspector-mistake-${colorScheme}`);
    await page.getByRole("row", { name: "catalogue.bin" }).click();
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByText("Incomplete: only the beginning").waitFor();
    await expectAccessible(page);
    await picture(page, `inspector-hex-${colorScheme}`);
    await page.getByRole("row", { name: "leaf.png" }).click();
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByRole("img", { name: "response body" }).waitFor();
    await expectAccessible(page);
    await picture(page, `inspector-image-${colorScheme}`);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Shortcuts and filters" }).waitFor();
    await expectAccessible(page);
    await picture(page, `inspector-keys-${colorScheme}`);
    expect(wrong).toEqual([]);
    await page.context().close();
    await agent.stop();
  }, 150_000);

  it("shows what is not as it should be", async () => {
    const agent = await shop();
    agent.session = {
      ...agent.session,
      state: "waiting",
      reason: { code: "ERR_POSTERN_8112", message: "The server at localhost:4443 refused the connection." },
      next_try: new Date(Date.now() + 14_000).toISOString(),
      attempt: 4,
      legs: [],
    };
    const { page, wrong } = await open(browser, `${agent.url}/index.html`, {
      colorScheme,
      viewport: sizes.small,
    });
    await page
      .getByText(/Next attempt in \d+ s/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await picture(page, `main-offline-${colorScheme}`);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    await expectAccessible(page);
    await picture(page, `main-settings-${colorScheme}`);
    expect(wrong).toEqual([]);
    await page.context().close();
    await agent.stop();
  });

  it("shows the first run and the dialogs", async () => {
    const agent = await FakeAgent.start();
    const { page, wrong } = await open(browser, `${agent.url}/index.html`, {
      colorScheme,
      viewport: sizes.small,
    });
    await page.getByRole("heading", { name: "Publish a local service" }).waitFor();
    await expectAccessible(page);
    await picture(page, `main-first-${colorScheme}`);
    await page.getByRole("button", { name: "Add a TCP tunnel" }).click();
    await page.getByRole("button", { name: "Add and start" }).click();
    await page.getByText("Enter the port or address of the local service").waitFor();
    await expectAccessible(page);
    await picture(page, `main-add-${colorScheme}`);
    expect(wrong).toEqual([]);
    await page.context().close();
    await agent.stop();
  });
});

describe("for people with particular settings", () => {
  it.each([
    ["forced", { forcedColors: "active" as const }],
    ["contrast", { contrast: "more" as const }],
  ])("works with %s colours", async (name, options) => {
    const agent = await shop();
    agent.captures(exchange({ path: "/last" }));
    const { page, wrong } = await open(browser, `${agent.url}/index.html`, options);
    await page.getByRole("row", { name: "/last" }).click();
    await page.getByRole("tab", { name: "Headers" }).click();
    await expectAccessible(page);
    await picture(page, `main-${name}`);
    expect(wrong).toEqual([]);
    await page.context().close();
    await agent.stop();
  });
});
