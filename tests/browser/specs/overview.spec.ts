// The overview: the first step where there is nothing, then state, figures, charts, agents and certificates.
import type { Page } from "@playwright/test";
import { expect, expectAccessible, picture, test, testWithWorld } from "../kit/fixtures";

const viewport = { width: 1280, height: 800 };

const figure = (page: Page, label: string) =>
  page.getByRole("list", { name: "Figures" }).getByRole("link", { name: new RegExp(`^${label}`) });

test.describe("on a server that has nothing", () => {
  const test = testWithWorld({ agent: null });
  test.use({ viewport });
  test("is where the console begins, and tells the first step and the next", async ({
    page,
    world,
    openConsole,
  }) => {
    await openConsole();
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    await expect(page.getByText("First step: create a credential for your agent")).toBeVisible();
    await expect(page.getByText("No agent is connected.")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "overview-empty");
    await world.manage("POST", "/credentials", {});
    await expect(page.getByText("Next step: connect an agent")).toBeVisible();
    await expect(page.getByText(/postern http 8080/)).toBeVisible();
  });
});

test.describe("with an agent and visitors", () => {
  const test = testWithWorld().extend<{}, { url: string }>({
    /** The address of a tunnel that has had twelve visitors. */
    url: [
      async ({ world }, use) => {
        const url = await world.publish("web");
        for (let visit = 0; visit < 12; visit += 1) await world.visit(`${url}/page/${visit}`);
        await use(url);
      },
      { scope: "worker" },
    ],
  });
  test.use({ viewport });

  test("counts what passes", async ({ page, openConsole, url }) => {
    await openConsole();
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    await expect(
      page.getByRole("img", { name: /12 requests in the last 60 minutes.*0 failed/ }),
    ).toBeVisible();
    await expect(figure(page, "Agents").filter({ hasText: "1" })).toBeVisible();
    await expect(page.getByRole("table").filter({ hasText: "127.0.0.1" }).getByText("0.1.0")).toBeVisible();
    await expect(page.getByRole("link", { name: url })).toBeVisible();
    await expectAccessible(page);
    await picture(page, "overview");
  });

  test("says whose fault it is when requests fail", async ({ page, world, openConsole, url }) => {
    await openConsole();
    await world.site.stop();
    for (let visit = 0; visit < 6; visit += 1) expect((await world.visit(url)).status).toBe(502);
    await expect(page.getByText("33% of requests fail")).toBeVisible();
    await expect(
      page.getByText(/Since the start most failures were caused by the local service/),
    ).toBeVisible();
    await page.getByRole("radio", { name: "Last minute" }).check();
    await expect(page.getByRole("img", { name: /in the last 60 seconds.*6 failed/ })).toBeVisible();
    await expect(page).toHaveURL(/over=minute/);
    await expectAccessible(page);
    await picture(page, "overview-failing");
    await page.getByRole("link", { name: "Show details" }).first().click();
    await expect(page.getByRole("heading", { name: "Topology" })).toBeVisible();
  });

  test("reads well in the dark", async ({ page, openConsole }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await openConsole();
    await expect(figure(page, "Tunnels")).toBeVisible();
    await expectAccessible(page);
    await picture(page, "overview-dark");
    await page.setViewportSize({ width: 1920, height: 1080 });
    await picture(page, "overview-dark-wide");
  });

  test("says when the server is gone, and goes on when it is back", async ({ page, world, openConsole }) => {
    await openConsole();
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    await world.killServer();
    await expect(page.getByText("The server does not respond")).toBeVisible();
    await world.startServer();
    await expect(page.getByText("The server is reachable")).toBeVisible();
    await expect(figure(page, "Agents")).toContainText("1", { timeout: 30_000 });
  });
});
