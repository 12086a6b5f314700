// The page of an edge for connections: its stages, recent refusals and settings.
import type { Owner } from "../modules/descriptor";
import type { Kind } from "../resource/kind";
import { useDecisions } from "./useDecisions";
import { EdgeFrame, type EdgeRecord, type Tab, type TabProps } from "./EdgeFrame";
import { Hostports } from "./Hostports";
import { Refusals } from "./Refusals";
import { StageColumn } from "./StageColumn";

const OWNERS: Readonly<Record<string, Owner>> = { "/edges/tls": "tls_edge", "/edges/tcp": "tcp_edge" };

const TABS: readonly Tab<EdgeRecord>[] = [
  { value: "stages", label: () => "Stages", Content: Stages },
  { value: "refused", label: () => "Refusals", Content: EdgeRefusals },
];

export function ConnectionEdgePage<T extends EdgeRecord>({ kind }: { kind: Kind<T> }) {
  return (
    <EdgeFrame<EdgeRecord>
      kind={kind as unknown as Kind<EdgeRecord>}
      facts={(edge) => [{ label: "Listens on", value: <Hostports hostports={edge.hostports} /> }]}
      tabs={TABS}
    />
  );
}

function Stages({ edge, kind }: TabProps<EdgeRecord>) {
  const path = `${kind.path}/${edge.id}`;
  const visits = useDecisions(path) ?? [];
  return (
    <StageColumn
      owner={OWNERS[kind.path] ?? "tcp_edge"}
      record={edge}
      path={path}
      collection={kind.path}
      visits={visits}
    />
  );
}

function EdgeRefusals({ edge, kind }: TabProps<EdgeRecord>) {
  return <Refusals visits={useDecisions(`${kind.path}/${edge.id}`)} />;
}
