// The sign-in to the console with responses that are not its own, and with a provider that lies.
import { expect, test } from "../../browser/kit/fixtures";
import { HostileProvider, type Lies } from "../kit/hostile";
import { failure, SignInWorld } from "../kit/signInWorld";
import { leadsTo, type Answer, type Visitor } from "../kit/visitor";

let here: SignInWorld;
let provider: HostileProvider;

const EMAIL = { email: "ada@example.test", email_verified: true };

test.beforeAll(async () => {
  here = await SignInWorld.start();
  provider = await HostileProvider.start();
  await here.use(provider.issuer, { new_users: "example.test=editor", roles: "ops=editor" });
});
test.afterAll(async () => {
  await here?.stop();
  await provider?.stop();
});
test.beforeEach(() => {
  provider.lies = { claims: { ...EMAIL, groups: ["ops"] } };
});

/** The address at which a sign-in is about to be finished. */
async function unfinished(visitor: Visitor, place = ""): Promise<string> {
  const last = await visitor.follow(await visitor.ask(`${here.begin}${place}`), (url) => url.startsWith(here.callback));
  const next = leadsTo(last);
  if (next === null) throw new Error(`no callback: ${last.url} ${last.status} ${last.body.slice(0, 400)}`);
  return next;
}

async function signIn(visitor: Visitor): Promise<Answer> {
  return visitor.ask(await unfinished(visitor));
}

/** The cookies of a browser, which it keeps even if the server removes them. */
function kept(visitor: Visitor): Map<string, string> {
  return new Map(visitor.cookies("127.0.0.1"));
}

test("is finished with a cookie that no script reads, and creates the user once", async () => {
  const visitor = here.visitor();
  const begun = await visitor.ask(here.begin);
  expect([begun.status, begun.headers["cache-control"]]).toEqual([303, "no-store"]);
  expect(begun.cookies).toHaveLength(1);
  expect(begun.cookies[0]).toMatch(
    /^postern_console_oidc_\d+=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  const asked = new URL(leadsTo(begun) ?? "");
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    response_type: "code",
    client_id: "edge",
    redirect_uri: here.callback,
    code_challenge_method: "S256",
  });
  expect(begun.cookies[0], "sealed").not.toContain(asked.searchParams.get("state"));

  const finished = await signIn(visitor);
  expect([finished.status, leadsTo(finished)]).toEqual([303, `${here.world.management}/console/#/`]);
  expect(finished.cookies[0]).toMatch(/^postern_console_\d+=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  expect(JSON.parse((await here.current(visitor)).body)).toMatchObject({
    email: "ada@example.test",
    role: "editor",
    api_key_id: null,
  });
  expect((await signIn(here.visitor())).status).toBe(303);
  const { users } = await here.world.manage<{ users: { email: string }[] }>("GET", "/users");
  expect(users.filter((user) => user.email === "ada@example.test")).toHaveLength(1);
});

test("leads to places of the console only", async () => {
  for (const [place, expected] of [
    ["?place=%2Fedges%2Fhttps", "/edges/https"],
    ["?place=%2F%2Fevil.test", "/"],
    ["?place=https%3A%2F%2Fevil.test", "/"],
    ["?place=%2Fa%0D%0ASet-Cookie%3Aa%3Db", "/"],
    [`?place=%2F${"x".repeat(2000)}`, "/"],
  ]) {
    const visitor = here.visitor();
    const finished = await visitor.ask(await unfinished(visitor, place));
    expect(leadsTo(finished), place).toBe(`${here.world.management}/console/#${expected}`);
  }
});

test("cannot be finished by another browser, nor twice, nor with another state", async () => {
  const [attacker, victim] = [here.visitor(), here.visitor()];
  const swapped = await unfinished(attacker);
  expect(failure(await victim.ask(swapped)), "without an attempt").toBe("403 ERR_POSTERN_3102");
  const own = await unfinished(victim);
  expect(failure(await victim.ask(swapped)), "with an attempt of its own").toBe("403 ERR_POSTERN_3102");
  expect((await here.current(victim)).status).toBe(401);
  const attempt = kept(victim);
  expect((await victim.ask(own)).status, "which goes on").toBe(303);
  expect(failure(await victim.ask(own)), "again").toBe("403 ERR_POSTERN_3102");
  const copy = here.visitor();
  for (const [name, value] of attempt) copy.cookies("127.0.0.1").set(name, value);
  expect(failure(await copy.ask(own)), "with a copy of the cookie").toBe("400 ERR_POSTERN_3101");
  for (const query of ["", "?state=", "?code=a", "?state=a&state=b", `?state=${"x".repeat(9000)}`])
    expect(failure(await attacker.ask(`${here.callback}${query}`)), query.slice(0, 20)).toBe("403 ERR_POSTERN_3102");
});

