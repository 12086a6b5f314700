// The graph as a picture: moved and zoomed with pointer or keyboard; every node can be focused and selected.
import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  type Edge,
  type Node as FlowNode,
  type NodeProps,
  type ReactFlowInstance,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../../parts/Icon";
import { failureShare, healthOf, rate, type Health } from "../traffic";
import type { Graph, TopologyNode } from "./graph";
import { firstViewport, layout, NODE_HEIGHT, NODE_WIDTH, widthOf } from "./layout";
import styles from "./GraphView.module.css";

type GraphFlowNode = FlowNode<{ node: TopologyNode }, "part">;

/** The whole graph, on request; the bottom leaves room for the buttons. */
const FIT_VIEW = { padding: { x: "16px", top: "16px", bottom: "52px" }, maxZoom: 1, minZoom: 0.1 } as const;
const NODE_TYPES = { part: memo(GraphNode) };
const COLOURS: Record<Health, string> = {
  idle: "var(--line-strong)",
  ok: "var(--ok)",
  warn: "var(--warn)",
  bad: "var(--bad)",
};

interface GraphViewProps {
  graph: Graph;
  selected: string | null;
  onSelect(id: string | null): void;
}

export default function GraphView({ graph, selected, onSelect }: GraphViewProps) {
  const placed = useMemo(() => layout(graph), [graph]);
  const nodes = useMemo<GraphFlowNode[]>(
    () =>
      placed.map(({ node, x, y }) => ({
        id: node.id,
        type: "part",
        position: { x, y },
        data: { node },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        selected: node.id === selected,
        ariaLabel: described(node),
      })),
    [placed, selected],
  );
  const edges = useMemo<Edge[]>(
    () =>
      graph.links.map(({ id, from, to, minute, label }) => {
        const health = healthOf(minute);
        const share = failureShare(minute);
        const words = [label, health === "warn" || health === "bad" ? `⚠ ${share}` : ""]
          .filter(Boolean)
          .join(" ");
        return {
          id,
          source: from,
          target: to,
          style: {
            stroke: COLOURS[health],
            strokeWidth: widthOf(minute.requests),
            ...(health === "idle" ? { strokeDasharray: "4 4" } : {}),
          },
          ...(words ? { label: words } : {}),
          animated: false,
          focusable: false,
        };
      }),
    [graph],
  );
  const frame = useRef<HTMLDivElement>(null);
  const [flow, setFlow] = useState<ReactFlowInstance<GraphFlowNode> | null>(null);
  // Until the user moves it, the picture follows what is added and the size of the window.
  const moved = useRef(false);
  useEffect(() => {
    const element = frame.current;
    if (!flow || !element || placed.length === 0) return;
    const follow = () => {
      if (!moved.current)
        void flow.setViewport(firstViewport(placed, element.clientWidth, element.clientHeight));
    };
    follow();
    const sizes = new ResizeObserver(follow);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [flow, placed]);

  return (
    <div className={styles.picture} ref={frame}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        panOnScroll
        onInit={setFlow}
        onMoveStart={(event) => {
          if (event) moved.current = true;
        }}
        minZoom={0.1}
        maxZoom={1.6}
        onlyRenderVisibleElements={graph.nodes.length > 150}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_event, node) => onSelect(node.id)}
        onPaneClick={() => onSelect(null)}
        onNodesChange={(changes) => {
          // Enter and Escape on a focused node.
          for (const change of changes) if (change.type === "select" && change.selected) onSelect(change.id);
        }}
        aria-label="Graph of everything published"
      >
        <Background gap={24} size={1} />
        <Controls
          showInteractive={false}
          orientation="horizontal"
          position="bottom-right"
          fitViewOptions={FIT_VIEW}
          onZoomIn={() => (moved.current = true)}
          onZoomOut={() => (moved.current = true)}
          onFitView={() => (moved.current = true)}
        />
      </ReactFlow>
    </div>
  );
}

function GraphNode({ data: { node }, selected }: NodeProps<GraphFlowNode>) {
  const health = node.minute ? healthOf(node.minute) : "idle";
  return (
    <div className={`${styles.part} ${styles[health]}`} data-selected={selected}>
      <Handle type="target" position={Position.Left} isConnectable={false} className={styles.handle ?? ""} />
      <p className={styles.kind}>
        {node.kind}
        {node.minute && node.minute.requests > 0 && (
          <span className={styles.rate}>
            {(health === "warn" || health === "bad") && (
              <Icon name={health === "bad" ? "cross" : "alert"} size={12} />
            )}
            {rate(node.minute.requests)}
          </span>
        )}
      </p>
      <p className={`${styles.title} ${node.column === "stages" ? styles.long : ""}`} title={node.title}>
        {node.title}
      </p>
      {node.note && (
        <p className={styles.note} title={node.note}>
          {node.note}
        </p>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} className={styles.handle ?? ""} />
    </div>
  );
}

function described({ kind, title, note, minute }: TopologyNode): string {
  const passed = minute && minute.requests > 0 ? [rate(minute.requests), failureShare(minute)] : [];
  return [kind, title, note, ...passed].filter(Boolean).join(", ");
}
