// Pages of one's own for errors.
import { counted } from "../../../model/format";
import type { Row } from "../../form/field";
import { byteLength, isRecord } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const MAX_PAGE_BYTES = 32_768;

function wrongPage({ status = "", page = "" }: Row): string | null {
  if (!/^[45](\d\d|xx)$/.test(status.trim()))
    return `“${status}” is not a status of errors: write 404, 4xx or 5xx.`;
  return byteLength(page) > MAX_PAGE_BYTES ? "A page has at most 32 KiB." : null;
}

export const errorPages: ModuleDescriptor = {
  name: "error_pages",
  label: "Error pages",
  about: "Shows browsers your own HTML for errors. Programs get JSON as before.",
  owners: ["https_route"],
  stage: 145,
  changesResponses: true,
  trace: "error_pages",
  without: "Browsers get the error pages of this server.",
  fields: [
    {
      kind: "rows",
      name: "pages",
      label: "Pages",
      help: "HTML by status, such as 404, or by 4xx and 5xx. At most 32 KiB each and 128 KiB together.",
      columns: [
        { name: "status", label: "Status", placeholder: "5xx" },
        { name: "page", label: "HTML", placeholder: "<h1>${res.status}</h1>" },
      ],
      shape: "map",
      add: "Add page",
      required: true,
      maxItems: 20,
      variables: [
        ["error.code", "The code of the error; empty for errors of the backend."],
        ["error.message", "What is wrong and what to do."],
        ["res.status", "The status of the response."],
        ["req.id", "The ID of the request, as in the log."],
      ],
      check: wrongPage,
    },
    {
      kind: "flag",
      name: "upstream",
      label: "Also for errors of the backend",
      initial: false,
      help: "Otherwise only for errors that this server answers itself.",
    },
  ],
  summary: (view) => {
    const pages = isRecord(view["pages"]) ? Object.keys(view["pages"]).length : 0;
    return `${counted(pages, "page")}${view["upstream"] === true ? ", also for errors of the backend" : ""}`;
  },
};

export default [errorPages];
