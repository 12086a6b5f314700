// The backend that receives the visitors' requests or connections.
import type { ReferenceField } from "../../form/field";
import { idOf } from "../../form/values";
import { BACKENDS } from "../../kinds/references";
import type { ModuleDescriptor } from "../descriptor";

export const backendId: ReferenceField = {
  kind: "reference",
  name: "backend_id",
  label: "Backend",
  help: "A tunnel group, a weighted or failover backend, a fixed response, or an address that the server reaches directly.",
  of: BACKENDS,
  required: true,
  read: ({ backend: target }) => idOf(target),
};

export const backend: ModuleDescriptor = {
  name: "backend",
  label: "Backend",
  about: "Receives the requests of visitors after all modules.",
  owners: ["https_route", "tls_edge", "tcp_edge"],
  stage: 140,
  trace: "backend",
  without: "No visitor is served: requests get an error page, and connections are closed.",
  fields: [backendId],
  summary: (view) => idOf(view["backend"]),
};

export default [backend];
