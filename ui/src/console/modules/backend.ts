// The backend that receives the visitors' requests or connections.
import type { ModuleDescriptor } from "./descriptor";
import { isRecord, textOf } from "./texts";

export const backend: ModuleDescriptor = {
  name: "backend",
  label: "Backend",
  about: "Receives the requests of visitors after all stages.",
  owners: ["https_route", "tls_edge", "tcp_edge"],
  trace: "backend",
  without: "No visitor is served: requests get an error page, and connections are closed.",
  fields: [
    {
      kind: "reference",
      name: "backend_id",
      label: "Backend",
      help: "A tunnel group, a weighted or failover backend, a fixed response, or an address that the server reaches directly.",
      of: "backends",
      most: 1,
      required: true,
    },
  ],
  summary: (view) => (isRecord(view["backend"]) ? textOf(view["backend"]["id"]) : ""),
  read: (view) => ({ backend_id: isRecord(view["backend"]) ? textOf(view["backend"]["id"]) : "" }),
};
