// Several captured requests at once, against the real agent: selected with keys, sent again, deleted, saved.
import type { Page } from "@playwright/test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectAccessible, picture } from "../kit/fixtures";
import { box, expectRows, listed, row, tab, testWithInspectedSite } from "../kit/inspected-site";
import type { World } from "../kit/world";

const test = testWithInspectedSite();

interface Captured {
  page: Page;
  world: World;
  url: string;
  openAgent(): Promise<void>;
}

test.describe("several requests", () => {
  /** Three requests are listed, and the newest is selected. */
  async function selectNewestOfThree({ page, world, url, openAgent }: Captured): Promise<void> {
    for (const path of ["/a", "/b", "/c"]) await world.visit(`${url}${path}`);
    await openAgent();
    await expect(row(page, "/c")).toBeVisible();
    await page.keyboard.press("j");
  }

  /** Selects the two below as well, and deletes all three. */
  async function deleteThree(page: Page): Promise<void> {
    for (let more = 0; more < 2; more += 1) await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("button", { name: "Delete the selected requests" }).click();
    await page
      .getByRole("dialog", { name: "Delete 3 requests?" })
      .getByRole("button", { name: "Delete" })
      .click();
  }

  test("are selected with keys and sent again at a pace, with a table of what came back", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    await selectNewestOfThree({ page, world, url, openAgent });
    await page.keyboard.press("Shift+ArrowDown");
    await expect(page.getByRole("heading", { name: "2 requests selected" })).toBeVisible();
    await page.keyboard.press("Shift+ArrowDown");
    await expect(page.getByRole("heading", { name: "3 requests selected" })).toBeVisible();
    const form = page.getByRole("form", { name: "Replay many" });
    await form.getByLabel("Times each").fill("4");
    await form.getByLabel("Requests per second").fill("50");
    await form.getByRole("button", { name: "Send 12" }).click();
    await expect(page.getByText("12 of 12 sent")).toBeVisible();
    const results = page.getByRole("table", { name: "Results" });
    await expect(results.getByRole("button", { name: "200 OK" })).toHaveCount(12);
    await expect.poll(() => world.site.heard.length).toBe(15);
    await expectAccessible(page);
    await picture(page, "inspector-replay-many");
  });

  test("are selected with keys and deleted, after asking", async ({ page, world, url, openAgent }) => {
    await selectNewestOfThree({ page, world, url, openAgent });
    await deleteThree(page);
    await expect(page.getByText("Waiting for the first request")).toBeVisible();
    expect(await listed(world, "")).toEqual([]);
  });

  test("are deleted although the network changes and one is gone already", async ({
    page,
    world,
    url,
    openAgent,
  }) => {
    await selectNewestOfThree({ page, world, url, openAgent });
    let deletions = 0;
    await page.route(/\/api\/requests\/http\/[0-9a-f]+$/, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      deletions += 1;
      if (deletions === 1) return route.abort("internetdisconnected");
      // The agent deletes it, and the response is lost.
      if (deletions === 3) {
        await route.fetch();
        return route.abort("connectionreset");
      }
      return route.continue();
    });
    await deleteThree(page);
    await expect.poll(() => listed(world, "")).toEqual([]);
    await expect.poll(() => deletions).toBe(5);
    await expect(page.getByText("Not every request could be deleted")).toHaveCount(0);
  });

  test("are saved as a HAR file and read back", async ({ page, world, url, openAgent }) => {
    for (const path of ["/one?token=s3cret", "/two"]) await world.visit(`${url}${path}`);
    await openAgent();
    await expect(row(page, "/two")).toBeVisible();
    await box(page).fill("path:one");
    await expectRows(page, 1);
    const more = page.getByRole("button", { name: "Actions on all requests" });
    await more.click();
    await page.getByRole("menuitem", { name: "Save as HAR…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save as a HAR file" });
    await expect(dialog.getByText("1 request")).toBeVisible();
    await expectAccessible(page);
    const saving = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe("postern.har");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toContain("/one");
    expect(text).not.toMatch(/s3cret|s3cr3t|\/two/);

    await world.api("DELETE", "/api/requests/http");
    const file = join(world.folder, "again.har");
    writeFileSync(file, text);
    await box(page).fill("");
    const choosing = page.waitForEvent("filechooser");
    await more.click();
    await page.getByRole("menuitem", { name: "Import a HAR file…" }).click();
    await (await choosing).setFiles(file);
    await expect(row(page, "From a file /one")).toBeVisible();
    await expect(page.getByText("1 request imported from again.har")).toBeVisible();
    await row(page, "/one").click();
    await tab(page, "Decisions");
    await expect(page.getByText("Imported from a file")).toBeVisible();
  });
});
