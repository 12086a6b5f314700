// IP policies: named lists of rules that allow or deny addresses.
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../resource/kind";
import { description, metadata } from "../form/fields";
import { Moment } from "../resource/cells";
import { PolicyDeletionEffect } from "./PolicyDeletionEffect";
import { PolicyRules } from "./PolicyRules";

export const ipPolicies = describe("/ip_policies", {
  singular: "IP policy",
  plural: "IP policies",
  about: "Named lists of networks. A policy has no effect until an edge or an IP restriction refers to it.",
  title: titleOf,
  columns: [
    descriptionColumn,
    idColumn,
    {
      name: "created_at",
      label: "Created",
      text: (policy) => policy.created_at,
      cell: (policy) => <Moment at={policy.created_at} />,
    },
    metadataColumn,
  ],
  fields: [description(), metadata],
  dependents: true,
  empty: {
    sentence:
      "There is no IP policy yet. Create one with rules; then edges and IP restrictions can refer to it.",
    command: "postern api ip-policies create --description 'Office'",
  },
  Stays: PolicyDeletionEffect,
  touches: ["/ip_policy_rules", "/ip_restrictions"],
  More: PolicyRules,
});
