// A whole login as a person sees it: Chromium, an agent's tunnel, and a provider that others wrote.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch } from "../../browser/kit/browser";
import { HonestProvider } from "../kit/honest";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let provider: HonestProvider;
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
  here = await LoginWorld.start();
  provider = await HonestProvider.start(here.callback);
});
afterAll(async () => {
  await browser?.close();
  await here?.stop();
  await provider?.stop();
});

it("a person logs in, is known, and is asked again when their session was ended", async () => {
  await here.throughAnAgent("/", { issuer: provider.issuer });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const logIn = async () => {
    await page.locator('input[name="login"]').fill("ada");
    await page.locator('input[name="password"]').fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("hello from the site").waitFor();
  };
  await page.goto(here.url("/inbox?page=2"));
  expect(new URL(page.url()).origin).toBe(provider.issuer);
  await logIn();
  expect(page.url()).toBe(here.url("/inbox?page=2"));
  expect(here.world.site.headers).toMatchObject({
    "postern-auth-user-id": "ada",
    "postern-auth-user-email": "ada@example.test",
  });
  expect(here.world.site.headers.cookie ?? "").not.toContain("postern.session");
  const cookies = await context.cookies(here.url("/"));
  const session = cookies.find((cookie) => cookie.name === "postern.session");
  expect(session).toMatchObject({
    domain: "shop.localhost",
    httpOnly: true,
    secure: true,
    sameSite: "Lax",
    path: "/",
  });
  expect(cookies.filter((cookie) => cookie.name.startsWith("postern.nonce"))).toEqual([]);

  const [listed] = await here.sessions();
  expect(listed?.browser_session.user_agent.browser_name).toBe("Chrome");
  await page.reload();
  await page.getByText("hello from the site").waitFor();
  await here.world.manage("DELETE", `/app/sessions/${listed?.id}`);
  // The provider is to have forgotten the browser, too.
  await context.clearCookies({ domain: "127.0.0.1" });
  await page.goto(here.url("/inbox?page=3"));
  await logIn();
  expect(page.url()).toBe(here.url("/inbox?page=3"));

  await page.goto(here.url("/.postern/logout"));
  await page.getByRole("heading", { name: "Logged out" }).waitFor();
  expect(await here.sessions()).toEqual([]);
  await context.close();
});
