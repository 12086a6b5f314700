// Mistakes of a provider, by accident or on purpose: each has its own code, and no visitor is admitted.
import { expect, test } from "../../browser/kit/fixtures";
import { HostileProvider, type Lies } from "../kit/hostile";
import { leadsTo, refusal } from "../kit/visitor";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let provider: HostileProvider;

test.beforeAll(async () => {
  here = await LoginWorld.start();
  provider = await HostileProvider.start();
  await here.guards("/", { issuer: provider.issuer });
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});
test.beforeEach(() => {
  provider.lies = {};
  here.world.site.heard = [];
});
test.afterEach(async () => {
  for (const user of await here.users()) await here.world.manage("DELETE", `/app/users/${user.id}`);
});

const now = () => Math.floor(Date.now() / 1000);
const MISSING = "403 ERR_POSTERN_5200";
const UNREADABLE = "403 ERR_POSTERN_5201";
const SIGNATURE = "403 ERR_POSTERN_5203";
const ISSUER = "403 ERR_POSTERN_5204";
const AUDIENCE = "403 ERR_POSTERN_5205";
const NONCE = "403 ERR_POSTERN_5206";
const EXPIRED = "403 ERR_POSTERN_5207";
const NOT_YET = "403 ERR_POSTERN_5209";
const OTHER_ACCOUNT = "403 ERR_POSTERN_5210";
const MIXED_UP = "403 ERR_POSTERN_3107";
const REFUSED = "403 ERR_POSTERN_3103";

const refused: [what: string, lies: () => Lies, how: string][] = [
  ["no ID token", () => ({ token: null }), MISSING],
  ["an ID token that is none", () => ({ token: "token" }), UNREADABLE],
  ["an ID token without a subject", () => ({ claims: { sub: undefined } }), UNREADABLE],
  ["an unsigned token", () => ({ signature: "none" }), SIGNATURE],
  ["a token signed with what everybody knows", () => ({ signature: "shared secret" }), SIGNATURE],
  ["a token signed with another key", () => ({ signature: "another key" }), SIGNATURE],
  ["a token that was changed afterwards", () => ({ signature: "changed afterwards" }), SIGNATURE],
  ["a token of a key that is nowhere", () => ({ header: { kid: "second" } }), SIGNATURE],
  ["a token of another issuer", () => ({ claims: { iss: "https://elsewhere.test" } }), ISSUER],
  ["an issuer that differs by a slash", () => ({ claims: { iss: `${provider.issuer}/` } }), ISSUER],
  ["a token for another client", () => ({ claims: { aud: "another" } }), AUDIENCE],
  ["a token made out to another party", () => ({ claims: { azp: "another" } }), AUDIENCE],
  ["a token for two, one of them a stranger", () => ({ claims: { aud: ["edge", "stranger"] } }), AUDIENCE],
  ["a token of another login", () => ({ claims: { nonce: "another" } }), NONCE],
  ["a token of no login", () => ({ claims: { nonce: undefined } }), NONCE],
  ["an expired token", () => ({ claims: { exp: now() - 61 } }), EXPIRED],
  ["a token made in the future", () => ({ claims: { iat: now() + 90, exp: now() + 900 } }), NOT_YET],
  ["a token that is not valid yet", () => ({ claims: { nbf: now() + 90 } }), NOT_YET],
  [
    "userinfo about another account",
    () => ({ userinfo: { sub: "root", email: "root@example.test" } }),
    OTHER_ACCOUNT,
  ],
  ["an answer in another provider's name", () => ({ iss: "https://elsewhere.test" }), MIXED_UP],
  ["an answer without the name it promised", () => ({ iss: null }), MIXED_UP],
  ["a refusal", () => ({ error: "access_denied" }), REFUSED],
];

for (const [what, lies, how] of refused) test(`${what} admits no visitor`, async () => {
  const visitor = here.visitor();
  provider.lies = lies();
  const last = await here.logIn(provider, visitor, "/secret");
  expect(refusal(last), last.body.slice(0, 600)).toBe(how);
  expect(leadsTo(last), "a page, and no way round in circles").toBeNull();
  expect(last.headers["cache-control"]).toBe("no-store");
  expect([...visitor.cookies("shop.localhost").keys()]).not.toContain("postern.session");
  expect(here.world.site.heard).toEqual([]);
  expect(await here.sessions()).toEqual([]);
});

test("takes the truth, and what is not quite on time", async () => {
  const truths: Lies[] = [
    {},
    { claims: { aud: ["edge"] } },
    { claims: { azp: "edge", aud: ["edge"] } },
    // Clocks differ a little.
    { claims: { exp: now() - 20 } },
    { claims: { iat: now() + 20, nbf: now() + 20 } },
  ];
  for (const lies of truths) {
    provider.lies = lies;
    const last = await here.logIn(provider, here.visitor(), "/");
    expect([last.status, last.url], last.body.slice(0, 600)).toEqual([200, here.url("/")]);
  }
});

test("does not tell local services of an address that is not verified", async () => {
  provider.lies = { claims: { email: "root@example.test", email_verified: false } };
  expect((await here.logIn(provider, here.visitor(), "/")).status).toBe(200);
  expect(here.world.site.headers["postern-auth-user-email"]).toBeUndefined();
  provider.lies = { claims: { email: "ada@example.test", email_verified: true } };
  expect((await here.logIn(provider, here.visitor(), "/")).status).toBe(200);
  expect(here.world.site.headers["postern-auth-user-email"]).toBe("ada@example.test");
});

test("visitors cannot make the edge fetch keys again and again", async () => {
  const before = provider.keysAsked;
  provider.lies = { header: { kid: "unheard-of" } };
  for (let times = 0; times < 5; times += 1)
    expect(refusal(await here.logIn(provider, here.visitor(), "/"))).toBe(SIGNATURE);
  expect(provider.keysAsked - before).toBeLessThanOrEqual(1);
});

test("says so when the provider cannot be reached", async () => {
  const gone = await HostileProvider.start();
  await gone.stop();
  await here.guards("/nowhere", { issuer: gone.issuer });
  const answer = await here.visitor().ask(here.url("/nowhere"));
  expect(refusal(answer)).toBe("502 ERR_POSTERN_5208");
});
