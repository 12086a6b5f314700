// Which IP addresses are let in.
import { counted } from "../../../model/format";
import { idsOf } from "../../form/values";
import { IP_POLICIES } from "../../kinds/references";
import type { ModuleDescriptor } from "../descriptor";

export const ipRestriction: ModuleDescriptor = {
  name: "ip_restriction",
  label: "IP restriction",
  about: "Admits visitors by address: one rule must allow it, and none may deny it.",
  owners: ["https_route", "tls_edge", "tcp_edge"],
  stage: 20,
  trace: "ip_restriction",
  without: "Every address is admitted, unless another module refuses it.",
  fields: [
    {
      kind: "references",
      name: "ip_policy_ids",
      label: "IP policies",
      help: "All their rules apply together. A deleted policy counts as a policy without rules.",
      of: [IP_POLICIES],
      maxItems: 100,
      required: true,
      read: (view) => idsOf(view["ip_policies"]),
      gone: "Deleted: counts as a policy without rules.",
    },
  ],
  summary: (view) => counted(idsOf(view["ip_policies"]).length, "policy", "policies"),
};

export default [ipRestriction];