test("takes no cookie that this server has not sealed", async () => {
  const visitor = here.visitor();
  const callback = await unfinished(visitor);
  const [[name, value] = ["", ""]] = kept(visitor);
  for (const forged of ["", "e30", `${value.slice(0, -2)}AA`, "x".repeat(3000), "%%%"]) {
    visitor.cookies("127.0.0.1").set(name, forged);
    expect(failure(await visitor.ask(callback)), forged.slice(0, 20)).toBe("403 ERR_POSTERN_3102");
  }
});

const now = () => Math.floor(Date.now() / 1000);
const lies: [string, () => Lies, string][] = [
  ["for another client", () => ({ claims: { ...EMAIL, aud: "other" } }), "403 ERR_POSTERN_5205"],
  ["of another issuer", () => ({ claims: { ...EMAIL, iss: "https://evil.test" } }), "403 ERR_POSTERN_5204"],
  ["of another sign-in", () => ({ claims: { ...EMAIL, nonce: "other" } }), "403 ERR_POSTERN_5206"],
  ["that has expired", () => ({ claims: { ...EMAIL, exp: now() - 120 } }), "403 ERR_POSTERN_5207"],
  ["of a clock that is ahead", () => ({ claims: { ...EMAIL, iat: now() + 600 } }), "403 ERR_POSTERN_5209"],
  ["with another key's signature", () => ({ claims: EMAIL, signature: "another key" }), "403 ERR_POSTERN_5203"],
  ["without a signature", () => ({ claims: EMAIL, signature: "none" }), "403 ERR_POSTERN_5203"],
  ["that is missing", () => ({ token: null }), "403 ERR_POSTERN_5200"],
  ["beside another issuer's name", () => ({ claims: EMAIL, iss: "https://evil.test" }), "403 ERR_POSTERN_3107"],
  ["without a verified address", () => ({ claims: { email: EMAIL.email } }), "403 ERR_POSTERN_3106"],
  ["without an address", () => ({ claims: {} }), "403 ERR_POSTERN_3106"],
  [
    "with an address that is none",
    () => ({ claims: { email: "ada@example.test\r\nx", email_verified: true, groups: ["ops"] } }),
    "403 ERR_POSTERN_3106",
  ],
  [
    "of a stranger",
    () => ({ claims: { email: "eve@evil.test", email_verified: true, groups: ["ops"] } }),
    "403 ERR_POSTERN_225",
  ],
  ["of a person without a group", () => ({ claims: { ...EMAIL, groups: ["Ops", 1, null] } }), "403 ERR_POSTERN_226"],
  ["after a refusal", () => ({ error: "access_denied" }), "403 ERR_POSTERN_3103"],
];
for (const [name, lie, code] of lies)
  test(`is refused with a token ${name}`, async () => {
    provider.lies = lie();
    const visitor = here.visitor();
    const answer = await signIn(visitor);
    expect(failure(answer)).toBe(code);
    expect(answer.body).not.toContain("edge-secret");
    expect(answer.body).toContain("Back to the sign-in");
    expect((await here.current(visitor)).status).toBe(401);
  });

test("tells that the provider cannot be reached, and goes on with another one", async () => {
  const gone = await HostileProvider.start();
  await gone.stop();
  await here.use(gone.issuer);
  expect(failure(await here.visitor().ask(here.begin))).toBe("502 ERR_POSTERN_5208");
  await here.use(provider.issuer, { new_users: "example.test=editor" });
  const visitor = here.visitor();
  expect((await signIn(visitor)).status).toBe(303);
  const other = await HostileProvider.start();
  await here.use(other.issuer);
  expect((await here.current(visitor)).status, "sessions of a former provider end").toBe(401);
  await other.stop();
});
