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
import { layout, NODE_HEIGHT, NODE_WIDTH, widthOf } from "./layout";
import styles from "./GraphView.module.css";

type GraphFlowNode = FlowNode<{ node: TopologyNode }, "part">;

/** Fits the whole graph; the bottom leaves room for the buttons. */
const FIT_VIEW = { padding: { x: "16px", top: "16px", bottom: "52px" }, maxZoom: 1, minZoom: 0.35 } as const;
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
  const nodes = useMemo<GraphFlowNode[]>(
    () =>
      layout(graph).map(({ node, x, y }) => ({
        id: node.id,
        type: "part",
        position: { x, y },
        data: { node },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        selected: node.id === selected,
        ariaLabel: described(node),
      })),
    [graph, selected],
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
  // Until the user moves it, the picture shows the whole graph, whatever is added and however large the window is.
  const moved = useRef(false);
  const parts = nodes.length;
  useEffect(() => {
    if (!flow || !frame.current || parts === 0) return;
    const fit = () => {
      if (!moved.current) void flow.fitView(FIT_VIEW);
    };
    fit();
    const sizes = new ResizeObserver(fit);
    sizes.observe(frame.current);
    return () => sizes.disconnect();
  }, [flow, parts]);

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
        fitView
        fitViewOptions={FIT_VIEW}
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
          onFitView={() => (moved.current = false)}
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
