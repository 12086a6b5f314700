// Creates a route: its path and its backend.
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
  const { data: edge } = useApiQuery(recordQuery(httpsEdges, id));
  const path = `/edges/https/${id}`;
  return (
    <PageFrame
      title="New route"
      about="The paths that it matches, and their backend. Stages are added afterwards."
      back={{ to: path, label: edge ? httpsEdges.title(edge) : "The edge" }}
    >
      <ResourceForm
        fields={FIELDS}
        record={null}
        method="POST"
        path={`${path}/routes`}
        forgets={["/edges/https"]}
        submit="Create route"
        onCancel={() => go(path)}
        onDone={(route) => {
          toast({ title: "Route created" });
          go(`${path}/routes/${route.id}`);
        }}
      />
    </PageFrame>
  );
}
