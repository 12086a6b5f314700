// HTTPS edges: host names whose requests are routed by path.
import type { HttpsRoute } from "../../api/generated";
import { counted } from "../../model/format";
import { hostports } from "../edges/hostportsField";
import { PUBLISH_PATH } from "../publish/publishPath";
import { inMatchOrder } from "../edges/routeFields";
import { pathOf } from "../edges/routePath";
import { Moment, None, RefLink } from "../resource/cells";
import { description, metadata } from "../form/fields";
import { healthColumn, requestsColumn } from "./trafficColumns";
import { describe, descriptionColumn, idColumn, metadataColumn } from "../resource/kind";
import { unnamed } from "../../model/ids";

export const httpsEdges = describe("/edges/https", {
  singular: "HTTPS edge",
  plural: "HTTPS edges",
  about: "Host names for HTTP. Routes forward their requests by path and apply modules to them.",
  title: (edge) => edge.description || edge.hostports[0] || unnamed(edge.id),
  columns: [
    { name: "hostports", label: "Public addresses", text: (edge) => edge.hostports.join(", "), mono: true },
    descriptionColumn,
    {
      name: "routes",
      label: "Routes",
      text: ({ routes }) => inMatchOrder(routes).map(pathOf).join(", "),
      cell: ({ id, routes }) => <RouteLinks edge={id} routes={routes} />,
    },
    requestsColumn,
    healthColumn,
    {
      name: "mutual_tls",
      label: "Mutual TLS",
      text: ({ mutual_tls: module }) => (module ? (module.enabled ? "on" : "off") : "not set"),
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
  task: { label: "Publish a service", path: PUBLISH_PATH },
  traffic: true,
  fields: [hostports("names"), description(), metadata],
  empty: {
    sentence:
      "There is no HTTPS edge yet. Publish a service to create one with its route, or create the parts one by one.",
    command: "postern api edges https create --hostports shop.example.com:443",
  },
  deletion: (edge) => {
    const names = edge.hostports.length > 0 ? edge.hostports.join(", ") : "Its names";
    const routes =
      edge.routes.length > 0 ? ` Its ${counted(edge.routes.length, "route")} will be deleted too.` : "";
    return `${names} are no longer served: visitors get 404 at once, and agents may bind the names.${routes}`;
  },
});

/** Number of routes that are linked in the list. */
const LINKED = 3;

function RouteLinks({ edge, routes }: { edge: string; routes: readonly HttpsRoute[] }) {
  if (routes.length === 0) return <None>none</None>;
  return (
    <>
      {inMatchOrder(routes)
        .slice(0, LINKED)
        .map((route, index) => (
          <span key={route.id}>
            {index > 0 && ", "}
            <RefLink id={route.id} parent={edge}>
              {pathOf(route)}
            </RefLink>
          </span>
        ))}
      {routes.length > LINKED && `, ${routes.length - LINKED} more`}
    </>
  );
}
