// The page of a route: its stages in execution order, its traffic, last requests, recent refusals, and its path.
import { useState } from "react";
import type { HttpsEdge, HttpsRoute } from "../../api/generated";
import { Button } from "../../parts/Button";
import { Tabs } from "../../parts/Tabs";
import { toast } from "../../parts/toast";
import { useAddressSearch, useNavigateTo, useRouteParam } from "../address";
import { Form } from "../form/Form";
import { TrafficTab } from "../history/TrafficHistory";
import { httpsEdges } from "../kinds/httpsEdges";
import { recordQuery, useApiQuery } from "../management";
import { visitAddress } from "../modules/providerValues";
import { LastMinute } from "../requests/LastMinute";
import { RequestsView } from "../requests/RequestsView";
import { Copyable, Moment } from "../resource/cells";
import { Facts, PageFrame } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { Addresses } from "./Addresses";
import { ChangeDialog } from "./ChangeDialog";
import { useDecisions } from "./useDecisions";
import { POLL_INTERVAL_MS, Missing } from "./EdgeFrame";
import styles from "./EdgeFrame.module.css";
import { useLastMinute, inUseWarning } from "./lastMinute";
import { removalOfRoute } from "./plannedChanges";
import { useServer } from "./useServer";
import { Refusals } from "./Refusals";
import { ROUTE_FORM } from "./routeFields";
import { pathOf } from "./routePath";
import { StageColumn } from "./StageColumn";

export default function RoutePage() {
  const id = useRouteParam("id");
  const routeId = useRouteParam("route");
  const query = useApiQuery(recordQuery(httpsEdges, id, POLL_INTERVAL_MS));
  const edge = query.data?.id === id ? query.data : undefined;
  if (!edge) {
    if (!query.isError) return <Loading />;
    return <Missing kind={httpsEdges} thrown={query.error} retry={() => void query.refetch()} />;
  }
  const route = edge.routes.find((one) => one.id === routeId);
  if (route) return <LoadedRoute key={route.id} edge={edge} route={route} />;
  return (
    <PageFrame title="This route is gone" back={{ to: `/edges/https/${id}`, label: httpsEdges.title(edge) }}>
      <Failure
        thrown={new Error("The edge has no route with this ID. It may have been deleted.")}
        title="There is no route with this ID"
      />
    </PageFrame>
  );
}

function LoadedRoute({ edge, route }: { edge: HttpsEdge; route: HttpsRoute }) {
  const go = useNavigateTo();
  const [{ tab = "stages" }, change] = useAddressSearch();
  const [deleting, setDeleting] = useState(false);
  const lastMinute = useLastMinute(route.id);
  const all = useDecisions("/edges/https", edge.id);
  const own = all?.filter((visit) => visit.route?.id === route.id);
  const { data: server } = useServer();
  const address = server ? visitAddress(edge.hostports, route.match, server.https_port) : null;
  const edgePath = `/edges/https/${edge.id}`;
  const path = `${edgePath}/routes/${route.id}`;
  const shown = pathOf(route);
  return (
    <PageFrame
      title={shown}
      about={route.description}
      back={{ to: edgePath, label: httpsEdges.title(edge) }}
      actions={
        <Button weight="danger" icon="trash" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <Facts
        facts={[
          { label: "Public addresses", value: <Addresses hostports={edge.hostports} path={route.match} /> },
          { label: "Last minute", value: lastMinute ? <LastMinute point={lastMinute} page={path} /> : "…" },
          { label: "ID", value: <Copyable text={route.id} what="the ID" /> },
          { label: "Created", value: <Moment at={route.created_at} /> },
        ]}
      />
      <div className={styles.tabs}>
        <Tabs
          label="Parts of the route"
          value={tab}
          onChange={(next) => change({ tab: next, stage: undefined })}
          items={[
            { value: "stages", label: "Modules" },
            { value: "traffic", label: "Traffic" },
            { value: "requests", label: "Requests" },
            {
              value: "refused",
              label: own && own.length > 0 ? `Refusals (${own.length})` : "Refusals",
            },
            { value: "settings", label: "Settings" },
          ]}
        >
          <div className={styles.panel}>
            {tab === "stages" && (
              <StageColumn
                owner="https_route"
                record={route}
                path={path}
                collection="/edges/https"
                visits={all ?? []}
                address={address}
              />
            )}
            {tab === "traffic" && <TrafficTab id={route.id} passing="request" />}
            {tab === "requests" && <RequestsView path={path} />}
            {tab === "refused" && <Refusals visits={own} routes={[route]} page={path} />}
            {tab === "settings" && (
              <Form
                form={ROUTE_FORM}
                record={route}
                method="PATCH"
                path={path}
                invalidates={["/edges/https"]}
                submit="Save"
                onDone={() => toast({ title: "Route changed" })}
              />
            )}
          </div>
        </Tabs>
      </div>
      {deleting && (
        <ChangeDialog
          plan={removalOfRoute(shown, path, inUseWarning(lastMinute, "request"))}
          collection="/edges/https"
          onDone={() => go(edgePath)}
          onClose={() => setDeleting(false)}
        />
      )}
    </PageFrame>
  );
}
