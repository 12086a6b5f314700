// The rules of IP policies, each a network that is allowed or denied.
import { readCidr, sizeOfNetwork } from "../../model/cidr";
import { State } from "../../parts/State";
import { Moment, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, metadataColumn } from "../resource/kind";

export const ipPolicyRules = describe("/ip_policy_rules", {
  singular: "rule",
  plural: "rules",
  about: "Networks that are allowed or denied.",
  title: (rule) => `${rule.action} ${rule.cidr}`,
  columns: [
    { name: "cidr", label: "Network", text: (rule) => rule.cidr, mono: true },
    {
      name: "action",
      label: "Action",
      text: (rule) => rule.action,
      cell: ({ action }) =>
        action === "allow" ? (
          <State tone="ok" icon="check">
            Allow
          </State>
        ) : (
          <State tone="bad" icon="cross">
            Deny
          </State>
        ),
    },
    descriptionColumn,
    {
      name: "ip_policy",
      label: "IP policy",
      text: (rule) => rule.ip_policy.id,
      cell: (rule) => <RefLink id={rule.ip_policy.id} />,
      hidden: true,
    },
    {
      name: "created_at",
      label: "Created",
      text: (rule) => rule.created_at,
      cell: (rule) => <Moment at={rule.created_at} />,
    },
    metadataColumn,
  ],
  fields: [
    {
      kind: "text",
      name: "cidr",
      label: "Network",
      help: "An address or a range in CIDR notation, IPv4 or IPv6.",
      placeholder: "10.0.0.0/8",
      required: true,
      mono: true,
      check: (value) => {
        const read = readCidr(value);
        return "mistake" in read ? read.mistake : null;
      },
      means: (value) => {
        const read = readCidr(value);
        return "network" in read ? `Stored as ${read.network}: ${sizeOfNetwork(read.network)}.` : null;
      },
    },
    {
      kind: "choice",
      name: "action",
      label: "Action",
      createOnly: true,
      options: [
        { value: "allow", label: "Allow" },
        { value: "deny", label: "Deny" },
      ],
    },
    description(),
    metadata,
  ],
  empty: { sentence: "No rules: this policy admits no one. Add a network to allow." },
  deletion: () =>
    "Addresses that only this rule allows will be refused; addresses that only this rule denies will be admitted.",
  facts: (rule) => [{ label: "IP policy", value: <RefLink id={rule.ip_policy.id} /> }],
});
