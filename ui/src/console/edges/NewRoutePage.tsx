// The form that makes a route: which paths, and where they go.
import { useState } from "react";
import type { HttpsEdge, HttpsRoute } from "../../api/generated";
import { say } from "../../parts/toast";
import { useGo, useParam } from "../address";
import { httpsEdges } from "../kinds/httpsEdges";
import { oneOf, useAsked } from "../management";
import { backend } from "../modules/backend";
import type { ReferenceField } from "../modules/descriptor";
import { ReferenceInput } from "../modules/inputs/ReferenceInput";
import { PageFrame } from "../resource/PageFrame";
import { ResourceForm } from "../resource/ResourceForm";
import { ROUTE_FIELDS } from "./routeFields";

const chosen = { ...(backend.fields[0] as ReferenceField), required: false };

export default function NewRoutePage() {
  const go = useGo();
  const id = useParam("id");
  const [backendId, setBackendId] = useState("");
  const { data: edge } = useAsked(oneOf<HttpsEdge>(httpsEdges, id));
  const place = `/edges/https/${id}`;
  return (
    <PageFrame
      title="New route"
      about="Which paths of the edge it is for, and where they go. Stages are added afterwards."
      back={{ to: place, label: edge ? httpsEdges.title(edge) : "The edge" }}
    >
      <ResourceForm<HttpsRoute>
        fields={ROUTE_FIELDS}
        record={null}
        method="POST"
        path={`${place}/routes`}
        {...(backendId ? { fixed: { backend: { backend_id: backendId } } } : {})}
        forgets={["/edges/https"]}
        submit="Create route"
        onCancel={() => go(place)}
        onDone={(route) => {
          say({ title: "Route created" });
          go(`${place}/routes/${route.id}`);
        }}
      >
        <ReferenceInput field={chosen} value={backendId} mistake={null} onChange={setBackendId} />
      </ResourceForm>
    </PageFrame>
  );
}
