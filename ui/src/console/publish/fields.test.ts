// The form of a publication: names, answers, mistakes, and what is kept of it.
import { describe, expect, it } from "vitest";
import { shownFields } from "../form/draft";
import type { Draft } from "../form/field";
import { mistakesOf } from "../form/mistakes";
import { answersOf } from "./answers";
import {
  initialDraft,
  publishForm,
  questionOf,
  refusedField,
  withoutSecrets,
  type PublishFacts,
} from "./fields";
import { addressOf, hostportOf } from "./host";
import { tunnelOptions, writeLabels } from "./labels";
import { planOf } from "./plan";
import { hasSecrets, planScript } from "./script";
import { summaryOf } from "./summary";

const FACTS: PublishFacts = {
  server: { domain: "example.com", https_port: 4443 },
  tunnels: [
    { labels: { app: "shop" }, forwards_to: "http://localhost:8080" },
    { labels: { app: "shop" }, forwards_to: "http://localhost:8081" },
    { labels: {}, forwards_to: "http://localhost:9000" },
  ],
  backends: new Map([["bkdwd_1", "Canary"]]),
  hasPolicies: true,
};
const form = publishForm(FACTS);
const draft = (changes: Draft = {}): Draft => ({
  ...initialDraft(form, writeLabels({ app: "shop" })),
  name: "shop",
  ...changes,
});
const answers = (changes: Draft = {}) => answersOf(draft(changes), FACTS, "p1");
const mistakes = (changes: Draft) => mistakesOf(form, draft(changes), null);
const users = (username: string, password: string) => ({ "password.users": [{ username, password }] });

describe("a name", () => {
  it.each([
    ["shop", "shop.example.com:443", "https://shop.example.com:4443/"],
    [" Shop.Example.org ", "shop.example.org:443", "https://shop.example.org:4443/"],
    ["shop.example.org:4443", "shop.example.org:4443", "https://shop.example.org:4443/"],
    ["*.shop", "*.shop:443", "https://www.shop:4443/"],
    ["", "", ""],
  ])("%j means %j", (name, hostport, address) => {
    expect(hostportOf(name, "example.com")).toBe(hostport);
    expect(addressOf(name, FACTS.server)).toBe(address);
  });

  it.each(["https://shop", "sh op", "shop/", "shop:http", "shop..x", ""])("is not %j", (name) => {
    expect(mistakes({ name })["name"]).toBeTypeOf("string");
  });

  it.each(["shop", "*.shop.example.com", "a-b.example.com:443", "xn--bcher-kva"])("can be %j", (name) => {
    expect(mistakes({ name })).toEqual({});
  });
});

describe("answers", () => {
  it("lead to a running tunnel by its labels", () => {
    expect(tunnelOptions(FACTS.tunnels)).toEqual([
      {
        value: writeLabels({ app: "shop" }),
        label: "app=shop",
        note: "http://localhost:8080, http://localhost:8081",
      },
    ]);
    expect(answers().target).toEqual({ kind: "tunnels", labels: { app: "shop" } });
    expect(mistakes({ tunnel: "" })).toEqual({ tunnel: "Choose a tunnel." });
  });

  it("lead to tunnels that are not running yet, to addresses, a response or a backend", () => {
    expect(answers({ target: "labels", labels: [{ name: "team ", value: " web" }] }).target).toEqual({
      kind: "tunnels",
      labels: { team: "web" },
    });
    const rows = [
      { address: " a.internal:80", weight: "" },
      { address: "b.internal:80", weight: "3" },
      { address: "", weight: "" },
    ];
    expect(answers({ target: "address", addresses: rows, tls: true }).target).toEqual({
      kind: "addresses",
      addresses: [
        { address: "a.internal:80", weight: 1 },
        { address: "b.internal:80", weight: 3 },
      ],
      tls: true,
    });
    expect(answers({ target: "response", "response.body": "Soon" }).target).toEqual({
      kind: "response",
      status: 200,
      contentType: "text/plain; charset=utf-8",
      body: "Soon",
    });
    expect(answers({ target: "backend", backend: "bkdwd_1" }).target).toMatchObject({ title: "Canary" });
    expect(mistakes({ target: "labels" })).toHaveProperty("labels");
    expect(mistakes({ target: "address" })).toHaveProperty("addresses");
    expect(mistakes({ target: "address", addresses: [{ address: "a:80", weight: "x" }] })).toHaveProperty(
      "addresses",
    );
    expect(mistakes({ target: "backend" })).toHaveProperty("backend");
  });

  it("protect with the settings of modules", () => {
    expect(answers().protection).toEqual({ kind: "everyone" });
    expect(answers({ protection: "password", ...users("ada", "correct horse") }).protection).toMatchObject({
      name: "basic_auth",
      settings: { users: [{ username: "ada", password: "correct horse" }] },
    });
    expect(
      answers({ protection: "login", login: "google", "oauth.email_domains": ["example.com"] }).protection,
    ).toMatchObject({
      name: "oauth",
      settings: { provider: { google: { email_domains: ["example.com"] } } },
    });
    expect(
      answers({ protection: "login", login: "oidc", "oidc.issuer": "https://id.example.com" }).protection,
    ).toMatchObject({ name: "oidc", settings: { issuer: "https://id.example.com" } });
    expect(
      answers({ protection: "webhook", "webhook.provider": "stripe", "webhook.secret": "s3cret" }).protection,
    ).toMatchObject({
      name: "webhook_verification",
      settings: { provider: "stripe", secret: "s3cret" },
    });
    expect(answers({ protection: "networks", networks: ["10.0.0.0/8", "192.0.2.7"] }).protection).toEqual({
      kind: "networks",
      networks: ["10.0.0.0/8", "192.0.2.7/32"],
      policies: [],
    });
  });

  it("are complete only with a password, a network, a secret", () => {
    expect(mistakes({ protection: "password" })).toHaveProperty(["password.users"]);
    expect(mistakes({ protection: "password", ...users("ada", "") })["password.users"]).toContain("ada");
    expect(mistakes({ protection: "password", ...users("ada", "short") })["password.users"]).toContain("8");
    expect(mistakes({ protection: "networks" })).toEqual({ networks: "Enter at least one network." });
    expect(mistakes({ protection: "networks", policies: ["ipp_1"] })).toEqual({});
    expect(mistakes({ protection: "networks", networks: ["10.0.0.1/8"] })["networks"]).toContain(
      "10.0.0.0/8",
    );
    expect(mistakes({ protection: "webhook" })).toHaveProperty(["webhook.secret"]);
    expect(mistakes({ protection: "login", login: "oidc" })).toHaveProperty(["oidc.issuer"]);
    const half = { protection: "login", login: "github", "oauth.client_id": "app" };
    expect(mistakes(half)).toHaveProperty(["oauth.client_secret"]);
  });

  it("are summed up", () => {
    expect(summaryOf(answers())).toBe("Everyone is admitted. Requests go to the tunnels with app=shop.");
    expect(summaryOf(answers({ protection: "login", login: "github", target: "response" }))).toBe(
      "Visitors log in with GitHub. The response has status 200.",
    );
  });
});

