// The sign-in to the console: the key is sent once and kept nowhere, the session lasts, ends, and is of use to no other page.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signIn, signOut } from "../kit/console";
import { expect, expectAccessible, picture, testWithWorld, type Page } from "../kit/fixtures";

const test = testWithWorld({ agent: null });

const areas = (page: Page) => page.getByRole("navigation", { name: "Areas" });

/** Everything that a script of the page can read again later. */
const kept = (page: Page) =>
  page.evaluate(async () =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      await indexedDB.databases(),
      await caches.keys(),
    ]),
  );

test("takes a key once, and stays signed in until asked to sign out", async ({ page, context, world }) => {
  await page.goto("/console");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("Enter an API key.")).toBeVisible();
  await page.getByLabel("API key").fill("nonsense");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("The key was not accepted")).toBeVisible();
  await expectAccessible(page);
  await picture(page, "console-sign-in-refused");

  const sent: (string | undefined)[] = [];
  page.on("request", (request) => sent.push(request.headers()["authorization"]));
  await signIn(page, world.key);
  await page.getByRole("link", { name: "IP access" }).click();
  await expect(page.getByText("There is no IP policy yet.")).toBeVisible();
  expect(sent.filter((header) => header !== undefined)).toEqual([`Bearer ${world.key}`]);
  const [cookie, ...others] = await context.cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/", domain: "127.0.0.1" });
  const readable = await kept(page);
  expect(readable).not.toContain(world.key);
  expect(readable).not.toContain(cookie?.value);

  await page.reload();
  await expect(page.getByRole("heading", { name: "IP policies", level: 1 })).toBeVisible();
  const account = page.getByRole("button", { name: "Signed in as admin Administrator" });
  await expect(account).toBeVisible();
  await expectAccessible(page);
  await account.click();
  await expect(page.getByRole("menuitem", { name: "Sign out everywhere" })).toBeVisible();
  await picture(page, "console-account");
  await page.keyboard.press("Escape");
  await signOut(page);
  await page.reload();
  await expect(page.getByLabel("API key")).toBeVisible();
  expect(await context.cookies()).toEqual([]);
});

for (const scheme of ["light", "dark"] as const)
  test(`has a sign-in page that can be read, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto("/console");
    await expect(page.getByLabel("API key")).toBeVisible();
    await expectAccessible(page);
    await picture(page, `console-sign-in-${scheme}`);
  });

test.describe("with a session that ends", () => {
  let key: { id: string; token: string };
  test.beforeEach(async ({ page, world }) => {
    key = await world.manage("POST", "/api_keys", {});
    await page.goto("/console/#/ip_policies/new");
    await signIn(page, key.token);
    await page.getByLabel("Description").fill("Half written");
    await world.manage("DELETE", `/api_keys/${key.id}`);
    await page.getByRole("button", { name: "Create IP policy" }).click();
    await expect(page.getByText("Your session has ended")).toBeVisible();
  });

  test("leads back to where one was, with what was typed", async ({ page, world }) => {
    await expectAccessible(page);
    await picture(page, "console-session-ended");
    await signIn(page, world.key);
    await expect(page.getByRole("heading", { name: "New IP policy" })).toBeVisible();
    await expect(page.getByLabel("Description")).toHaveValue("Half written");
  });

  test("leaves nothing of it to another person", async ({ page, world }) => {
    const user = await world.create("/users", { name: "Grace", role: "editor" });
    const other = await world.manage<{ token: string }>("POST", "/api_keys", { owner_id: user });
    await signIn(page, other.token);
    await expect(page.getByRole("button", { name: "Signed in as Grace Editor" })).toBeVisible();
    await expect(page.getByLabel("Description")).toHaveValue("");
  });
});

test("tells refreshes of an open page from what a person does", async ({ page, world }) => {
  await page.clock.install();
  await page.goto("/console/#/overview");
  await signIn(page, world.key);
  const activity = (path: string) =>
    page
      .waitForRequest((request) => new URL(request.url()).pathname === path)
      .then((request) => request.headers()["console-session"]);
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeVisible();
  const refresh = activity("/status");
  await page.clock.runFor(61_000);
  await refresh;
  const later = activity("/status");
  await page.clock.runFor(30_000);
  expect(await later).toBe("idle");
  const click = activity("/ip_policies");
  await page.getByRole("link", { name: "IP access" }).click();
  expect(await click).toBe("active");
});

test("signs out everywhere at once", async ({ page, context, browser, world }) => {
  await page.goto("/console");
  await signIn(page, world.key);
  const tab = await context.newPage();
  await tab.goto("/console");
  await expect(areas(tab), "one session for all tabs").toBeVisible();
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await other.goto(`${world.management}/console`);
  await signIn(other, world.key);
  await signOut(page, "Sign out everywhere");
  await expect(tab.getByLabel("API key"), "the other tab is told").toBeVisible();
  await other.reload();
  await expect(other.getByLabel("API key")).toBeVisible();
  await elsewhere.close();
  await signIn(page, world.key);
  await expect(areas(tab), "and signed in with this one").toBeVisible();
});

test.describe("a page at another port of the same host", () => {
  test.use({ expected: /CORS policy/ });

  test("is sent the cookie by the browser, and gets nothing for it", async ({ page, world }) => {
    await page.goto("/console");
    await signIn(page, world.key);
    const server = createServer((_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>Evil</title>");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const cookies: string[] = [];
    page.on("requestfinished", async (request) => {
      // The last page may be closed before the headers of its requests are known.
      const headers = await request.allHeaders().catch((): Record<string, string> => ({}));
      cookies.push(headers["cookie"] ?? "");
    });
    const outcomes = await page.evaluate(async (api) => {
      const call = (path: string, init: RequestInit) =>
        fetch(`${api}${path}`, { credentials: "include", ...init }).then(
          (response) => `${response.type} ${response.status}`,
          () => "refused",
        );
      return [
        await call("/ip_policies", { method: "POST", mode: "no-cors", body: "{}" }),
        await call("/api_keys", { headers: { "Console-Session": "active", "Service-Version": "2" } }),
        await call("/console_sessions", { method: "DELETE" }),
        await call("/api_keys", {}),
      ];
    }, world.management);
    expect(outcomes).toEqual(["opaque 0", "refused", "refused", "refused"]);
    await page.evaluate((api) => {
      const form = document.createElement("form");
      form.method = "post";
      form.action = `${api}/ip_policies`;
      document.body.append(form);
      form.submit();
    }, world.management);
    await expect(page.getByText("ERR_POSTERN_222")).toBeVisible();
    // With a form at the latest, whose cookies are known once its response is.
    await expect
      .poll(() => cookies.some((sent) => sent.includes("postern_console_")), { message: "SameSite knows no ports" })
      .toBe(true);
    expect(await world.manage("GET", "/ip_policies")).toMatchObject({ ip_policies: [] });
    await page.goto(`${world.management}/console`);
    await expect(areas(page), "still signed in").toBeVisible();
    server.close();
  });
});
