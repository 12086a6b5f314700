// Logins with SAML, each at an identity provider that others wrote.
import { expect, test } from "../../browser/kit/fixtures";
import { carry, form, PERSON, type SamlIdp } from "../kit/saml/idp";
import { PySaml2 } from "../kit/saml/pysaml2";
import { SamlRoute } from "../kit/saml/route";
import { Samlp } from "../kit/saml/samlp";
import { SimpleSamlPhp } from "../kit/saml/simplesamlphp";
import { variations } from "../kit/saml/variations";
import { leadsTo, refusal, type Answer, type Visitor } from "../kit/visitor";
import { LoginWorld } from "../kit/world";

let here: LoginWorld;
let visitor: Visitor;

test.beforeAll(async () => {
  here = await LoginWorld.start();
});
test.afterAll(() => here?.stop());
test.afterEach(async () => {
  for (const user of await here.users()) await here.world.manage("DELETE", `/app/users/${user.id}`);
});

/** From a page to the identity provider's first page. */
async function asks(path: string): Promise<Answer> {
  visitor = here.visitor();
  return visitor.follow(await visitor.ask(here.url(path)));
}

/** The whole login, in a fresh browser. */
async function logsIn(idp: SamlIdp, path: string): Promise<Answer> {
  const page = await asks(path);
  return idp.logIn(visitor, page);
}

const providers: [string, string, () => Promise<SamlIdp>][] = [
  ["SimpleSAMLphp", "/php", () => SimpleSamlPhp.start()],
  ["pysaml2", "/python", () => PySaml2.start()],
  ["samlp, which signs the assertion", "/node", () => Samlp.start()],
  ["samlp, which signs the response", "/node-response", () => signingResponses()],
];

async function signingResponses(): Promise<Samlp> {
  const idp = await Samlp.start();
  idp.signs = "response";
  return idp;
}

for (const [name, path, start] of providers) test.describe(`a visitor with an account at ${name}`, () => {
  let idp: SamlIdp;
  test.beforeAll(async () => {
    idp = await start();
    await SamlRoute.guards(here, path, idp, { authorized_groups: ["it"] });
  });
  test.afterAll(() => idp?.stop());

  test("comes in, back to what they asked for, and the site is told who they are", async () => {
    const last = await logsIn(idp, `${path}/inbox?page=2`);
    expect(last).toMatchObject({ url: here.url(`${path}/inbox?page=2`), status: 200 });
    expect(here.world.site.headers).toMatchObject({
      "postern-auth-user-id": PERSON.id,
      "postern-auth-user-email": PERSON.id,
      "postern-auth-user-name": "The ada",
      "postern-auth-user-groups": "staff,it",
    });
    expect((await visitor.ask(here.url(path))).status, "known from now on").toBe(200);
    expect(await here.users()).toMatchObject([{ provider_user_id: PERSON.id, identity_provider: { name: "saml" } }]);
  });

  test("does not come in with an answer that was changed, used before, or meant for another login", async () => {
    // The last page before the form is sent: some ask for a password first.
    const response = async () => {
      const page = await asks(path);
      return form(idp instanceof SimpleSamlPhp ? await idp.enter(visitor, page) : page);
    };
    const { action: acs, fields } = await response();
    const xml = Buffer.from(fields["SAMLResponse"] ?? "", "base64").toString();
    const changed = Buffer.from(xml.replaceAll(PERSON.id, "eve@example.test")).toString("base64");
    const sent = (SAMLResponse: string, RelayState = fields["RelayState"] ?? "") =>
      visitor.ask(acs, { form: { SAMLResponse, RelayState } });
    expect(refusal(await sent(changed)), "changed").toBe("403 ERR_POSTERN_5302");
    expect(refusal(await sent(fields["SAMLResponse"] ?? "")), "the login is used up").toBe("400 ERR_POSTERN_3101");
    const other = (await response()).fields;
    expect(refusal(await sent(fields["SAMLResponse"] ?? "", other["RelayState"])), "another login").toBe(
      "403 ERR_POSTERN_5306",
    );
    expect(await here.users()).toEqual([]);
  });

  test("does not come in with anything that is made of a real answer", async () => {
    test.setTimeout(240_000);
    visitor = here.visitor();
    const answer = async () => {
      const page = await visitor.follow(await visitor.ask(here.url(path)));
      const { action, fields } = form(idp instanceof SimpleSamlPhp ? await idp.enter(visitor, page) : page);
      const xml = Buffer.from(fields["SAMLResponse"] ?? "", "base64").toString();
      return { acs: action, xml, state: fields["RelayState"] ?? "" };
    };
    const names = variations((await answer()).xml, PERSON.id).map(([name]) => name);
    for (const [at, name] of names.entries()) {
      const { acs, xml, state } = await answer();
      const [, changed] = variations(xml, PERSON.id)[at] ?? ["", ""];
      expect(changed, name).not.toBe(xml);
      const SAMLResponse = Buffer.from(changed).toString("base64");
      const refused = await visitor.ask(acs, { form: { SAMLResponse, RelayState: state } });
      expect(refusal(refused), name).toMatch(/^403 ERR_POSTERN_53(01|02|14|15)$/);
    }
    expect(await here.users(), "no visitor was admitted").toEqual([]);
  });
});

