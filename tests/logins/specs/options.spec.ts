// What a module may ask for beside a provider: how long sessions last, who need not log in, how cookies and headers are
// called, and routes that have logins of their own.
import { expect, test } from "../../browser/kit/fixtures";
import { HostileProvider } from "../kit/hostile";
import { refusal, type Visitor } from "../kit/visitor";
import { LoginWorld } from "../kit/world";
import { eventually } from "../../browser/kit/world";

let here: LoginWorld;
let provider: HostileProvider;
let visitor: Visitor;

test.beforeAll(async () => {
  here = await LoginWorld.start(["--identity-headers", "X-Who"]);
  provider = await HostileProvider.start();
  const issuer = provider.issuer;
  await here.guards("/", { issuer });
  await here.guards("/staff", { issuer, client_id: "edge" });
  await here.guards("/brief", { issuer, maximum_duration: 2 });
  await here.guards("/idle", { issuer, inactivity_timeout: 2 });
  await here.guards("/open", { issuer, options_passthrough: true });
  await here.guards("/own", { issuer, cookie_prefix: "mine." });
  await here.opens("/public");
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});
test.beforeEach(() => {
  visitor = here.visitor();
  here.world.site.heard = [];
});

const status = async (path: string) => (await visitor.ask(here.url(path))).status;

test("ends a session when it has lasted as long as it may", async () => {
  expect((await here.logIn(provider, visitor, "/brief")).status).toBe(200);
  const [session] = await here.sessions();
  expect(session).toMatchObject({ expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) });
  // However much it is used.
  await eventually("the end of the session", async () =>
    (await status("/brief")) === 302 ? true : undefined,
  );
});

test("ends a session that is not used", async () => {
  expect((await here.logIn(provider, visitor, "/idle")).status).toBe(200);
  // A request would keep the session alive, so none is sent meanwhile.
  await new Promise((passed) => setTimeout(passed, 3000));
  expect(await status("/idle")).toBe(302);
});

test("lets questions about a resource through where a route says so, without saying who asks", async () => {
  const asked = await visitor.ask(here.url("/open"), { method: "OPTIONS" });
  expect(asked.status).toBe(200);
  expect(here.world.site.heard).toEqual(["OPTIONS /open"]);
  expect(here.world.site.headers["x-who-user-id"]).toBeUndefined();
  expect(await status("/open"), "and nothing else").toBe(302);
  const elsewhere = await visitor.ask(here.url("/"), {
    method: "OPTIONS",
    headers: { "Sec-Fetch-Mode": "cors" },
  });
  expect(refusal(elsewhere), "nor elsewhere").toBe("401 ERR_POSTERN_3100");
});

test("calls cookies and headers as the operator and the module say", async () => {
  expect((await here.logIn(provider, visitor, "/own")).status).toBe(200);
  expect([...visitor.cookies("shop.localhost").keys()]).toEqual(["mine.session", "sid"]);
  const headers = { "X-Who-User-Id": "root", X_Who_User_Id: "root" };
  expect((await visitor.ask(here.url("/own"), { headers })).status).toBe(200);
  expect(here.world.site.headers["x-who-user-id"]).toBe("ada");
  expect(here.world.site.headers["x_who_user_id"]).toBeUndefined();
  expect(here.world.site.headers.cookie, "what the site has set comes back to it").toBe("sid=s3cr3t");
});

test("keeps the sessions of all routes of a host apart, and takes none away", async () => {
  await here.logIn(provider, visitor, "/");
  expect(await status("/staff"), "another module, another login").toBe(302);
  expect((await here.logIn(provider, visitor, "/staff")).status).toBe(200);
  expect([await status("/"), await status("/staff")], "both at once").toEqual([200, 200]);
  expect(await status("/public"), "a path without a login asks for none").toBe(200);
  expect(here.world.site.headers.cookie, "and our cookie is none of the site's business").toBe("sid=s3cr3t");
  expect(here.world.site.headers["x-who-user-id"], "nor is who it is").toBeUndefined();
});

test("ends all sessions when the module names another client, and none when it changes otherwise", async () => {
  const route = await here.guards("/moved", { issuer: provider.issuer });
  expect((await here.logIn(provider, visitor, "/moved")).status).toBe(200);
  const edge = (await here.sessions()).find((session) => session.route.id === route)?.edge.id;
  const put = (module: object) =>
    here.world.manage("PUT", `/edges/https/${edge}/routes/${route}/oidc`, {
      issuer: provider.issuer,
      client_id: "edge",
      client_secret: "edge-secret",
      ...module,
    });
  await put({ inactivity_timeout: 600 });
  expect(await status("/moved")).toBe(200);
  await put({ client_id: "another" });
  expect(await status("/moved")).toBe(302);
});

test("offers a certificate for the login host, and nothing there but logins", async () => {
  const login = `https://login.localhost:${here.world.httpsPort}`;
  expect(refusal(await visitor.ask(`${login}/`))).toBe("404 ERR_POSTERN_3108");
  expect(refusal(await visitor.ask(`${login}/oauth2/callback?state=guessed`))).toBe("400 ERR_POSTERN_3101");
  expect(refusal(await visitor.ask(here.url("/.postern/anything")))).toBe("404 ERR_POSTERN_3108");
  for (const path of ["/.postern/callback?state=x&state=y&code=1", "/.postern/callback"])
    expect((await visitor.ask(here.url(path))).status).toBe(400);
});
