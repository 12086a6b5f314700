// The console lists who has logged in; ending a session there counts for the browser's next request.
import { expect, expectAccessible, picture, test, type Page } from "../../browser/kit/fixtures";
import { signIn } from "../../browser/kit/console";
import { HonestProvider } from "../kit/honest";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let provider: HonestProvider;

test.use({ viewport: { width: 1280, height: 800 } });

test.beforeAll(async () => {
  here = await LoginWorld.start();
  provider = await HonestProvider.start(here.callback);
  await here.guards("/", { issuer: provider.issuer });
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});
async function show(page: Page, place: string): Promise<void> {
  await page.goto(`${here.world.management}/console#${place}`);
  await signIn(page, here.world.key);
}

test("ends one session, and all of a person", async ({ page }) => {
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

  await show(page, "/app/users");
  await expect(page.getByRole("row", { name: /ada/i })).toBeVisible();
  await expect(page.getByRole("row", { name: /bob/i })).toBeVisible();
  await expectAccessible(page);
  await picture(page, "people");
  await page
    .getByRole("row", { name: /ada/i })
    .getByRole("link")
    .first()
    .click();
  const sessions = page
    .getByRole("region", { name: "Visitor sessions" })
    .getByRole("button", { name: /^End / });
  await expect(sessions).toHaveCount(2);
  await expectAccessible(page);
  await picture(page, "person");

  await sessions.first().click();
  const one = page.getByRole("dialog");
  await expect(one
    .getByText("The next request from this browser has to log in again.")).toBeVisible();
  await one.getByRole("button", { name: "End" }).click();
  await expect(sessions).toHaveCount(1);
  expect(
    [await knows(ada), await knows(again)].toSorted(),
    "one of them, with the next request",
  ).toEqual([false, true]);

  await page.getByRole("button", { name: "Log out" }).click();
  const all = page.getByRole("dialog");
  await expect(all.getByText(/All sessions of this visitor end/)).toBeVisible();
  await all.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("row", { name: /bob/i })).toBeVisible();
  expect([await knows(ada), await knows(again), await knows(bob)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("lists sessions with their browser and ends them", async ({ page }) => {
  const bob = here.visitor();
  await here.logIn(provider, bob, "/", "bob");
  await show(page, "/app/sessions");
  await expect(page
    .getByRole("row", { name: /shop\.localhost.*127\.0\.0\.1/ })
    .first()).toBeVisible();
  await expectAccessible(page);
  await picture(page, "sessions-of-people");
  await expect(page.getByRole("link", { name: "The bob" }).first()).toBeVisible();
  const logins = page
    .getByRole("row")
    .getByRole("link", { name: /shop\.localhost/ });
  for (let left = (await here.sessions()).length; left > 0; left -= 1) {
    await expect(logins).toHaveCount(left);
    await logins.first().click();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "End", exact: true })
      .click();
    await expect(page.getByRole("heading", { name: "Visitor sessions" })).toBeVisible();
  }
  expect((await bob.ask(here.url("/"))).status).toBe(302);
});
