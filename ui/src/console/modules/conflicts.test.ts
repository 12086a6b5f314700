// Conflicting modules are reported before a request is sent.
import { expect, it } from "vitest";
import { conflictsOf, conflictWith, moduleSetOf } from "./conflicts";

const enabled = { enabled: true };
const route = (modules: object) =>
  moduleSetOf({ id: "edghtsrt_1", backend: enabled, ...modules }, "https_route");
const tls = (modules: object) => moduleSetOf({ backend: enabled, ...modules }, "tls_edge");

it("a route without a backend serves no visitor", () => {
  expect(conflictsOf(route({ backend: null }), "https_route")).toEqual([
    "There is no backend yet: no visitor is served until one is added.",
  ]);
  expect(conflictsOf(route({ backend: { enabled: false } }), "https_route")[0]).toMatch("turned off");
  expect(conflictsOf(route({}), "https_route")).toEqual([]);
  expect(conflictsOf(moduleSetOf({}, "https_edge"), "https_edge")).toEqual([]);
});

it("senders of webhooks cannot log in", () => {
  const both = { webhook_verification: enabled, saml: enabled };
  expect(conflictsOf(route(both), "https_route")).toHaveLength(1);
  expect(conflictsOf(route({ ...both, saml: { enabled: false } }), "https_route")).toEqual([]);
});

it("a route has one login", () => {
  expect(conflictWith(route({ oidc: enabled }), "saml")).toMatch("“OpenID Connect login” is enabled");
  expect(conflictWith(route({ oidc: enabled }), "oidc")).toBeNull();
  expect(conflictWith(route({ oidc: { enabled: false } }), "saml")).toBeNull();
  expect(conflictWith(route({ oidc: enabled }), "ip_restriction")).toBeNull();
});

it("certificates are judged where TLS ends", () => {
  expect(conflictWith(tls({}), "mutual_tls")).toMatch("at the edge");
  expect(
    conflictWith(tls({ tls_termination: { enabled: true, terminate_at: "edge" } }), "mutual_tls"),
  ).toBeNull();
  expect(conflictWith(moduleSetOf({}, "https_edge"), "mutual_tls")).toBeNull();
  const passing = { mutual_tls: enabled, tls_termination: { enabled: true, terminate_at: "upstream" } };
  expect(conflictsOf(tls(passing), "tls_edge")).toHaveLength(1);
});
