// Another path and another host for the backend.
import { textOf } from "../../form/values";
import type { Draft, TextField } from "../../form/field";
import type { ModuleDescriptor } from "../descriptor";

const PREFIX = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9\-._~!$&'()*+,;=:@]+)+$/;

function prefix(name: string, label: string, help: string, placeholder: string): TextField {
  return {
    kind: "text",
    name,
    label,
    help,
    placeholder,
    maxLength: 1024,
    mono: true,
    check: (text) =>
      PREFIX.test(text) ? null : "Write a path like /api, without a slash at its end and without %.",
  };
}

function mistakes(draft: Draft): Record<string, string> {
  const has = (name: string) => textOf(draft[name]).trim() !== "";
  if (has("path") && !has("to")) return { to: "A pattern needs a new path." };
  if (has("to") && !has("path")) return { path: "A new path needs a pattern." };
  if (has("path") && (has("strip_prefix") || has("add_prefix")))
    return { path: "Write the prefixes into the pattern and the new path." };
  if (!["strip_prefix", "add_prefix", "path", "host"].some(has))
    return { strip_prefix: "There is nothing to rewrite yet." };
  return {};
}

export const rewrite: ModuleDescriptor = {
  name: "rewrite",
  label: "Rewrite",
  about:
    "Sends requests to the backend with another path or host. All other modules see what the visitor sent; the query stays.",
  owners: ["https_route"],
  stage: 125,
  trace: "rewrite",
  without: "The backend gets the path and the host that the visitor sent.",
  fields: [
    prefix(
      "strip_prefix",
      "Remove prefix",
      "Removed from the beginning of the path, in whole segments.",
      "/api",
    ),
    prefix("add_prefix", "Add prefix", "Put in front of the path.", "/v1"),
    {
      kind: "text",
      name: "path",
      label: "Pattern",
      help: "A regular expression for the whole path, in place of prefixes.",
      placeholder: "/old/(.*)",
      maxLength: 1024,
      mono: true,
      advanced: true,
    },
    {
      kind: "text",
      name: "to",
      label: "New path",
      help: "May contain the groups of the pattern and variables.",
      placeholder: "/new/${1}",
      maxLength: 2048,
      mono: true,
      advanced: true,
    },
    {
      kind: "text",
      name: "host",
      label: "Host",
      help: "The Host header for the backend. The visitor's is in X-Original-Host.",
      placeholder: "app.internal",
      maxLength: 255,
      mono: true,
    },
  ],
  mistakes,
  summary: (view) => {
    const parts = [
      textOf(view["strip_prefix"]) && `without ${textOf(view["strip_prefix"])}`,
      textOf(view["add_prefix"]) && `below ${textOf(view["add_prefix"])}`,
      textOf(view["path"]) && `${textOf(view["path"])} becomes ${textOf(view["to"])}`,
      textOf(view["host"]) && `host ${textOf(view["host"])}`,
    ];
    return parts.filter((part) => part !== "").join(", ");
  },
};

export default [rewrite];
