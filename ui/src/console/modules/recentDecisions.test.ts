// Recent refusals of stages, and the values to copy to providers.
import { expect, it } from "vitest";
import type { Decision, RefusedVisit } from "../../api/generated";
import { backend } from "./descriptors/backend";
import { ipRestriction } from "./descriptors/ipRestriction";
import { recentDecisions, recentText } from "./recentDecisions";
import { oidc } from "./descriptors/oidc";
import { providerValues, visitAddress } from "./providerValues";
import { saml } from "./descriptors/saml";

function visit(
  at: string,
  route: string,
  decisions: [module: string, verdict: Decision["verdict"]][],
): RefusedVisit {
  return {
    id: "op_1",
    at,
    ip: "192.0.2.7",
    scheme: "https",
    host: "a.test",
    method: "GET",
    path: "/",
    status: 403,
    error_code: "ERR_POSTERN_3203",
    msg: "No.",
    route: { id: route, uri: "" },
    decisions: decisions.map(([module, verdict]) => ({ module, verdict, rule: "", microseconds: 1 })),
    duration_microseconds: 1,
  };
}

const visits = [
  visit("2026-01-01T00:00:48Z", "one", [["ip_restriction", "refused"]]),
  visit("2026-01-01T00:00:40Z", "other", [["ip_restriction", "refused"]]),
  visit("2026-01-01T00:00:30Z", "one", [
    ["endpoints_restriction", "warned"],
    ["ip_restriction", "refused"],
  ]),
  visit("2026-01-01T00:00:00Z", "one", [["ip_restriction", "passed"]]),
];
const now = Date.parse("2026-01-01T00:01:00Z");

it("each stage says what it did on its route", () => {
  const did = recentDecisions(visits, "one");
  expect(recentText(ipRestriction, did.get("ip_restriction"), now)).toBe("refused 2, last just now");
  expect(recentText(backend, did.get("backend"), now)).toBe("failed 1, last 1 minute ago");
  expect(did.get("endpoints_restriction")).toMatchObject({ refused: 0, warned: 1 });
  expect(recentText(ipRestriction, recentDecisions(visits, null).get("ip_restriction"), now)).toBe(
    "refused 3, last just now",
  );
  expect(recentText(ipRestriction, undefined, now)).toBe("");
});

it("a clock that is behind the server's says nothing odd", () => {
  expect(recentText(ipRestriction, recentDecisions(visits, "one").get("ip_restriction"), 0)).toBe(
    "refused 2, last just now",
  );
});

it("providers are told what the server says of itself", () => {
  const facts = { callback_url: "https://login.test/oauth2/callback", login_url: "https://login.test" };
  expect(providerValues(oidc, "edghtsrt_1", null, facts).map(({ value }) => value)).toEqual([
    facts.callback_url,
  ]);
  const before = providerValues(saml, "edghtsrt_1", null, facts).map(({ value }) => value);
  const entity = "https://login.test/saml/edghtsrt_1";
  expect(before).toEqual([entity, `${entity}/acs`, `${entity}/slo`]);
  const set = { entity_id: "https://e", request_signing_certificate_pem: "PEM" };
  expect(providerValues(saml, "edghtsrt_1", set, facts).map(({ value }) => value)).toEqual([
    "https://e",
    "https://e/acs",
    "https://e/slo",
    "PEM",
  ]);
  expect(providerValues(ipRestriction, "edghtsrt_1", null, facts)).toEqual([]);
});

it("a route has an address for visitors", () => {
  expect(visitAddress(["shop.test:443"], "/a b", 4443)).toBe("https://shop.test:4443/a%20b");
  expect(visitAddress(["*.shop.test:443"], "/", 443)).toBe("https://www.shop.test/");
  expect(visitAddress([], "/", 443)).toBeNull();
});
