// Logins with an account elsewhere: a strict OAuth server on the paths of each provider, in that one's words.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../../browser/kit/fixtures";
import { MANNERS, OAuthProvider } from "../kit/oauth";
import { leadsTo, refusal } from "../kit/visitor";
import { LoginWorld } from "../kit/world";

const providers = new Map<string, OAuthProvider>();
let here: LoginWorld;
let folder: string;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postern-oauth-"));
  const told: Record<string, unknown> = {};
  for (const [name, manner] of Object.entries(MANNERS)) {
    const provider = await OAuthProvider.listen(manner);
    providers.set(name, provider);
    told[name] = { endpoints: provider.endpoints, ...(name === "microsoft" ? { tenants: ["our-tenant"] } : {}) };
  }
  const file = join(folder, "providers.yml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(told));
  here = await LoginWorld.start(["--oauth-apps", file]);
  for (const provider of providers.values()) provider.open(here.callback);
  for (const name of providers.keys()) await guard(name);
});
test.afterAll(async () => {
  await here?.stop();
  for (const provider of providers.values()) await provider.stop();
  rmSync(folder, { recursive: true });
});
test.beforeEach(() => {
  here.world.site.heard = [];
  here.world.site.headers = {};
});

async function guard(name: string, path = `/${name}`, lists: object = { email_domains: ["example.test"] }): Promise<void> {
  const scopes = name === "github" ? { scopes: ["user:email"] } : {};
  const login = { client_id: "edge", client_secret: "edge-secret", ...scopes, ...lists };
  await here.guardedBy(path, { oauth: { provider: { [name]: login } } });
}

function of(name: string): OAuthProvider {
  const found = providers.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

for (const name of Object.keys(MANNERS)) test.describe(name, () => {
  test("vouches for a visitor, who is admitted and named to the site", async () => {
    const visitor = here.visitor();
    const first = await visitor.ask(here.url(`/${name}/inbox?a=b`));
    const asked = new URL(leadsTo(first) ?? "");
    expect(asked.href).toContain(of(name).endpoints["authorization"]);
    expect(asked.searchParams.has("code_challenge")).toBe(MANNERS[name]?.pkce);
    const last = await here.logIn(of(name), visitor, `/${name}/inbox?a=b`, "ada");
    expect(last).toMatchObject({ url: here.url(`/${name}/inbox?a=b`), status: 200 });
    expect(here.world.site.headers).toMatchObject({
      "postern-auth-user-id": "id-ada",
      "postern-auth-user-name": "The ada",
      "postern-auth-user-email": "ada@example.test",
    });
    expect(String(here.world.site.headers["postern-auth-oauth-access-token"]).length).toBeGreaterThan(20);
    const users = await here.users();
    expect(users.map((user) => [user.identity_provider.name, user.provider_user_id])).toContainEqual([name, "id-ada"]);
  });
});

test.describe("whose address is not verified", () => {
  for (const name of ["github", "google", "microsoft", "linkedin", "gitlab"]) test(`stays out: ${name}`, async () => {
    const refused = await here.logIn(of(name), here.visitor(), `/${name}`, "unverified-eve");
    expect(refusal(refused)).toBe("403 ERR_POSTERN_3106");
    // Microsoft verifies no address, so that its visitors are not sent there to have it done.
    expect(refused.body).toContain(name === "microsoft" ? "the tenant of your account" : "not verified");
    expect(here.world.site.heard).toEqual([]);
  });
});

test.describe("a member of an organization", () => {
  test("comes in by that alone, and others stay out", async () => {
    await guard("github", "/members", { organizations: ["acme"], scopes: ["read:org"] });
    const member = await here.logIn(of("github"), here.visitor(), "/members", "member");
    expect(member.status).toBe(200);
    expect(here.world.site.headers).toMatchObject({ "postern-auth-github-organization": "acme" });
    const stranger = await here.logIn(of("github"), here.visitor(), "/members", "ada");
    expect(refusal(stranger)).toBe("403 ERR_POSTERN_3105");
  });
});
