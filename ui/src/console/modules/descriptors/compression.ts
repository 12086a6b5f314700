// Compresses responses to visitors.
import type { ModuleDescriptor } from "../descriptor";

export const compression: ModuleDescriptor = {
  name: "compression",
  label: "Compression",
  about: "Compresses responses with gzip or deflate for visitors that accept it.",
  owners: ["https_route"],
  stage: 150,
  changesResponses: true,
  trace: "compression",
  without: "Responses are sent as the backend sends them.",
  fields: [],
  summary: () => "gzip and deflate",
};

export default [compression];
