// Addresses are judged as the edge does: one rule must allow them, none may deny them.
import { expect, it } from "vitest";
import type { IpPolicyRule } from "../../api/generated";
import { evaluatePolicies } from "./evaluatePolicies";

const rule = (action: IpPolicyRule["action"], cidr: string) => ({ action, cidr }) as IpPolicyRule;
const country = (action: IpPolicyRule["action"]) => ({ action, cidr: "", country: "DE" }) as IpPolicyRule;
const rules = [
  rule("allow", "10.0.0.0/8"),
  rule("deny", "10.9.0.0/16"),
  rule("allow", "2001:db8::/33"),
  rule("allow", "192.0.2.7/32"),
];

it.each([
  ["10.1.2.3", true, "10.0.0.0/8"],
  ["10.9.255.1", false, "10.9.0.0/16"],
  ["11.0.0.1", false, undefined],
  ["192.0.2.7", true, "192.0.2.7/32"],
  ["192.0.2.6", false, undefined],
  ["::ffff:10.1.2.3", true, "10.0.0.0/8"],
  ["2001:db8:7fff::1", true, "2001:db8::/33"],
  ["2001:db8:8000::1", false, undefined],
])("%s: %s by %s", (address, passes, cidr) => {
  const verdict = evaluatePolicies(address, rules);
  expect(verdict).toMatchObject({ passes, rule: cidr === undefined ? null : { cidr } });
});

it("without rules no visitor passes, and IPv4 rules say nothing about IPv6", () => {
  expect(evaluatePolicies("10.1.2.3", [])).toEqual({ passes: false, rule: null });
  expect(evaluatePolicies("::1", [rule("allow", "0.0.0.0/0")])).toEqual({ passes: false, rule: null });
});

it("countries are left to the server unless the networks decide", () => {
  const byCountry = { passes: "by country" };
  expect(evaluatePolicies("11.0.0.1", [...rules, country("allow")])).toEqual(byCountry);
  expect(evaluatePolicies("11.0.0.1", [...rules, country("deny")])).toEqual({ passes: false, rule: null });
  expect(evaluatePolicies("10.1.2.3", [...rules, country("deny")])).toEqual(byCountry);
  expect(evaluatePolicies("10.1.2.3", [...rules, country("allow")])).toMatchObject({ passes: true });
  expect(evaluatePolicies("10.9.0.1", [...rules, country("allow")])).toMatchObject({ passes: false });
});

it("what is no address has no verdict", () => {
  for (const text of ["", "10.0.0", "10.0.0.0/8", "localhost"])
    expect(evaluatePolicies(text, rules), text).toBeNull();
});
