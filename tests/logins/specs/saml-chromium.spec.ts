// A whole login with SAML as a person sees it: Chromium, and the pages of SimpleSAMLphp, whose forms send themselves.
import { expect, test } from "../../browser/kit/fixtures";
import { PERSON } from "../kit/saml/idp";
import { SamlRoute } from "../kit/saml/route";
import { SimpleSamlPhp } from "../kit/saml/simplesamlphp";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let idp: SimpleSamlPhp;

// The pages of providers are not ours.
test.use({ expected: /^/ });

test.beforeAll(async () => {
  here = await LoginWorld.start();
  idp = await SimpleSamlPhp.start();
});
test.afterAll(async () => {
  await here?.stop();
  await idp?.stop();
});

test("a person logs in, is known, logs out, and is asked again", async ({ page, context }) => {
  await SamlRoute.guards(here, "/", idp);
  const logIn = async () => {
    await page.locator('input[name="username"]').fill(PERSON.name);
    await page.locator('input[name="password"]').fill(PERSON.password);
    await page.locator('input[name="password"]').press("Enter");
    await expect(page.getByText("hello from the site")).toBeVisible();
  };
  await page.goto(here.url("/inbox?page=2"));
  await expect(page).toHaveURL((url) => url.origin === idp.base);
  await logIn();
  await expect(page).toHaveURL(here.url("/inbox?page=2"));
  expect(here.world.site.headers).toMatchObject({ "postern-auth-user-id": PERSON.id });
  const [session] = (await context.cookies(here.url("/"))).filter(({ name }) => name.endsWith("session"));
  expect(session).toMatchObject({ domain: "shop.localhost", httpOnly: true, secure: true, sameSite: "Lax" });
  await page.reload();
  await expect(page.getByText("hello from the site")).toBeVisible();

  await page.goto(here.url("/.postern/logout"));
  await expect(page.getByRole("heading", { name: "Logged out" })).toBeVisible();
  expect(await here.sessions()).toEqual([]);
  // The identity provider has forgotten them, too: it asks for the password again.
  await page.getByRole("link", { name: "Log in again" }).click();
  await logIn();
  await expect(page).toHaveURL(here.url("/"));
});
