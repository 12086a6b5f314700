// The console lists who has logged in; ending a session there counts for the browser's next request.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  expectAccessible,
  launch,
  open,
  picture,
} from "../../browser/kit/browser";
import { enterKey } from "../../browser/kit/console";
import { HonestProvider } from "../kit/honest";
import { LoginWorld } from "../kit/world";

let browser: Browser;
let here: LoginWorld;
let provider: HonestProvider;
let page: Page;
let wrong: string[];

beforeAll(async () => {
  browser = await launch();
  here = await LoginWorld.start();
  provider = await HonestProvider.start(here.callback);
  await here.guards("/", { issuer: provider.issuer });
});
afterAll(async () => {
  await browser?.close();
  await here?.stop();
  await provider?.stop();
});
afterEach(async () => {
  await page?.context().close();
  expect(wrong, "no violation of the policy, no error in the page").toEqual([]);
});

async function show(place: string): Promise<void> {
  ({ page, wrong } = await open(
    browser,
    `${here.world.management}/console#${place}`,
    {
      viewport: { width: 1280, height: 800 },
    },
  ));
  await enterKey(page, here.world.key);
}

it("ends one session, and all of a person", async () => {
  const [ada, again, bob] = [here.visitor(), here.visitor(), here.visitor()];
  await here.logIn(provider, ada, "/", "ada");
  await here.logIn(provider, again, "/", "ada");
  await here.logIn(provider, bob, "/", "bob");
  const knows = async (visitor: typeof ada) =>
    (await visitor.ask(here.url("/"))).status === 200;
  expect([await knows(ada), await knows(again), await knows(bob)]).toEqual([
    true,
    true,
    true,
  ]);

  await show("/app/users");
  await page.getByRole("row", { name: /ada/i }).waitFor();
  await page.getByRole("row", { name: /bob/i }).waitFor();
  await expectAccessible(page);
  await picture(page, "people");
  await page
    .getByRole("row", { name: /ada/i })
    .getByRole("link")
    .first()
    .click();
  const sessions = page
    .getByRole("region", { name: "Sessions" })
    .getByRole("button", { name: /^End / });
  await expect.poll(() => sessions.count(), { timeout: 15_000 }).toBe(2);
  await expectAccessible(page);
  await picture(page, "person");

  await sessions.first().click();
  const one = page.getByRole("dialog");
  await one
    .getByText("The next request from this browser has to log in again.")
    .waitFor();
  await one.getByRole("button", { name: "End" }).click();
  await expect.poll(() => sessions.count(), { timeout: 15_000 }).toBe(1);
  expect(
    [await knows(ada), await knows(again)].toSorted(),
    "one of them, with the next request",
  ).toEqual([false, true]);

  await page.getByRole("button", { name: "Log out" }).click();
  const all = page.getByRole("dialog");
  await all.getByText(/All sessions of this person end/).waitFor();
  await all.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("row", { name: /bob/i }).waitFor();
  expect([await knows(ada), await knows(again), await knows(bob)]).toEqual([
    false,
    false,
    true,
  ]);
});

it("lists sessions with their browser and ends them", async () => {
  const bob = here.visitor();
  await here.logIn(provider, bob, "/", "bob");
  await show("/app/sessions");
  await page
    .getByRole("row", { name: /shop\.localhost.*127\.0\.0\.1/ })
    .first()
    .waitFor();
  await expectAccessible(page);
  await picture(page, "sessions-of-people");
  await page.getByRole("link", { name: "The bob" }).first().waitFor();
  const logins = page
    .getByRole("row")
    .getByRole("link", { name: /shop\.localhost/ });
  for (let left = (await here.sessions()).length; left > 0; left -= 1) {
    await expect.poll(() => logins.count(), { timeout: 15_000 }).toBe(left);
    await logins.first().click();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "End", exact: true })
      .click();
    await page.getByRole("heading", { name: "Sessions of people" }).waitFor();
  }
  expect((await bob.ask(here.url("/"))).status).toBe(302);
});
