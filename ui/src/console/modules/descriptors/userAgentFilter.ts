// Which browsers and programs are let in, by their User-Agent header.
import type { ListField } from "../../form/field";
import { textsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

function patterns(name: string, label: string, help: string): ListField {
  return { kind: "list", name, label, help, maxItems: 100, maxLength: 1024, placeholder: "(?i)curl/" };
}

export const userAgentFilter: ModuleDescriptor = {
  name: "user_agent_filter",
  label: "User agent filter",
  about: "Admits visitors that match one of the allowed patterns, or none of the denied ones.",
  owners: ["https_route"],
  stage: 50,
  trace: "user_agent_filter",
  without: "Every browser and program is admitted, including those without a User-Agent.",
  fields: [
    patterns(
      "allow",
      "Allow",
      "Regular expressions; matches are admitted even if denied below. `^$` admits visitors without a User-Agent.",
    ),
    patterns("deny", "Deny", "Regular expressions; a visitor that matches one and is not allowed gets 403."),
  ],
  summary: (view) => `${textsOf(view["allow"]).length} allowed, ${textsOf(view["deny"]).length} denied`,
  warnings: (draft) =>
    textsOf(draft["allow"]).length + textsOf(draft["deny"]).length === 0
      ? ["Without any pattern only visitors without a User-Agent are refused."]
      : [],
};

export default [userAgentFilter];
