// A publication that stops midway: nothing is left behind silently, and nothing that was typed is lost.
import { signIn, signOut } from "../kit/console";
import { expect, expectAccessible, picture, type Page } from "../kit/fixtures";
import { testWithPublish } from "../kit/publish";

const test = testWithPublish();
test.use({ viewport: { width: 1280, height: 800 } });

/** The next call for a path is refused, or its response is lost after it took effect. */
async function breakNext(page: Page, path: string, how: "refused" | "lost"): Promise<void> {
  let isBroken = true;
  await page.route(
    (url) => url.pathname.endsWith(path),
    async (route) => {
      if (!isBroken || route.request().method() !== "POST") return route.fallback();
      isBroken = false;
      if (how === "lost") {
        await route.fetch();
        return route.abort();
      }
      const details = { code: "ERR_POSTERN_7001", field: "labels" };
      return route.fulfill({
        status: 400,
        json: { error_code: "ERR_POSTERN_7001", status_code: 400, msg: "These labels are not wanted.", details },
      });
    },
  );
}

const stopped = (page: Page) => page.getByRole("alert").filter({ hasText: "Publishing stopped" });
const resume = (page: Page) => page.getByRole("button", { name: "Continue", exact: true });

test("shows a taken name at the name, and creates nothing", async ({ page, publish, world }) => {
  await world.create("/edges/https", { hostports: ["taken.localhost:443"] });
  await publish.open("taken");
  await publish.submit.click();
  await expect(page.getByRole("alert").getByText("The server refused the request")).toBeVisible();
  await expect(publish.name).toBeFocused();
  await expect(publish.name).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
  expect(await publish.counts()).toMatchObject({ "/edges/https": 1, "/backends/tunnel_group": 0 });
  await publish.name.fill("free");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await publish.submit.click();
  await publish.expectPublished("free.localhost");
});

test.describe("refused midway", () => {
  test.beforeEach(async ({ page, publish }) => {
    await publish.open("half");
    await breakNext(page, "/backends/tunnel_group", "refused");
    await publish.submit.click();
    await expect(stopped(page)).toContainText("1 of 3 records are created");
  });

  test("says what was created, what failed and why, and what visitors get", async ({ page, publish, world }) => {
    await expect(stopped(page)).toContainText("Tunnel group app=shop could not be created");
    await expect(stopped(page)).toContainText("These labels are not wanted.");
    await expect(stopped(page).getByRole("link", { name: "half.localhost:443" })).toBeVisible();
    await expect(stopped(page)).toContainText("get 404");
    await expect(publish.plan).toContainText("Created: HTTPS edge half.localhost:443");
    await expect(publish.plan).toContainText("Not created: tunnel group app=shop");
    expect((await world.visit(`https://half.localhost:${world.httpsPort}/`)).status).toBe(404);
    await expectAccessible(page);
    await picture(page, "publish-stopped");
  });

  test("is continued", async ({ page, publish, world }) => {
    await resume(page).click();
    await publish.expectPublished("half.localhost");
    expect(await publish.counts()).toMatchObject({ "/edges/https": 1, "/backends/tunnel_group": 1 });
    expect((await world.visit(`https://half.localhost:${world.httpsPort}/`)).status).toBe(200);
  });

  test("is continued under another name, without the edge of the former one", async ({ page, publish }) => {
    await publish.name.fill("whole");
    await expect(publish.plan).toContainText("Remove HTTPS edge half.localhost:443");
    await resume(page).click();
    await publish.expectPublished("whole.localhost");
    expect(await publish.records("/edges/https")).toMatchObject([{ hostports: ["whole.localhost:443"] }]);
  });

  test("is removed, and what was typed stays", async ({ page, publish }) => {
    await page.getByRole("button", { name: "Remove what was created" }).click();
    await expect(page.getByText("Everything that was created is removed")).toBeVisible();
    expect(Object.values(await publish.counts()).every((count) => count === 0)).toBe(true);
    await expect(publish.name).toHaveValue("half");
    await expect(stopped(page)).toHaveCount(0);
  });

  test("is remembered on other pages and after a reload", async ({ page, publish }) => {
    await publish.go("/overview");
    await expect(page.getByText("half.localhost:443 is published only in part")).toBeVisible();
    await page.reload();
    await page.getByRole("button", { name: "Continue or remove it" }).click();
    await expect(stopped(page)).toContainText("1 of 3 records are created");
    await resume(page).click();
    await publish.expectPublished("half.localhost");
    expect(await publish.counts()).toMatchObject({ "/edges/https": 1, "/backends/tunnel_group": 1 });
    await publish.go("/overview");
    await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
    await expect(page.getByText("is published only in part")).toHaveCount(0);
  });
});

for (const path of ["/edges/https", "/backends/tunnel_group", "/routes"])
  test(`looks for what a lost response of ${path} has created`, async ({ page, publish }) => {
    await publish.open("lost");
    await breakNext(page, path, "lost");
    await publish.submit.click();
    await expect(stopped(page)).toContainText("because the response was lost");
    await resume(page).click();
    await publish.expectPublished("lost.localhost");
    expect(await publish.counts()).toMatchObject({ "/edges/https": 1, "/backends/tunnel_group": 1 });
    await publish.routeOf("lost.localhost");
  });

test("removes what a lost response has created", async ({ page, publish }) => {
  await publish.open("lost");
  await breakNext(page, "/backends/tunnel_group", "lost");
  await publish.submit.click();
  await expect(stopped(page)).toBeVisible();
  await page.getByRole("button", { name: "Remove what was created" }).click();
  await expect(page.getByText("Everything that was created is removed")).toBeVisible();
  expect(Object.values(await publish.counts()).every((count) => count === 0)).toBe(true);
});

test("keeps what was typed on other pages, and beyond a reload without the secrets", async ({
  page,
  publish,
  world,
}) => {
  await publish.open("draft");
  await publish.lead("Password");
  await page.getByRole("textbox", { name: "User name 1" }).fill("ada");
  await page.getByRole("textbox", { name: "Password 1" }).fill("correct horse");
  await publish.go("/overview");
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  await publish.go();
  await expect(publish.name).toHaveValue("draft");
  await expect(page.getByRole("textbox", { name: "Password 1" })).toHaveValue("correct horse");
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain("correct horse");
  await page.reload();
  await expect(publish.name).toHaveValue("draft");
  await expect(page.getByRole("textbox", { name: "User name 1" })).toHaveValue("ada");
  await expect(page.getByRole("textbox", { name: "Password 1" })).toHaveValue("");
  await page.getByRole("button", { name: "Discard it" }).click();
  await expect(publish.name).toHaveValue("");
  await publish.name.fill("other");
  await signOut(page);
  await signIn(page, world.key);
  await expect(publish.name).toHaveValue("");
});
