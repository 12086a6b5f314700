// Fields that most records have.
import type { TextField } from "./field";

export const description = (help = "Shown in lists."): TextField => ({
  kind: "text",
  name: "description",
  label: "Description",
  help,
  maxBytes: 255,
});

export const metadata: TextField = {
  kind: "text",
  name: "metadata",
  label: "Metadata",
  help: "Free text for your scripts.",
  maxBytes: 4096,
  rows: 2,
};
