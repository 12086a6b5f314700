// People who have logged in: listed with their sessions, which end with the browser's next request.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible, launch, open, picture } from "../kit/browser";
import { enterKey } from "../kit/console";
import { World } from "../kit/world";

let browser: Browser;
let world: World;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
  world = await World.startServerOnly();
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

it("says what brings people here while there are none", async () => {
  ({ page, wrong } = await open(browser, `${world.management}/console#/app/users`, {
    viewport: { width: 1280, height: 800 },
  }));
  await enterKey(page, world.key);
  await page.getByText(/No visitor has logged in yet/).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Sessions of people" }).click();
  await page.getByText(/No visitor is logged in/).waitFor();
  await expectAccessible(page);
  await picture(page, "people-empty");
});
