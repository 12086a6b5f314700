// Compresses responses to visitors.
import type { ModuleDescriptor } from "./descriptor";

export const compression: ModuleDescriptor = {
  name: "compression",
  label: "Compression",
  about: "Compresses answers with gzip or deflate for visitors who understand it.",
  owners: ["https_route"],
  trace: "compression",
  without: "Answers go out as the backend sends them.",
  fields: [],
  summary: () => "gzip and deflate",
};