test.describe("logging out", () => {
  for (const [name, path, start] of [
    ["SimpleSAMLphp", "/out-php", () => SimpleSamlPhp.start()],
    ["pysaml2", "/out-python", () => PySaml2.start()],
  ] as [string, string, () => Promise<SamlIdp>][]) test(`happens at ${name}, too`, async () => {
    const idp = await start();
    try {
      await SamlRoute.guards(here, path, idp);
      await logsIn(idp, path);
      const way = `/.postern/logout?redirect_path=${encodeURIComponent(`${path}/bye`)}`;
      const first = await visitor.ask(here.url(way));
      expect(await here.sessions(), "over at once").toEqual([]);
      expect(new URL(leadsTo(first) ?? "").searchParams.get("Signature")).not.toBeNull();
      const last = await visitor.follow(first, (url) => url.startsWith(here.url(`${path}/bye`)));
      expect(leadsTo(last), last.body).toBe(here.url(`${path}/bye`));
    } finally {
      await idp.stop();
    }
  });

  test("at the identity provider ends the session here", async () => {
    const idp = await SimpleSamlPhp.start();
    try {
      const { sp } = await SamlRoute.guards(here, "/slo", idp);
      await logsIn(idp, "/slo");
      expect(await here.sessions()).toHaveLength(1);
      const out = `${idp.base}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${idp.base}/`)}`;
      const asked = await visitor.follow(await visitor.ask(out), (url) => url.startsWith(sp.slo));
      const answered = await visitor.ask(leadsTo(asked) ?? "");
      expect(answered.status, answered.body).toBe(302);
      expect(leadsTo(answered)).toMatch(new RegExp(`^${idp.base}/saml2/idp/SingleLogoutService.php\\?SAMLResponse=`));
      expect(await here.sessions()).toEqual([]);
      expect((await visitor.ask(leadsTo(answered) ?? "")).status, "it takes the answer").toBeLessThan(400);
      expect(leadsTo(await visitor.ask(here.url("/slo"))), "unknown from now on").toContain(idp.base);
    } finally {
      await idp.stop();
    }
  });
});

test.describe("a login that begins at the identity provider", () => {
  let idp: SimpleSamlPhp;
  let route: SamlRoute;
  test.beforeAll(async () => {
    idp = await SimpleSamlPhp.start();
    route = await SamlRoute.guards(here, "/first", idp, { allow_idp_initiated: true });
  });
  test.afterAll(() => idp?.stop());

  const begins = async (state: string) => {
    visitor = here.visitor();
    return idp.enter(visitor, await visitor.follow(await visitor.ask(idp.begins(route.sp, state))));
  };
  const refused = async (state: string) => {
    const page = await begins(state);
    return refusal(await carry(visitor, page));
  };

  test("leads to the page it names, once", async () => {
    const page = await begins(here.url("/first/deep?a=b"));
    const last = await carry(visitor, page);
    expect(last).toMatchObject({ url: here.url("/first/deep?a=b"), status: 200 });
    expect(refusal(await carry(visitor, page)), "the same again").toBe("403 ERR_POSTERN_5309");
  });

  test("leads nowhere else", async () => {
    expect(await refused("https://evil.test/")).toBe("400 ERR_POSTERN_5321");
    expect(await refused("elsewhere")).toBe("400 ERR_POSTERN_5319");
  });

  test("does not happen where it is not allowed", async () => {
    await route.set({ idp_metadata: idp.metadata, allow_idp_initiated: false });
    expect(await refused(here.url("/first"))).toBe("403 ERR_POSTERN_5317");
  });
});

test("signatures with SHA-1 admit no visitor", async () => {
  const idp = await PySaml2.start("weak");
  try {
    await SamlRoute.guards(here, "/weak", idp);
    const refused = await logsIn(idp, "/weak");
    expect(refusal(refused)).toBe("403 ERR_POSTERN_5315");
    expect(refused.body).toContain("SHA-256");
  } finally {
    await idp.stop();
  }
});

test("without a signing certificate no visitor is admitted, and the page says why", async () => {
  const idp = await Samlp.start();
  try {
    const route = await SamlRoute.guards(here, "/unsigned", idp);
    await route.set({ idp_metadata: idp.metadata.replace(/<KeyDescriptor[^]*<\/KeyDescriptor>/, "") });
    const refused = await asks("/unsigned");
    expect(refusal(refused)).toBe("503 ERR_POSTERN_5300");
    expect(refused.body).toContain("signing certificate");
  } finally {
    await idp.stop();
  }
});
