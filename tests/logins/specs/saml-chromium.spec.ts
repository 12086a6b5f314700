// A whole login with SAML as a person sees it: Chromium, and the pages of SimpleSAMLphp, whose forms send themselves.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch } from "../../browser/kit/browser";
import { PERSON } from "../kit/saml/idp";
import { SamlRoute } from "../kit/saml/route";
import { SimpleSamlPhp } from "../kit/saml/simplesamlphp";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let idp: SimpleSamlPhp;
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
  here = await LoginWorld.start();
  idp = await SimpleSamlPhp.start();
});
afterAll(async () => {
  await browser?.close();
  await here?.stop();
  await idp?.stop();
});

it("a person logs in, is known, logs out, and is asked again", async () => {
  await SamlRoute.guards(here, "/", idp);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const logIn = async () => {
    await page.locator('input[name="username"]').fill(PERSON.name);
    await page.locator('input[name="password"]').fill(PERSON.password);
    await page.locator('input[name="password"]').press("Enter");
    await page.getByText("hello from the site").waitFor();
  };
  await page.goto(here.url("/inbox?page=2"));
  expect(new URL(page.url()).origin).toBe(idp.base);
  await logIn();
  expect(page.url()).toBe(here.url("/inbox?page=2"));
  expect(here.world.site.headers).toMatchObject({ "postern-auth-user-id": PERSON.id });
  const [session] = (await context.cookies(here.url("/"))).filter(({ name }) => name.endsWith("session"));
  expect(session).toMatchObject({ domain: "shop.localhost", httpOnly: true, secure: true, sameSite: "Lax" });
  await page.reload();
  await page.getByText("hello from the site").waitFor();

  await page.goto(here.url("/.postern/logout"));
  await page.getByRole("heading", { name: "Logged out" }).waitFor();
  expect(await here.sessions()).toEqual([]);
  // The identity provider has forgotten them, too: it asks for the password again.
  await page.getByRole("link", { name: "Log in again" }).click();
  await logIn();
  expect(page.url()).toBe(here.url("/"));
  await context.close();
});
