// A whole login as a person sees it: Chromium, an agent's tunnel, and a provider that others wrote.
import { expect, test } from "../../browser/kit/fixtures";
import { HonestProvider } from "../kit/honest";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let provider: HonestProvider;

// The pages of providers are not ours.
test.use({ expected: /^/ });

test.beforeAll(async () => {
  here = await LoginWorld.start();
  provider = await HonestProvider.start(here.callback);
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});

test("a person logs in, is known, and is asked again when their session was ended", async ({ page, context }) => {
  await here.throughAnAgent("/", { issuer: provider.issuer });
  const logIn = async () => {
    await page.locator('input[name="login"]').fill("ada");
    await page.locator('input[name="password"]').fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("hello from the site")).toBeVisible();
  };
  await page.goto(here.url("/inbox?page=2"));
  await expect(page).toHaveURL((url) => url.origin === provider.issuer);
  await logIn();
  await expect(page).toHaveURL(here.url("/inbox?page=2"));
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
  await expect(page.getByText("hello from the site")).toBeVisible();
  await here.world.manage("DELETE", `/app/sessions/${listed?.id}`);
  // The provider is to have forgotten the browser, too.
  await context.clearCookies({ domain: "127.0.0.1" });
  await page.goto(here.url("/inbox?page=3"));
  await logIn();
  await expect(page).toHaveURL(here.url("/inbox?page=3"));

  await page.goto(here.url("/.postern/logout"));
  await expect(page.getByRole("heading", { name: "Logged out" })).toBeVisible();
  expect(await here.sessions()).toEqual([]);
});
