// Tunnel credentials: the tokens of agents, and what they may bind.
import { None } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn, titleOf } from "../resource/kind";
import { created, owner } from "./columns";
import { ownerField } from "./owners";

/** The error in a rule, as far as its format shows. */
export function ruleMistake(rule: string): string | null {
  if (rule === "*") return null;
  if (!rule.startsWith("bind:")) return "A rule is bind:<target>, or * for everything.";
  const target = rule.slice("bind:".length);
  if (target === "") return "After bind: write a name, an address or a label such as team=web.";
  return /\s/.test(target) ? "A rule cannot contain spaces." : null;
}

export const credentials = describe("/credentials", {
  singular: "credential",
  plural: "Credentials",
  about: "Tokens with which agents connect, and rules for what each may bind.",
  title: titleOf,
  columns: [
    descriptionColumn,
    {
      name: "acl",
      label: "Rules",
      text: ({ acl }) => acl.join(", "),
      cell: ({ acl }) => (acl.length === 0 ? <None>none: may bind everything</None> : acl.join(", ")),
    },
    owner,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    description("The person or program that uses it."),
    {
      kind: "list",
      name: "acl",
      label: "Rules",
      help: "What may be bound: a name or *.name, an address, or labels such as key=value. Without rules everything is permitted.",
      placeholder: "bind:*.example.com",
      check: (rule) => {
        const mistake = ruleMistake(rule);
        return mistake && `${rule}: ${mistake}`;
      },
    },
    ownerField("Only administrators may choose another owner."),
    metadata,
  ],
  empty: {
    sentence:
      "There is no credential. An agent needs one to connect; its token is shown once, when it is created.",
    command: "postern config add-authtoken <token>",
  },
  deletion: () => "Agents that use it are disconnected at once, and their tunnels end.",
  touches: ["/agents", "/tunnel_sessions", "/tunnels", "/endpoints"],
});
