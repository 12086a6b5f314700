// TCP edges: public addresses whose connections are forwarded to a backend.
import { hostports } from "../edges/hostportsField";
import { Moment, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { healthColumn, requestsColumn } from "./trafficColumns";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { unnamed } from "../../model/ids";

export const tcpEdges = describe("/edges/tcp", {
  singular: "TCP edge",
  plural: "TCP edges",
  about: "Server ports whose connections go to one backend.",
  title: (edge) => edge.description || edge.hostports[0] || unnamed(edge.id),
  columns: [
    {
      name: "hostports",
      label: "Public addresses",
      text: (edge) => edge.hostports.join(", ") || "none",
      mono: true,
    },
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
      name: "ip_restriction",
      label: "IP restriction",
      text: ({ ip_restriction: module }) => (module ? (module.enabled ? "on" : "off") : "not set"),
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
  fields: [hostports("addresses"), description(), metadata],
  empty: {
    sentence: "There is no TCP edge yet. Create one for a port of this server and add a backend.",
    command: "postern api edges tcp create --hostports example.com:24000",
  },
  deletion: (edge) => {
    const addresses = edge.hostports.length > 0 ? edge.hostports.join(", ") : "Its addresses";
    return `${addresses} are closed: new connections are refused at once, and agents may bind the ports.`;
  },
});
