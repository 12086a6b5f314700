import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definitionOf, EMPTY_FORM, formOf, mistakesOf, type TunnelForm } from "./tunnelForm";
import { NO_PROTECTION, protectionOf, type ProtectionForm } from "./tunnelProtection";

const HTTP = { proto: "http", addr: 8080 };

function withProtection(part: Partial<ProtectionForm>): TunnelForm {
  return { ...EMPTY_FORM, name: "web", addr: "8080", protection: { ...NO_PROTECTION, ...part } };
}

describe("the protection of a tunnel as a form", () => {
  it.each([
    { ...HTTP },
    { ...HTTP, basic_auth: ["ada:***", "bob:correct horse"] },
    { ...HTTP, oauth: { provider: "google", allow_emails: ["a@b.example"], allow_domains: ["c.example"] } },
    { ...HTTP, oauth: { provider: "github", client_id: "x", client_secret: "***", scopes: ["repo"] } },
    { ...HTTP, oidc: { issuer_url: "https://id.example", client_id: "x", client_secret: "***" } },
    { ...HTTP, verify_webhook: { provider: "stripe", secret: "***" } },
    { ...HTTP, verify_webhook: { provider: "sns" } },
    { ...HTTP, ip_restriction: { allow_cidrs: ["10.0.0.0/8"], deny_cidrs: ["10.1.0.0/16"] } },
    { ...HTTP, basic_auth: ["ada:***"], verify_webhook: { provider: "stripe", secret: "***" } },
    { proto: "tcp", addr: 22, ip_restriction: { allow_cidrs: ["10.0.0.0/8"] } },
    { labels: ["a=b"], addr: 80, rate_limit: { requests: 1 } },
  ])("goes to fields and back without a loss: %o", (definition) => {
    expect(definitionOf(formOf("x", definition), definition)).toEqual(definition);
  });

  it("reads one user without a list, and the older key", () => {
    expect(protectionOf({ auth: "ada:***" }).users).toEqual([{ name: "ada", password: "***" }]);
    const before = { ...HTTP, auth: "ada:***" };
    expect(definitionOf(formOf("x", before), before)).toEqual({ ...HTTP, basic_auth: ["ada:***"] });
  });

  it("replaces one way to sign in by another, and leaves the other modules alone", () => {
    const before = { ...HTTP, basic_auth: ["ada:***"], compression: true };
    const form = formOf("x", before);
    const login = { ...form, protection: { ...form.protection, admission: "login" as const } };
    expect(definitionOf(login, before)).toEqual({
      ...HTTP,
      compression: true,
      oauth: { provider: "github" },
    });
    const open = { ...form, protection: { ...form.protection, admission: "everyone" as const } };
    expect(definitionOf(open, before)).toEqual({ ...HTTP, compression: true });
  });

  it.each<[Partial<ProtectionForm>, keyof ProtectionForm, string]>([
    [{ admission: "password", users: [] }, "users", "Add at least one"],
    [{ admission: "password", users: [{ name: "ada", password: "short" }] }, "users", "too short"],
    [{ admission: "password", users: [{ name: "", password: "correct horse" }] }, "users", "Enter a user"],
    [{ admission: "password", users: [{ name: "a:b", password: "correct horse" }] }, "users", "a colon"],
    [{ admission: "password", users: [{ name: "a", password: "x".repeat(300) }] }, "users", "256 bytes"],
    [{ admission: "webhook", webhookSecret: "" }, "webhookSecret", "beside the address"],
    [{ admission: "webhook", webhook: "unknown" }, "webhook", "Choose"],
    [{ admission: "login", accounts: "alice" }, "accounts", "neither"],
    [{ admission: "login", clientId: "x" }, "clientSecret", "both"],
    [{ admission: "login", login: "oidc" }, "issuer", "Enter the issuer"],
    [{ networks: "10.1.2.3/8" }, "networks", "Did you mean 10.0.0.0/8?"],
  ])("names what is wrong with %o", (part, field, words) => {
    expect(mistakesOf(withProtection(part), []).protection?.[field]).toContain(words);
  });

  it("asks connections for nothing but a network", () => {
    const form = {
      ...withProtection({ admission: "password", networks: "10.0.0.0/8" }),
      kind: "tcp" as const,
    };
    expect(mistakesOf(form, [])).toEqual({});
    expect(definitionOf(form)).toEqual({
      proto: "tcp",
      addr: 8080,
      ip_restriction: { allow_cidrs: ["10.0.0.0/8"] },
    });
  });

  it("never fails on what a file may hold in place of a module", () => {
    const keys = ["basic_auth", "auth", "oauth", "oidc", "verify_webhook", "ip_restriction"] as const;
    fc.assert(
      fc.property(fc.record(Object.fromEntries(keys.map((key) => [key, fc.jsonValue()]))), (modules) => {
        const definition = { ...HTTP, ...(modules as Record<string, unknown>) };
        const form = formOf("x", definition);
        mistakesOf(form, []);
        definitionOf(form, definition);
      }),
    );
  });
});
