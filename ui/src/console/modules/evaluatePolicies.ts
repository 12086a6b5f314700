// Evaluates the rules of IP policies for an address, as the edge does.
import type { IpPolicyRule } from "../../api/generated";
import { isWithin } from "../../model/cidr";

export type PolicyVerdict =
  { passes: true; rule: IpPolicyRule } | { passes: false; rule: IpPolicyRule | null } | null;

/** At least one rule must allow the address and none may deny it; null for an invalid address. */
export function evaluatePolicies(address: string, rules: readonly IpPolicyRule[]): PolicyVerdict {
  if (isWithin(address, "0.0.0.0/0") === null) return null;
  const matching = rules.filter((rule) => isWithin(address, rule.cidr));
  const denying = matching.find(({ action }) => action === "deny");
  if (denying) return { passes: false, rule: denying };
  const allowing = matching.find(({ action }) => action === "allow");
  return allowing ? { passes: true, rule: allowing } : { passes: false, rule: null };
}
