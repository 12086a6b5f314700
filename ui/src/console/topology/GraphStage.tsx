// The graph, and beside it the details of the selected node.
import { lazy, Suspense, useRef } from "react";
import { useWidth } from "../../parts/hooks";
import { Loading } from "../shell/PageStates";
import type { Graph, TopologyNode } from "./graph";
import styles from "./GraphStage.module.css";
import { NodeDetails } from "./NodeDetails";
import { readableWidth } from "./viewport";

const GraphView = lazy(() => import("./GraphView"));

/** Steps in pixels in which a layout follows the width of the window. */
const STEP = 40;

interface GraphStageProps {
  graph: Graph;
  /** Names the part of everything that the graph is: another one begins at its own first row. */
  part: string;
  selected: TopologyNode | null;
  /** The id of the node to whose paths the graph is limited. */
  focus: string;
  onSelect(id: string | null): void;
  onFocus(id: string): void;
}

export function GraphStage({ graph, part, selected, focus, onSelect, onFocus }: GraphStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const across = useWidth(stage, STEP);
  return (
    <div className={styles.stage} ref={stage}>
      {across !== null && (
        <Suspense fallback={<Loading />}>
          <GraphView
            key={part}
            graph={graph}
            // The details cover a part of the graph for a while: it keeps its layout.
            room={readableWidth(across)}
            selected={selected?.id ?? null}
            onSelect={onSelect}
          />
        </Suspense>
      )}
      {selected && (
        <NodeDetails
          node={selected}
          focused={selected.id === focus}
          onFocus={() => onFocus(selected.id)}
          onClose={() => onSelect(null)}
        />
      )}
    </div>
  );
}
