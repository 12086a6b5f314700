// Evaluates the rules of IP policies for an address, as the edge does.
import type { IpPolicyRule } from "../../api/generated";
import { isWithin } from "../../model/cidr";

export type PolicyVerdict =
  | { passes: true; rule: IpPolicyRule }
  | { passes: false; rule: IpPolicyRule | null }
  /** The server decides by the country, which only its database knows. */
  | { passes: "by country" }
  | null;

/**
 * At least one rule must allow the address and none may deny it; null for an invalid address. Countries are left open
 * unless the networks decide alone.
 */
export function evaluatePolicies(address: string, rules: readonly IpPolicyRule[]): PolicyVerdict {
  if (isWithin(address, "0.0.0.0/0") === null) return null;
  const ofCountries = rules.filter(({ country }) => country !== undefined);
  const matching = rules.filter((rule) => rule.country === undefined && isWithin(address, rule.cidr));
  const denying = matching.find(({ action }) => action === "deny");
  if (denying) return { passes: false, rule: denying };
  const allowing = matching.find(({ action }) => action === "allow");
  const open = allowing ? "deny" : "allow";
  if (ofCountries.some(({ action }) => action === open)) return { passes: "by country" };
  return allowing ? { passes: true, rule: allowing } : { passes: false, rule: null };
}
