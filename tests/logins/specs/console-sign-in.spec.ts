// The sign-in to the console by a provider that others wrote, in Chromium.
import { signOut } from "../../browser/kit/console";
import { expect, expectAccessible, picture, test, type Page } from "../../browser/kit/fixtures";
import { HonestProvider } from "../kit/honest";
import { SignInWorld } from "../kit/signInWorld";

let here: SignInWorld;
let provider: HonestProvider;

// The pages of providers are not ours.
test.use({ expected: /^/, viewport: { width: 1280, height: 800 } });

test.beforeAll(async () => {
  here = await SignInWorld.start();
  provider = await HonestProvider.start(here.callback);
  await here.use(provider.issuer, {
    name: "Example ID",
    roles: "ops=admin,dev=editor,unverified=viewer",
    new_users: "other.test=editor",
  });
  for (const [name, role] of [
    ["ops-ada", "admin"],
    ["dev-bob", "admin"],
    ["none-eve", "admin"],
    ["unverified-max", "admin"],
  ])
    await here.world.create("/users", { name: `The ${name}`, role, email: `${name}@example.test` });
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});

const provided = (page: Page) => page.getByRole("button", { name: "Sign in with Example ID" });
const areas = (page: Page) => page.getByRole("navigation", { name: "Areas" });

async function signInAs(page: Page, name: string, place = ""): Promise<void> {
  await page.goto(`${here.world.management}/console/${place}`);
  await provided(page).click();
  await expect(page).toHaveURL((url) => url.origin === provider.issuer);
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

for (const scheme of ["light", "dark"] as const)
  test(`offers the provider above the form for keys, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${here.world.management}/console/`);
    await expect(provided(page)).toBeVisible();
    await expect(page.getByLabel("API key")).toBeVisible();
    await expectAccessible(page);
    await picture(page, `console-sign-in-provider-${scheme}`);
  });

test("signs a user in with the role of a group, and leads back to where they were", async ({ page, context }) => {
  await signInAs(page, "dev-bob", "#/ip_policies");
  await expect(page.getByRole("heading", { name: "IP policies", level: 1 })).toBeVisible();
  const account = page.getByRole("button", { name: "Signed in as The dev-bob Editor" });
  await expect(account).toBeVisible();
  await expectAccessible(page);
  await account.click();
  await expect(page.getByText("dev-bob@example.test")).toBeVisible();
  await picture(page, "console-account-provider");
  await page.keyboard.press("Escape");

  // The provider is at another port of the same host, and so its cookies are listed too.
  const cookies = await context.cookies(here.world.management);
  const [cookie, ...others] = cookies.filter(({ name }) => name.startsWith("postern"));
  expect(others, "the cookie of the attempt is gone").toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  await page.reload();
  await expect(account).toBeVisible();

  await page.goto(`${here.world.management}/console/#/ip_policies/new`);
  await page.getByRole("button", { name: "Create IP policy" }).click();
  await expect(page.getByRole("heading", { name: "New IP policy" })).toBeHidden();
  const { audit_events: events } = await here.world.manage<{ audit_events: Record<string, unknown>[] }>(
    "GET",
    "/audit_events?limit=2",
  );
  expect(events[0]).toMatchObject({
    kind: "ip_policy",
    actor_type: "user",
    actor_name: "The dev-bob",
    api_key_id: null,
  });
  await signOut(page);
});

test("signs out everywhere", async ({ page, browser }) => {
  await signInAs(page, "ops-ada");
  await expect(page.getByRole("button", { name: "Signed in as The ops-ada Administrator" })).toBeVisible();
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await signInAs(other, "ops-ada");
  await expect(areas(other)).toBeVisible();
  await signOut(page, "Sign out everywhere");
  await other.reload();
  await expect(other.getByLabel("API key")).toBeVisible();
  await elsewhere.close();
});

for (const [name, code, words] of [
  ["none-eve", "ERR_POSTERN_226", "none of the groups"],
  ["unverified-max", "ERR_POSTERN_3106", "not verified"],
  ["dev-stranger", "ERR_POSTERN_225", "dev-stranger@example.test"],
] as const)
  test(`tells ${name} why there is no way in`, async ({ page }) => {
    await signInAs(page, name);
    await expect(page.getByText(code)).toBeVisible();
    await expect(page.getByText(words)).toBeVisible();
    await expectAccessible(page);
    await picture(page, `console-sign-in-refused-${name}`);
    await page.getByRole("link", { name: "Back to the sign-in" }).click();
    await expect(provided(page)).toBeVisible();
  });

test("ends the session of a user who is deleted", async ({ page }) => {
  const id = await here.world.create("/users", { name: "Gone", role: "editor", email: "dev-gone@example.test" });
  await signInAs(page, "dev-gone");
  await expect(areas(page)).toBeVisible();
  await here.world.manage("PATCH", `/users/${id}`, { role: "viewer" });
  await page.reload();
  await expect(page.getByRole("button", { name: "Signed in as Gone Viewer" })).toBeVisible();
  await here.world.manage("DELETE", `/users/${id}`);
  await page.reload();
  await expect(page.getByLabel("API key")).toBeVisible();
});
