// Sends visitors to other addresses.
import { counted } from "../../../model/format";
import { filledRows } from "../../form/draft";
import type { Body, Row } from "../../form/field";
import { numberOf, rowsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const STATUSES = ["301", "302", "303", "307", "308"];

function wrongRule({ to = "", status_code: status = "" }: Row): string | null {
  if (!/^(\/(?![/\\])|https?:\/\/|\$\{req\.scheme\}:\/\/|\/$)/.test(to))
    return "A target begins with one slash, https:// or http://.";
  if (status !== "" && !STATUSES.includes(status)) return "The status is 301, 302, 303, 307 or 308.";
  return null;
}

const recordsOf = (view: Body): Body[] => (Array.isArray(view["rules"]) ? (view["rules"] as Body[]) : []);

export const redirect: ModuleDescriptor = {
  name: "redirect",
  label: "Redirect",
  about: "Sends visitors to another address: the first rule that matches host and path decides.",
  owners: ["https_route"],
  stage: 55,
  trace: "redirect",
  without: "Requests go to the backend instead.",
  fields: [
    {
      kind: "rows",
      name: "rules",
      label: "Rules",
      help: "The path is a regular expression for the whole path. The target may contain its groups and variables behind the host. Empty host or path: any. Empty status: 302.",
      columns: [
        { name: "host", label: "Host", placeholder: "www.example.com" },
        { name: "path", label: "Path", placeholder: "/old/(.*)" },
        { name: "to", label: "Target", placeholder: "/new/${1}" },
        { name: "status_code", label: "Status", placeholder: "302" },
      ],
      shape: "list",
      mayOmitFirst: true,
      add: "Add rule",
      required: true,
      maxItems: 100,
      check: wrongRule,
      read: (view) =>
        recordsOf(view).map((rule) => ({ ...rule, status_code: String(numberOf(rule["status_code"])) })),
      write: (value) =>
        filledRows(rowsOf(value)).map(({ host = "", path = "", to = "", status_code: status = "" }) => ({
          host: host.trim(),
          path: path.trim(),
          to: to.trim(),
          status_code: status.trim() === "" ? 302 : Number(status),
        })),
    },
  ],
  summary: (view) => counted(recordsOf(view).length, "rule"),
};

export default [redirect];
