// Creates a route: its path and its backend.
import { toast } from "../../parts/toast";
import { useNavigateTo, useRouteParam } from "../address";
import { Form } from "../form/Form";
import { httpsEdges } from "../kinds/httpsEdges";
import { recordQuery, useApiQuery } from "../management";
import { PageFrame } from "../resource/PageFrame";
import { NEW_ROUTE_FORM } from "./routeFields";

export default function NewRoutePage() {
  const go = useNavigateTo();
  const id = useRouteParam("id");
  const { data: edge } = useApiQuery(recordQuery(httpsEdges, id));
  const path = `/edges/https/${id}`;
  return (
    <PageFrame
      title="New route"
      about="The paths that it matches, and their backend. Modules are added afterwards."
      back={{ to: path, label: edge ? httpsEdges.title(edge) : "The edge" }}
    >
      <Form
        form={NEW_ROUTE_FORM}
        record={null}
        method="POST"
        path={`${path}/routes`}
        invalidates={["/edges/https"]}
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
