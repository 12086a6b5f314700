// Roles of users, bot users and API keys.
import type { Base } from "../../api/management";
import type { Role } from "../../api/generated";
import type { ChoiceField } from "../form/field";
import type { Column } from "../resource/kind";

const NAMES: Readonly<Record<Role, string>> = {
  admin: "Administrator",
  editor: "Editor",
  viewer: "Viewer",
  "agent-owner": "Agent owner",
};

const RIGHTS: Readonly<Record<Role, string>> = {
  admin: "Sees and changes everything.",
  editor:
    "Sees and changes everything except users, keys of others, the audit log, and who may reach the API and the console.",
  viewer: "Sees what an editor sees, and changes nothing.",
  "agent-owner": "Sees and changes own credentials, and the agents that use them.",
};

const ROLES = Object.keys(NAMES) as Role[];

export const nameOfRole = (role: string): string => NAMES[role as Role] ?? role;

const option = (role: Role) => ({ value: role, label: NAMES[role], note: RIGHTS[role] });

export const role: ChoiceField = {
  kind: "choice",
  name: "role",
  label: "Role",
  initial: "editor",
  options: ROLES.map(option),
};

/** The role of a key, which takes rights from those of its owner. */
export const roleOfKey: ChoiceField = {
  kind: "choice",
  name: "role",
  label: "Role",
  help: "A key never has more rights than its owner.",
  initial: "admin",
  options: [
    { value: "admin", label: "That of its owner", note: "The key has all rights of its owner." },
    ...ROLES.filter((one) => one !== "admin").map(option),
  ],
};

export const roleColumn: Column<Base & { role: Role }> = {
  name: "role",
  label: "Role",
  text: (one) => nameOfRole(one.role),
};

export const roleOfKeyColumn: Column<Base & { role: Role }> = {
  name: "role",
  label: "Role",
  text: (one) => (one.role === "admin" ? "That of its owner" : nameOfRole(one.role)),
};
