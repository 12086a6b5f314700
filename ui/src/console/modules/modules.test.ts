// Forms of modules: an unchanged form yields the same body, and errors are shown at their fields.
import { describe, expect, it } from "vitest";
import { switched } from "../edges/plannedChanges";
import { bodyOf, draftOf } from "../form/draft";
import { mistakesOf } from "../form/mistakes";
import { backend } from "./descriptors/backend";
import { circuitBreaker } from "./descriptors/circuitBreaker";
import { errorPages } from "./descriptors/errorPages";
import { requestHeaders, responseHeaders } from "./descriptors/headers";
import { ipRestriction } from "./descriptors/ipRestriction";
import { maintenance } from "./descriptors/maintenance";
import { mutualTls } from "./descriptors/mutualTls";
import type { LoginFacts } from "./descriptor";
import { oauth } from "./descriptors/oauth";
import { oidc } from "./descriptors/oidc";
import { rateLimit } from "./descriptors/rateLimit";
import { redirect } from "./descriptors/redirect";
import { rewrite } from "./descriptors/rewrite";
import { saml } from "./descriptors/saml";
import { tlsTermination } from "./descriptors/tlsTermination";
import { userAgentFilter } from "./descriptors/userAgentFilter";
import { webhookVerification } from "./descriptors/webhookVerification";

const session = {
  options_passthrough: true,
  cookie_prefix: "a.",
  inactivity_timeout: 60,
  maximum_duration: 0,
};
const login = {
  client_id: "app",
  client_secret: "s3cret",
  scopes: ["repo"],
  email_addresses: [],
  email_domains: ["a.test"],
};
const providers = { github: null, google: null, gitlab: null, amazon: null };

describe("switching a module that is set", () => {
  it.each([
    [backend, { backend: { id: "bkdtg_1", uri: "" } }, { backend_id: "bkdtg_1" }],
    [
      ipRestriction,
      {
        ip_policies: [
          { id: "ipp_1", uri: "" },
          { id: "ipp_2", uri: "" },
        ],
      },
      { ip_policy_ids: ["ipp_1", "ipp_2"] },
    ],
    [
      mutualTls,
      { certificate_authorities: [{ id: "ca_1", uri: "" }] },
      { certificate_authority_ids: ["ca_1"] },
    ],
    [
      tlsTermination,
      { terminate_at: "edge", min_version: "1.3" },
      { terminate_at: "edge", min_version: "1.3" },
    ],
    [tlsTermination, { terminate_at: "upstream", min_version: null }, { terminate_at: "upstream" }],
    [
      rateLimit,
      { requests: 5, interval: 60, burst: 1, key: "header:x-key" },
      { requests: 5, interval: 60, burst: 1, key: "header:x-key" },
    ],
    [
      maintenance,
      { until: null, status_code: 500, body: "x", content_type: "text/plain", allow: ["::/0"] },
      { until: null, status_code: 500, body: "x", content_type: "text/plain", allow: ["::/0"] },
    ],
    [
      redirect,
      { rules: [{ host: "", path: "/a", to: "/b", status_code: 308 }] },
      { rules: [{ host: "", path: "/a", to: "/b", status_code: 308 }] },
    ],
    [
      rewrite,
      { strip_prefix: "/a", add_prefix: "", path: "", to: "", host: "b.test" },
      { strip_prefix: "/a", add_prefix: "", path: "", to: "", host: "b.test" },
    ],
    [
      errorPages,
      { pages: { "404": "<b>", "5xx": "${req.id}" }, upstream: true },
      { pages: { "404": "<b>", "5xx": "${req.id}" }, upstream: true },
    ],
    [userAgentFilter, { allow: ["a"], deny: [] }, { allow: ["a"], deny: [] }],
    [
      circuitBreaker,
      {
        tripped_duration: 1,
        rolling_window: 2,
        num_buckets: 3,
        volume_threshold: 0,
        error_threshold_percentage: 0.071,
      },
      {
        tripped_duration: 1,
        rolling_window: 2,
        num_buckets: 3,
        volume_threshold: 0,
        error_threshold_percentage: 0.071,
      },
    ],
    [
      requestHeaders,
      { add: { "x-a": "${req.id}" }, remove: ["x-b"] },
      { add: { "x-a": "${req.id}" }, remove: ["x-b"] },
    ],
    [
      webhookVerification,
      { provider: "LaunchDarkly", secret: "x" },
      { provider: "launch_darkly", secret: "x" },
    ],
    [webhookVerification, { provider: "sns", secret: "" }, { provider: "sns" }],
    [
      oidc,
      { ...session, issuer: "https://a.test", client_id: "i", client_secret: "s", scopes: ["openid"] },
      { ...session, issuer: "https://a.test", client_id: "i", client_secret: "s", scopes: ["openid"] },
    ],
    [
      oauth,
      { ...session, auth_check_interval: 50, provider: { ...providers, google: login } },
      { ...session, auth_check_interval: 50, provider: { google: login } },
    ],
    [
      oauth,
      {
        ...session,
        auth_check_interval: 0,
        provider: { ...providers, github: { ...login, teams: ["a/b"], organizations: [] } },
      },
      {
        ...session,
        auth_check_interval: 0,
        provider: { github: { ...login, teams: ["a/b"], organizations: [] } },
      },
    ],
    [
      saml,
      {
        ...session,
        idp_metadata: "<EntityDescriptor/>",
        force_authn: true,
        allow_idp_initiated: false,
        authorized_groups: ["a"],
        nameid_format: "urn:x",
        entity_id: "https://a",
      },
      {
        ...session,
        idp_metadata: "<EntityDescriptor/>",
        force_authn: true,
        allow_idp_initiated: false,
        authorized_groups: ["a"],
        nameid_format: "urn:x",
      },
    ],
  ])("sends all of $name again ($#)", (module, view, body) => {
    expect(switched(module, { enabled: true, ...view }, false)).toEqual({ enabled: false, ...body });
  });
});

