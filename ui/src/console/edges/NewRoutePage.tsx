// Creates a route: its path and its backend.
import type { HttpsEdge, HttpsRoute } from "../../api/generated";
import { toast } from "../../parts/toast";
import { useNavigateTo, useRouteParam } from "../address";
import { httpsEdges } from "../kinds/httpsEdges";
import { recordQuery, useApiQuery } from "../management";
import { PageFrame } from "../resource/PageFrame";
import { ResourceForm } from "../resource/ResourceForm";
import { backendField } from "./backendField";
import { ROUTE_FIELDS } from "./routeFields";

const [matchType, match, ...texts] = ROUTE_FIELDS;
const FIELDS = [matchType, match, backendField, ...texts].filter((field) => field !== undefined);

export default function NewRoutePage() {
  const go = useNavigateTo();
  const id = useRouteParam("id");
  const { data: edge } = useApiQuery(recordQuery<HttpsEdge>(httpsEdges, id));
  const place = `/edges/https/${id}`;
  return (
    <PageFrame
      title="New route"
      about="The paths that it matches, and their backend. Stages are added afterwards."
      back={{ to: place, label: edge ? httpsEdges.title(edge) : "The edge" }}
    >
      <ResourceForm<HttpsRoute>
        fields={FIELDS}
        record={null}
        method="POST"
        path={`${place}/routes`}
        forgets={["/edges/https"]}
        submit="Create route"
        onCancel={() => go(place)}
        onDone={(route) => {
          toast({ title: "Route created" });
          go(`${place}/routes/${route.id}`);
        }}
      />
    </PageFrame>
  );
}
