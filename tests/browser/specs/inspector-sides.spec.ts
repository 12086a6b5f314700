// Both bodies of a request in one view, the search in them, and tabs that only some requests have.
import type { Page } from "@playwright/test";
import { ordinary } from "../kit/captured";
import { expect, expectAccessible, picture, testWithFakeAgent as test } from "../kit/fixtures";

test.use({ contextOptions: { reducedMotion: "reduce" } });

test.beforeEach(async ({ agent, page }) => {
  agent.tunnel({ name: "shop", state: "running", public_url: "https://amber-fox-1234.localhost:4443" });
  for (const captured of ordinary()) agent.captures(captured);
  await page.goto("/");
  await expect(page.getByText("Online")).toBeVisible();
});

const side = (page: Page, name: string) => page.getByRole("region", { name: `${name} body`, exact: true });
const order = (page: Page) => page.getByRole("row", { name: /POST \/api\/orders/ });

test.describe("in a wide window", () => {
  test.use({ viewport: { width: 1920, height: 1080 } });

  for (const colorScheme of ["light", "dark"] as const)
    test(`both bodies are beside each other, above the facts (${colorScheme})`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await order(page).click();
      await expect(side(page, "Request").getByRole("treeitem", { name: /customer/ })).toBeVisible();
      await expect(
        side(page, "Response").getByRole("treeitem", { name: /"state": "accepted"/ }),
      ).toBeVisible();
      const [request, response] = [
        await side(page, "Request").boundingBox(),
        await side(page, "Response").boundingBox(),
      ];
      expect(request?.y).toBe(response?.y);
      expect(request?.x ?? 0).toBeLessThan(response?.x ?? 0);
      await expect(page.getByText("Duration at the local service")).toBeInViewport();
      await expectAccessible(page);
      await picture(page, `inspector-sides-${colorScheme}`);
    });

  test("the search opens in the body that has the focus", async ({ page }) => {
    await order(page).click();
    await side(page, "Response")
      .getByRole("treeitem", { name: /"state": "accepted"/ })
      .click();
    await page.keyboard.press("Control+f");
    await expect(side(page, "Response").getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("cup-01");
    await expect(side(page, "Response").getByText("1 of 1")).toBeVisible();
    await expect(side(page, "Request").getByRole("searchbox")).toHaveCount(0);
    await picture(page, "inspector-sides-find");
    await page.keyboard.press("Escape");
    await expect(side(page, "Response").getByRole("tree")).toBeFocused();
    await expect(side(page, "Response").getByRole("searchbox")).toHaveCount(0);
    await page.keyboard.press("/");
    await expect(page.getByRole("combobox", { name: /filter/i })).toBeFocused();
  });
});

test("in a narrow window the overview has the facts alone", async ({ page }) => {
  await order(page).click();
  await expect(page.getByText("Duration at the local service")).toBeVisible();
  await expect(side(page, "Request")).toHaveCount(0);
  await picture(page, "inspector-overview-narrow");
});

test("only streams have a tab for messages, and keys pass over it", async ({ page }) => {
  await order(page).click();
  await expect(page.getByRole("tab", { name: "Messages" })).toHaveCount(0);
  await page.getByRole("tab", { name: "Response" }).click();
  await order(page).click();
  await page.keyboard.press("]");
  await expect(page.getByRole("tab", { name: "Headers", selected: true })).toBeVisible();
});
