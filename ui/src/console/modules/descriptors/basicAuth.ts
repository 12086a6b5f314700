// Users who enter their name and password.
import { credentialsMistake } from "../../../model/credentials";
import { counted } from "../../../model/format";
import { filledRows } from "../../form/draft";
import type { Draft, Row } from "../../form/field";
import { rowsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

function wrongUser({ username = "", password = "" }: Row): string | null {
  return credentialsMistake(username, password, password === "");
}

function mistakes(draft: Draft): Record<string, string> {
  const names = filledRows(rowsOf(draft["users"])).map(({ username = "" }) => username);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? {} : { users: `“${twice}” occurs twice: each user has one password.` };
}

export const basicAuth: ModuleDescriptor = {
  name: "basic_auth",
  label: "Basic authentication",
  about: "Admits users who enter their name and password (HTTP Basic authentication).",
  owners: ["https_route"],
  stage: 70,
  isLogin: true,
  trace: "basic_auth",
  without: "No password is required.",
  fields: [
    {
      kind: "rows",
      name: "users",
      label: "Users",
      help: "Passwords have 8 characters or more. They are stored as hashes and never shown again; leave the password of an existing user empty to keep it.",
      columns: [
        { name: "username", label: "User name", placeholder: "ada" },
        { name: "password", label: "Password", secret: true },
      ],
      shape: "list",
      add: "Add user",
      required: true,
      maxItems: 100,
      check: wrongUser,
    },
  ],
  summary: (view) => counted(rowsOf(view["users"]).length, "user"),
  mistakes,
};

export default [basicAuth];
