// Logins with a provider that others wrote, from the first request to the last, as a browser makes them.
import { expect, test } from "../../browser/kit/fixtures";
import { HonestProvider } from "../kit/honest";
import { leadsTo, refusal, type Visitor } from "../kit/visitor";
import { LoginWorld } from "../kit/world";

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const COOKIE = "postern.session";

let here: LoginWorld;
let provider: HonestProvider;
let visitor: Visitor;

test.beforeAll(async () => {
  here = await LoginWorld.start();
  provider = await HonestProvider.start(here.callback);
  await here.guards("/", { issuer: provider.issuer });
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});
test.beforeEach(() => {
  visitor = here.visitor();
  here.world.site.heard = [];
  here.world.site.headers = {};
});
test.afterEach(async () => {
  for (const user of await here.users()) await here.world.manage("DELETE", `/app/users/${user.id}`);
});

test.describe("a visitor who is not known", () => {
  test("is sent to the provider, logs in there, and comes back to what they asked for", async () => {
    const first = await visitor.ask(here.url("/inbox?page=2&q=a%20b"));
    expect(first.status).toBe(302);
    const asked = new URL(leadsTo(first) ?? "");
    expect(`${asked.origin}${asked.pathname}`).toBe(`${provider.issuer}/auth`);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "edge",
      redirect_uri: here.callback,
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(first.cookies).toHaveLength(1);
    expect(first.cookies[0]).toMatch(
      /^postern\.nonce\.[0-9a-f]{16}=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(here.world.site.heard, "the site hears nothing of it").toEqual([]);

    const last = await here.logIn(provider, visitor, "/inbox?page=2&q=a%20b");
    expect(last).toMatchObject({ url: here.url("/inbox?page=2&q=a%20b"), status: 200 });
    expect(here.world.site.heard).toEqual(["GET /inbox?page=2&q=a%20b"]);
    expect(visitor.cookies("shop.localhost").get(COOKIE)).toMatch(SECRET);
    expect([...visitor.cookies("login.localhost")], "no cookie of the login host").toEqual([]);

    const again = await visitor.ask(here.url("/inbox"));
    expect(again.status, "known from now on").toBe(200);
  });

  test("gets a session cookie for this host alone, which no script reads and no other site sends", async () => {
    const finished = await visitor.ask((await here.unfinished(provider, visitor, "/")).href);
    const set = finished.cookies.filter((line) => line.startsWith(`${COOKIE}=`));
    expect(set).toHaveLength(1);
    expect(set[0]).toMatch(/^postern\.session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });

  test("is told who they are in headers that visitors cannot set, and their cookies stay with the edge", async () => {
    await here.logIn(provider, visitor, "/", "ada");
    const { status } = await visitor.ask(here.url("/mine"), {
      headers: {
        "Postern-Auth-User-Id": "root",
        "Postern-Auth-User-Groups": "admins",
        Postern_Auth_User_Email: "root@example.test",
        Cookie: "theme=dark; postern.session=short",
      },
    });
    expect(status).toBe(200);
    const { headers } = here.world.site;
    expect(headers).toMatchObject({
      "postern-auth-user-id": "ada",
      "postern-auth-user-name": "The ada",
      "postern-auth-user-email": "ada@example.test",
      cookie: "sid=s3cr3t; theme=dark",
    });
    expect(Object.keys(headers).filter((name) => /^postern[-_]auth/.test(name))).toHaveLength(3);
  });

  test("is not told an address that the provider has not verified", async () => {
    expect((await here.logIn(provider, visitor, "/", "unverified-eve")).status).toBe(200);
    expect(here.world.site.headers["postern-auth-user-id"]).toBe("unverified-eve");
    expect(here.world.site.headers["postern-auth-user-email"]).toBeUndefined();
    expect(await here.users()).toMatchObject([{ provider_user_id: "unverified-eve", email: "" }]);
  });

  test("is refused with a status where a redirect would be no use", async () => {
    const askings: Record<string, string>[] = [
      { Accept: "application/json" },
      { Accept: "application/problem+json, */*" },
      { "Sec-Fetch-Mode": "cors", Accept: "*/*" },
    ];
    for (const headers of askings) {
      const refused = await visitor.ask(here.url("/data"), { headers });
      expect(refusal(refused), JSON.stringify(headers)).toBe("401 ERR_POSTERN_3100");
      expect(refused.cookies).toEqual([]);
    }
    const form = await visitor.ask(here.url("/inbox"), { form: { text: "lost" } });
    expect(form.status, "after a form comes a question").toBe(303);
    expect(here.world.site.heard).toEqual([]);
  });

  test("cannot finish what began in another browser, or has been finished", async () => {
    const attacker = here.visitor();
    const swapped = await here.unfinished(provider, attacker, "/", "eve");
    expect(refusal(await visitor.ask(swapped.href))).toBe("403 ERR_POSTERN_3102");
    expect(visitor.cookies("shop.localhost").has(COOKIE)).toBe(false);
    expect(refusal(await attacker.ask(swapped.href)), "it is spent").toBe("400 ERR_POSTERN_3101");
    expect(await here.sessions()).toEqual([]);
  });

  test("cannot use a code twice, not even in a login of their own", async () => {
    const used = await here.unfinished(provider, visitor, "/");
    expect((await visitor.follow(await visitor.ask(used.href))).status).toBe(200);
    const fresh = await visitor.ask(here.url("/.postern/login"));
    const replayed = new URL(used);
    replayed.searchParams.set("state", new URL(leadsTo(fresh) ?? "").searchParams.get("state") ?? "");
    expect(refusal(await visitor.ask(replayed.href))).toBe("403 ERR_POSTERN_3104");
  });

  test("without cookies is told so, and not sent round in circles", async () => {
    const callback = await here.unfinished(provider, visitor, "/");
    visitor.cookies("shop.localhost").clear();
    const refused = await visitor.ask(callback.href);
    expect([refusal(refused), leadsTo(refused)]).toEqual(["403 ERR_POSTERN_3102", null]);
    expect(refused.body).toContain("let the browser keep cookies");
  });
});

test.describe("a visitor who has logged in", () => {
  test("logs out, and is asked again", async () => {
    await here.logIn(provider, visitor, "/");
    const secret = visitor.cookies("shop.localhost").get(COOKIE) ?? "";
    const elsewhere = await visitor.ask(here.url("/.postern/logout"), {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expect(elsewhere.status, "another site cannot do it for them").toBe(403);
    const left = await visitor.ask(here.url("/.postern/logout"));
    expect([left.status, left.body.includes("Logged out")]).toEqual([200, true]);
    expect(visitor.cookies("shop.localhost").has(COOKIE)).toBe(false);
    const planted = await visitor.ask(here.url("/"), { headers: { Cookie: `${COOKIE}=${secret}` } });
    expect(planted.status, "the secret is worth nothing any more").toBe(302);
    expect(await here.sessions()).toEqual([]);
    const away = await visitor.ask(here.url("/.postern/logout?redirect_path=//evil.test/"));
    expect(leadsTo(away) ?? "", "no redirect leads elsewhere").not.toContain("evil.test");
  });

  test("is listed with their browser, and goes when an operator ends it", async () => {
    const other = here.visitor();
    await here.logIn(provider, visitor, "/", "ada");
    await here.logIn(provider, other, "/", "ada");
    const sessions = await here.sessions();
    const users = await here.users();
    expect(sessions).toHaveLength(2);
    expect(users).toMatchObject([
      {
        provider_user_id: "ada",
        email: "ada@example.test",
        name: "The ada",
        identity_provider: { name: "oidc", url: provider.issuer },
      },
    ]);
    expect(sessions[0]).toMatchObject({
      public_url: here.url(""),
      application_user: { id: users[0]?.id },
      browser_session: { ip_address: "127.0.0.1", user_agent: { browser_name: "Firefox" } },
    });
    await here.world.manage("DELETE", `/app/sessions/${sessions[0]?.id}`);
    expect((await other.ask(here.url("/"))).status, "the newest is ended").toBe(302);
    expect((await visitor.ask(here.url("/"))).status, "the other is not").toBe(200);
    await here.world.manage("DELETE", `/app/users/${users[0]?.id}`);
    expect((await visitor.ask(here.url("/"))).status).toBe(302);
  });

  test("stays so when the server is started again, or was killed", async () => {
    await here.logIn(provider, visitor, "/");
    await here.world.endServer();
    await here.world.startServer();
    expect((await visitor.ask(here.url("/"))).status, "after an orderly end").toBe(200);
    await here.world.killServer();
    await here.world.startServer();
    expect((await visitor.ask(here.url("/"))).status, "after a kill").toBe(200);
    expect(await here.sessions()).toHaveLength(1);
  });

  test("may log in again at the provider, and gets another secret", async () => {
    await here.logIn(provider, visitor, "/");
    const former = visitor.cookies("shop.localhost").get(COOKIE);
    const again = await visitor.ask(here.url("/.postern/login?redirect_path=/mine"));
    expect(new URL(leadsTo(again) ?? "").searchParams.get("prompt")).toBe("login");
    const back = await provider.logIn(visitor, await visitor.follow(again), "ada");
    expect([back.url, back.status]).toEqual([here.url("/mine"), 200]);
    expect(visitor.cookies("shop.localhost").get(COOKIE)).not.toBe(former);
  });
});
