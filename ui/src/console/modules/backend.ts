// The backend that receives the visitors' requests or connections.
import type { ModuleDescriptor } from "./descriptor";
import { isRecord, textOf } from "./words";

export const backend: ModuleDescriptor = {
  name: "backend",
  label: "Backend",
  about: "Where visitors go once every stage has let them pass.",
  owners: ["https_route", "tls_edge", "tcp_edge"],
  trace: "backend",
  without: "Nobody is served: visitors are told that there is no backend, and connections are closed.",
  fields: [
    {
      kind: "reference",
      name: "backend_id",
      label: "Backend",
      help: "A tunnel group, a weighted or failover choice, a fixed answer, or an address the server reaches itself.",
      of: "backends",
      most: 1,
      required: true,
    },
  ],
  summary: (view) => (isRecord(view["backend"]) ? textOf(view["backend"]["id"]) : ""),
  read: (view) => ({ backend_id: isRecord(view["backend"]) ? textOf(view["backend"]["id"]) : "" }),
};
