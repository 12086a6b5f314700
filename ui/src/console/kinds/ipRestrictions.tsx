// IP restrictions: policies for a whole part of the service.
import type { IpRestriction } from "../../api/generated";
import { Refs } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { idsOf } from "../form/values";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { created, YesNo } from "./columns";
import { IP_POLICIES } from "./references";

const GUARDED: Readonly<Record<IpRestriction["type"], string>> = {
  dashboard: "The console",
  api: "The management API",
  agent: "Agents that connect",
  endpoints: "All endpoints",
};

export const ipRestrictions = describe("/ip_restrictions", {
  singular: "IP restriction",
  plural: "IP restrictions",
  about: "Policies for a whole part of the service: the console, the management API, agents, all endpoints.",
  title: (restriction) => restriction.description || GUARDED[restriction.type],
  columns: [
    { name: "type", label: "Applies to", text: ({ type }) => GUARDED[type] },
    {
      name: "enforced",
      label: "State",
      text: ({ enforced }) => (enforced ? "Enforced" : "Not enforced"),
      cell: ({ enforced }) => <YesNo yes={enforced} words={["Enforced", "Not enforced"]} />,
    },
    {
      name: "ip_policies",
      label: "IP policies",
      text: (restriction) => restriction.ip_policies.map(({ id }) => id).join(" "),
      cell: (restriction) => <Refs refs={restriction.ip_policies} none="none" />,
    },
    descriptionColumn,
    created,
    idColumn,
    metadataColumn,
  ],
  fields: [
    {
      kind: "choice",
      name: "type",
      label: "Applies to",
      createOnly: true,
      initial: "endpoints",
      options: Object.entries(GUARDED).map(([value, label]) => ({ value, label })),
    },
    {
      kind: "references",
      name: "ip_policy_ids",
      label: "IP policies",
      help: "All their rules apply together: an address is admitted if one allows it and none denies it.",
      of: [IP_POLICIES],
      required: true,
      read: (record) => idsOf(record["ip_policies"]),
      maxItems: 100,
      gone: "Deleted: counts as a policy without rules.",
    },
    {
      kind: "flag",
      name: "enforced",
      label: "Enforced",
      help: "If off, no address is refused; the server's log names those that would have been.",
      initial: false,
    },
    description(),
    metadata,
  ],
  empty: {
    sentence:
      "There is no IP restriction: every part can be reached from every address. Create an IP policy first, then a restriction with it.",
    command: "postern api ip-restrictions list",
  },
  facts: ({ type }) => [{ label: "Applies to", value: GUARDED[type] }],
  deletion: (restriction) =>
    restriction.enforced
      ? `${GUARDED[restriction.type]}: addresses that only this restriction refuses will be admitted.`
      : "It is not enforced: it refuses no address.",
});