const facts = (apps: LoginFacts["oauth_apps"]): LoginFacts => ({
  oauth_apps: apps,
  microsoft_tenants: false,
});

describe("an OAuth login", () => {
  it("without an app of one's own sends no scopes", () => {
    const draft = { ...draftOf(oauth, {}), provider: "google", scopes: ["repo"] };
    expect(bodyOf(oauth, draft, null)["provider"]).toEqual({
      google: { client_id: "", client_secret: "", email_addresses: [], email_domains: [] },
    });
  });

  it("names the admitted visitors where none are listed", () => {
    const draft = { ...draftOf(oauth, null), provider: "google", teams: ["left/over"] };
    expect(oauth.warnings?.(draft, facts(["google"]))).toEqual([
      "All lists are empty: everyone with an account at Google is admitted.",
    ]);
    expect(oauth.warnings?.({ ...draft, email_domains: ["a.test"] }, null)).toEqual([]);
  });
});

it("an OAuth login needs an app where the server has none", () => {
  const draft = { ...draftOf(oauth, null), provider: "twitch", email_domains: ["a.test"] };
  expect(oauth.warnings?.(draft, facts(["google"]))?.[0]).toMatch("This server has no Twitch app of its own");
  expect(oauth.warnings?.({ ...draft, client_id: "app" }, facts([]))).toEqual([]);
});

it("an OAuth login by address at Microsoft needs tenants that the operator lists", () => {
  const draft = {
    ...draftOf(oauth, null),
    provider: "microsoft",
    client_id: "app",
    email_domains: ["a.test"],
  };
  expect(oauth.warnings?.(draft, facts([]))?.[0]).toMatch("must list the Microsoft tenants");
  expect(oauth.warnings?.(draft, { ...facts([]), microsoft_tenants: true })).toEqual([]);
  expect(oauth.warnings?.({ ...draft, provider: "google" }, facts([]))).toEqual([]);
});

