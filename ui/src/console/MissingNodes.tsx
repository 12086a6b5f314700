// The nodes whose share is missing in what is shown, because they did not answer.
import type { NodeName } from "../api/generated";
import { Notice } from "../parts/Notice";
import { useApiQuery } from "./management";
import { statusQuery } from "./traffic";
import { unnamed } from "../model/ids";

export function MissingNodesNotice({ nodes }: { nodes: readonly NodeName[] | undefined }) {
  if (!nodes || nodes.length === 0) return null;
  const names = nodes.map((node) => node.name || unnamed(node.id)).join(", ");
  return (
    <Notice
      tone="warn"
      title={nodes.length === 1 ? `Node ${names} does not respond` : `Nodes ${names} do not respond`}
    >
      <p>Their agents, tunnels and traffic are missing here.</p>
    </Notice>
  );
}

/** For pages that do not read the status themselves. */
export function MissingNodes() {
  return <MissingNodesNotice nodes={useApiQuery(statusQuery).data?.nodes_missing} />;
}
