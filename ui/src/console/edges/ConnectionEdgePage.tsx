// The page of an edge for connections: its stages, its traffic, recent refusals and settings.
import { TrafficTab } from "../history/TrafficHistory";
import type { Kind } from "../resource/kind";
import { useDecisions } from "./useDecisions";
import { EdgeFrame, type EdgeRecord, type Tab, type TabProps } from "./EdgeFrame";
import { Hostports } from "./Hostports";
import { Refusals } from "./Refusals";
import { StageColumn } from "./StageColumn";

const TABS: readonly Tab<EdgeRecord>[] = [
  { value: "stages", label: () => "Modules", Content: Stages },
  { value: "traffic", label: () => "Traffic", Content: EdgeTraffic },
  { value: "refused", label: () => "Refusals", Content: EdgeRefusals },
];

export function ConnectionEdgePage({ kind }: { kind: Kind<EdgeRecord> }) {
  return (
    <EdgeFrame<EdgeRecord>
      kind={kind}
      facts={(edge) => [{ label: "Public addresses", value: <Hostports hostports={edge.hostports} /> }]}
      tabs={TABS}
    />
  );
}

const pathOfKind = (kind: Kind<EdgeRecord>) => (kind.path === "/edges/tls" ? "/edges/tls" : "/edges/tcp");

function Stages({ edge, kind }: TabProps<EdgeRecord>) {
  const path = pathOfKind(kind);
  const visits = useDecisions(path, edge.id) ?? [];
  return (
    <StageColumn
      owner={path === "/edges/tls" ? "tls_edge" : "tcp_edge"}
      record={edge}
      path={`${path}/${edge.id}`}
      collection={path}
      visits={visits}
    />
  );
}

function EdgeTraffic({ edge }: TabProps<EdgeRecord>) {
  return <TrafficTab id={edge.id} passing="connection" />;
}

function EdgeRefusals({ edge, kind }: TabProps<EdgeRecord>) {
  return <Refusals visits={useDecisions(pathOfKind(kind), edge.id)} />;
}