describe("what is wrong", () => {
  it.each([
    [backend, {}, "backend_id", "Choose a backend."],
    [ipRestriction, {}, "ip_policy_ids", "Choose at least one IP policy."],
    [rateLimit, { requests: "0" }, "requests", "Enter 1 to 1000000 requests."],
    [
      rateLimit,
      { key: "ip" },
      "key",
      "Write address, identity, everyone, or header: and the name of a header.",
    ],
    [maintenance, { until: "tomorrow" }, "until", "Write a time like 2030-01-31T12:00:00Z."],
    [
      redirect,
      { rules: [{ to: "//a.test" }] },
      "rules",
      "A target begins with one slash, https:// or http://.",
    ],
    [rewrite, {}, "strip_prefix", "There is nothing to rewrite yet."],
    [rewrite, { path: "/a" }, "to", "A pattern needs a new path."],
    [
      errorPages,
      { pages: [{ status: "200", page: "x" }] },
      "pages",
      "“200” is not a status of errors: write 404, 4xx or 5xx.",
    ],
    [circuitBreaker, { rolling_window: "0" }, "rolling_window", "Enter 1 to 4294967295 seconds."],
    [circuitBreaker, { num_buckets: "129" }, "num_buckets", "Enter 1 to 128 buckets."],
    [circuitBreaker, { volume_threshold: "1.5" }, "volume_threshold", "Enter a whole number of requests."],
    [
      circuitBreaker,
      { error_threshold_percentage: "120" },
      "error_threshold_percentage",
      "Enter a percentage from 0 to 100.",
    ],
    [
      requestHeaders,
      { add: [{ name: "User-Agent", value: "x" }] },
      "add",
      "“user-agent” cannot be changed: the backend gets the visitor's own value.",
    ],
    [
      responseHeaders,
      { add: [{ name: "Postern-X", value: "x" }] },
      "add",
      "Headers that begin with “postern-” are reserved for this server.",
    ],
    [
      requestHeaders,
      { remove: ["host"] },
      "remove",
      "“host” can be removed only where another one is added.",
    ],
    [
      requestHeaders,
      {
        add: [
          { name: "a", value: "1" },
          { name: "A", value: "2" },
        ],
      },
      "add",
      "“a” occurs twice: case does not matter.",
    ],
    [webhookVerification, { provider: "github" }, "secret", "Secret is required."],
    [webhookVerification, { provider: "sendgrid" }, "secret", "Public key is required."],
    [oidc, { issuer: "http://a.test" }, "issuer", "Plain HTTP is allowed for loopback addresses only."],
    [oidc, { issuer: "https://a.test?x" }, "issuer", "Remove the query and the fragment."],
    [
      oauth,
      { auth_check_interval: "5" },
      "auth_check_interval",
      "At least 10 seconds, or 0: only at the login.",
    ],
    [oauth, { client_id: "a" }, "client_secret", "A client ID needs its secret. Enter both, or neither."],
    [
      oauth,
      { provider: "github", teams: ["a b"] },
      "teams",
      "“a b” is not a team: write it like acme/developers.",
    ],
    [saml, { idp_metadata: "" }, "idp_metadata", "Metadata of the identity provider is required."],
    [saml, { cookie_prefix: "a b" }, "cookie_prefix", "Only letters, digits and !#$%&'*+-.^_`|~."],
  ])("with $name is said at the field ($#)", (module, draft, field, sentence) => {
    expect(mistakesOf(module, { ...draftOf(module, null), ...draft }, null)[field]).toBe(sentence);
  });

  it("is nothing where a field is not asked for", () => {
    expect(mistakesOf(webhookVerification, { provider: "sns", secret: "" }, null)).toEqual({});
    expect(mistakesOf(oauth, { ...draftOf(oauth, null), provider: "google", teams: ["a b"] }, null)).toEqual(
      {},
    );
    expect(
      mistakesOf(
        oidc,
        {
          ...draftOf(oidc, null),
          issuer: "http://localhost:9000",
          client_id: "a",
          client_secret: "b",
        },
        null,
      ),
    ).toEqual({});
  });
});

describe("summaries", () => {
  it("say in a line what is set", () => {
    const view = {
      tripped_duration: 60,
      rolling_window: 10,
      num_buckets: 10,
      volume_threshold: 20,
      error_threshold_percentage: 0.25,
    };
    expect(rateLimit.summary({ requests: 5, interval: 60, burst: 2, key: "identity" })).toBe(
      "5 requests in 1 minute for each person, 2 more at once",
    );
    expect(circuitBreaker.summary(view)).toBe(
      "opens for 1 minute when 25% of at least 20 requests in 10 seconds fail",
    );
    const some = { ...session, auth_check_interval: 0, provider: { ...providers, google: login } };
    expect(oauth.summary(some)).toBe("Google: a.test, sessions of 1 minute idle");
    expect(saml.summary({ ...session, idp_metadata: "<EntityDescriptor/>", authorized_groups: [] })).toBe(
      "no visitor is admitted yet: the metadata is incomplete",
    );
  });
});