/** The field that shows a refusal of the step with this key. */
const at = (changes: Draft, key: string, member: string) =>
  refusedField(shownFields(form, draft(changes), null), key, member)?.name;

describe("the form", () => {
  it("asks only what the answers need, in three questions", () => {
    const shown = shownFields(form, draft({ protection: "password" }), null).map((field) => [
      questionOf(field),
      field.name,
    ]);
    expect(shown).toEqual([
      ["name", "name"],
      ["target", "target"],
      ["target", "tunnel"],
      ["protection", "protection"],
      ["protection", "password.users"],
    ]);
  });

  it("offers existing backends and policies only where there are some", () => {
    const empty = publishForm({ ...FACTS, backends: new Map(), hasPolicies: false });
    const target = empty.fields.find(({ name }) => name === "target");
    expect(target?.kind === "choice" && target.options.map(({ value }) => value)).not.toContain("backend");
    const names = shownFields(empty, { ...initialDraft(empty, ""), protection: "networks" }, null).map(
      ({ name }) => name,
    );
    expect(names).not.toContain("policies");
  });

  it("shows a refusal at the question behind it", () => {
    expect(at({}, "edge", "hostports")).toBe("name");
    expect(at({}, "group", "labels")).toBe("tunnel");
    expect(at({ target: "labels" }, "group", "labels")).toBe("labels");
    expect(at({ target: "address" }, "address a:80", "address")).toBe("addresses");
    expect(at({ protection: "networks" }, "rule ::/0", "cidr")).toBe("networks");
    expect(at({ protection: "password" }, "route", "users[0].password")).toBe("password.users");
    expect(at({ protection: "webhook" }, "route", "secret")).toBe("webhook.secret");
    expect(at({ target: "response" }, "response", "status_code")).toBe("response.status");
    expect(at({}, "route", "")).toBeUndefined();
  });

  it("is kept without its secrets", () => {
    const kept = withoutSecrets(form, {
      name: "shop",
      ...users("ada", "correct horse"),
      "oauth.client_secret": "s3cret",
      "oidc.client_secret": "s3cret",
      "webhook.secret": "s3cret",
    });
    expect(kept).toEqual({ name: "shop", ...users("ada", "") });
  });
});

it("writes a plan as commands that use the ids of those before, with secrets masked", () => {
  const plan = planOf(answers({ protection: "password", ...users("ada", "it's a secret") }), {
    groups: [],
    addresses: [],
  });
  const script = planScript(plan, "http://127.0.0.1:4041", false);
  expect(script).toContain("edge=$(curl -X POST 'http://127.0.0.1:4041/edges/https'");
  expect(script).toContain(`'http://127.0.0.1:4041/edges/https/'"$edge"'/routes'`);
  expect(script).toContain(`"backend_id": "'"$group"'"`);
  expect(script).not.toContain("a secret");
  expect(hasSecrets(plan)).toBe(true);
  expect(planScript(plan, "", true)).toContain(`it'\\''s a secret`);
});
