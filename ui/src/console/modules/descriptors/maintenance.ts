// Answers in place of the backend for a while.
import { numberOf, textOf, textsOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

export const maintenance: ModuleDescriptor = {
  name: "maintenance",
  label: "Maintenance",
  about: "Answers visitors in place of the backend, until a time or until it is turned off.",
  owners: ["https_route"],
  stage: 45,
  trace: "maintenance",
  without: "Visitors reach the backend again.",
  fields: [
    {
      kind: "text",
      name: "until",
      label: "Until",
      help: "A date and time with its zone. Afterwards the module does nothing. Empty: until it is turned off.",
      placeholder: "2030-01-31T12:00:00Z",
      mono: true,
      check: (text) =>
        TIME.test(text) && !Number.isNaN(Date.parse(text)) ? null : "Write a time like 2030-01-31T12:00:00Z.",
      write: (value) => (textOf(value).trim() === "" ? null : value),
    },
    {
      kind: "number",
      name: "status_code",
      label: "Status",
      initial: 503,
      min: 200,
      max: 599,
    },
    {
      kind: "text",
      name: "body",
      label: "Body",
      help: "At most 32 KiB. Empty: the page of this server for browsers, JSON for programs.",
      maxLength: 32_768,
      maxBytes: 32_768,
      rows: 6,
      mono: true,
    },
    {
      kind: "text",
      name: "content_type",
      label: "Type of the body",
      initial: "text/html; charset=utf-8",
      mono: true,
      advanced: true,
    },
    {
      kind: "list",
      name: "allow",
      label: "Admitted networks",
      help: "Visitors of these networks reach the backend: one address or CIDR per line.",
      maxItems: 100,
      placeholder: "203.0.113.0/24",
    },
  ],
  summary: (view) => {
    const until = textOf(view["until"]);
    const end = until === "" ? "until it is turned off" : `until ${until}`;
    const admitted = textsOf(view["allow"]).length > 0 ? ", some networks are admitted" : "";
    return `${numberOf(view["status_code"])} ${end}${admitted}`;
  },
  warnings: (draft) => {
    const end = Date.parse(textOf(draft["until"]));
    return end < Date.now() ? ["This time has passed: the module does nothing."] : [];
  },
};

export default [maintenance];
