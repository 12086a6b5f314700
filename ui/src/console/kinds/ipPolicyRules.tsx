// The rules of IP policies, each a network or a country that is allowed or denied.
import { readCidr, sizeOfNetwork } from "../../model/cidr";
import { State } from "../../parts/State";
import { Moment, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, metadataColumn } from "../resource/kind";

export const ipPolicyRules = describe("/ip_policy_rules", {
  singular: "rule",
  plural: "rules",
  about: "Networks and countries that are allowed or denied.",
  title: (rule) => `${rule.action} ${rule.country ?? rule.cidr}`,
  columns: [
    { name: "cidr", label: "Network", text: (rule) => rule.cidr, mono: true },
    { name: "country", label: "Country", text: (rule) => rule.country ?? "", mono: true },
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
      help: "An address or a range in CIDR notation, IPv4 or IPv6. Leave it empty for a country.",
      placeholder: "10.0.0.0/8",
      mono: true,
      when: (draft) => draft["country"] === "",
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
      kind: "text",
      name: "country",
      label: "Country",
      help: "Two letters of ISO 3166-1, such as DE, instead of a network. The server needs a database of countries (--geoip).",
      placeholder: "DE",
      maxLength: 2,
      mono: true,
      when: (draft) => draft["cidr"] === "",
      check: (value) => (/^[A-Za-z]{2}$/.test(value) ? null : "Country must be two letters."),
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
  empty: { sentence: "No rules: this policy admits no one. Add a network or a country to allow." },
  deletion: () =>
    "Addresses that only this rule allows will be refused; addresses that only this rule denies will be admitted.",
  facts: (rule) => [{ label: "IP policy", value: <RefLink id={rule.ip_policy.id} /> }],
});
