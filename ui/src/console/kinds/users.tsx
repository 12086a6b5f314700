// People and programs that own keys and credentials.
import type { TextField } from "../form/field";
import { description, metadata } from "../form/fields";
import { describe, descriptionColumn, idColumn, metadataColumn, type Column } from "../resource/kind";
import type { Base } from "../../api/management";
import { created, YesNo } from "./columns";
import { role, roleColumn } from "./roles";

const name: TextField = { kind: "text", name: "name", label: "Name", required: true, maxBytes: 255 };
const email: TextField = {
  kind: "text",
  name: "email",
  label: "E-mail",
  help: "The user signs in to the console with the account of the OpenID provider that has this verified address.",
  maxBytes: 254,
};
const nameColumn: Column<Base & { name: string }> = { name: "name", label: "Name", text: (one) => one.name };

export const users = describe("/users", {
  singular: "user",
  plural: "Users",
  about: "People who own API keys and credentials. Only administrators can see this list.",
  title: (user) => user.name,
  columns: [
    nameColumn,
    { name: "email", label: "E-mail", text: (user) => user.email },
    roleColumn,
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [name, email, role, description(), metadata],
  dependents: true,
  empty: { sentence: "There is no user that your key may read." },
  touches: ["/api_keys", "/credentials"],
});

export const botUsers = describe("/bot_users", {
  singular: "bot user",
  plural: "Bot users",
  about: "Programs that own API keys and credentials. Only administrators can see this list.",
  title: (bot) => bot.name,
  columns: [
    nameColumn,
    {
      name: "active",
      label: "State",
      text: (bot) => (bot.active ? "Active" : "Inactive"),
      cell: (bot) => <YesNo yes={bot.active} words={["Active", "Inactive"]} />,
    },
    roleColumn,
    descriptionColumn,
    idColumn,
    created,
    metadataColumn,
  ],
  fields: [
    name,
    {
      kind: "flag",
      name: "active",
      label: "Active",
      help: "If off, none of its keys and credentials can be used, and its agents are disconnected.",
      initial: true,
    },
    role,
    description(),
    metadata,
  ],
  dependents: true,
  empty: {
    sentence:
      "There is no bot user. Create one for each program, so that its keys can be turned off together.",
    command: "postern api bot-users create --name builder",
  },
  touches: ["/api_keys", "/credentials"],
});
