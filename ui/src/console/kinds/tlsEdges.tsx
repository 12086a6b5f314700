// TLS edges: host names whose connections are forwarded to a backend unchanged.
import { hostports } from "../edges/hostportsField";
import { Moment, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { healthColumn, requestsColumn } from "./trafficColumns";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { unnamed } from "../../model/ids";

export const tlsEdges = describe("/edges/tls", {
  singular: "TLS edge",
  plural: "TLS edges",
  about:
    "Host names whose TLS connections go to one backend, with any protocol inside. TLS ends here or at the backend.",
  title: (edge) => edge.description || edge.hostports[0] || unnamed(edge.id),
  columns: [
    { name: "hostports", label: "Public addresses", text: (edge) => edge.hostports.join(", "), mono: true },
    descriptionColumn,
    {
      name: "backend",
      label: "Backend",
      text: (edge) => edge.backend?.backend.id ?? "none",
      cell: (edge) => (edge.backend ? <RefLink id={edge.backend.backend.id} /> : "none"),
    },
    requestsColumn,
    healthColumn,
    {
      name: "tls_termination",
      label: "TLS ends",
      text: ({ tls_termination: module }) =>
        module?.enabled && module.terminate_at === "edge" ? "at the edge" : "at the backend",
    },
    idColumn,
    {
      name: "created_at",
      label: "Created",
      text: (edge) => edge.created_at,
      cell: (edge) => <Moment at={edge.created_at} />,
      hidden: true,
    },
    metadataColumn,
  ],
  traffic: true,
  fields: [hostports("names"), description(), metadata],
  empty: {
    sentence:
      "There is no TLS edge yet. Create one for a name whose connections are forwarded without decryption.",
    command: "postern api edges tls create --hostports db.example.com:443",
  },
  deletion: (edge) => {
    const names = edge.hostports.length > 0 ? edge.hostports.join(", ") : "Its names";
    return `${names} are no longer served: new connections are refused at once, and agents may bind the names.`;
  },
});
