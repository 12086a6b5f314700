// The page of an HTTPS edge: its routes, its TLS handshake, its traffic, last requests, recent refusals and settings.
import type { HttpsEdge } from "../../api/generated";
import { Button } from "../../parts/Button";
import { useNavigateTo } from "../address";
import { TrafficTab } from "../history/TrafficHistory";
import { httpsEdges } from "../kinds/httpsEdges";
import { RequestsView } from "../requests/RequestsView";
import { Addresses } from "./Addresses";
import { useDecisions } from "./useDecisions";
import { EdgeFrame, type Tab, type TabProps } from "./EdgeFrame";
import styles from "./EdgeFrame.module.css";
import { Refusals } from "./Refusals";
import { RoutesTable } from "./RoutesTable";
import { StageColumn } from "./StageColumn";

const TABS: readonly Tab<HttpsEdge>[] = [
  { value: "routes", label: ({ routes }) => `Routes (${routes.length})`, Content: Routes },
  { value: "handshake", label: () => "Handshake", Content: Handshake },
  { value: "traffic", label: () => "Traffic", Content: EdgeTraffic },
  { value: "requests", label: () => "Requests", Content: EdgeRequests },
  { value: "refused", label: () => "Refusals", Content: EdgeRefusals },
];

export default function HttpsEdgePage() {
  return (
    <EdgeFrame<HttpsEdge>
      kind={httpsEdges}
      facts={(edge) => [{ label: "Public addresses", value: <Addresses hostports={edge.hostports} /> }]}
      tabs={TABS}
    />
  );
}

function Routes({ edge }: TabProps<HttpsEdge>) {
  const go = useNavigateTo();
  const visits = useDecisions("/edges/https", edge.id) ?? [];
  return (
    <>
      {edge.routes.length > 0 && (
        <div className={styles.intro}>
          <p>
            Matched from top to bottom: exact paths first, then the longest. A request without a match gets
            404.
          </p>
          <Button icon="add" onClick={() => go(`/edges/https/${edge.id}/routes/new`)}>
            New route
          </Button>
        </div>
      )}
      <RoutesTable edge={edge} visits={visits} />
    </>
  );
}

function Handshake({ edge }: TabProps<HttpsEdge>) {
  return (
    <>
      <p className={styles.intro}>
        What visitors must provide before their first request, on all routes. By default they use TLS 1.2 or
        1.3 and need no certificate.
      </p>
      <StageColumn
        owner="https_edge"
        record={edge}
        path={`/edges/https/${edge.id}`}
        collection="/edges/https"
        visits={[]}
      />
    </>
  );
}

function EdgeTraffic({ edge }: TabProps<HttpsEdge>) {
  return <TrafficTab id={edge.id} passing="request" />;
}

function EdgeRefusals({ edge }: TabProps<HttpsEdge>) {
  const visits = useDecisions("/edges/https", edge.id);
  return <Refusals visits={visits} routes={edge.routes} page={`/edges/https/${edge.id}`} />;
}

function EdgeRequests({ edge }: TabProps<HttpsEdge>) {
  return <RequestsView path={`/edges/https/${edge.id}`} />;
}
