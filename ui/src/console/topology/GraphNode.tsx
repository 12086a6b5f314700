// A node of the picture: a button with its title, its kind and its requests.
import { memo } from "react";
import { Icon } from "../../parts/Icon";
import { failureShare, healthOf, rate } from "../traffic";
import type { TopologyNode } from "./graph";
import styles from "./GraphNode.module.css";
import { secondLine } from "./sizes";

interface GraphNodeProps {
  node: TopologyNode;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Only its title, and its requests. */
  dense: boolean;
  selected: boolean;
  /** On a path through the selected node. */
  onPath: boolean;
  /** The one node that Tab reaches; the others are reached with the arrow keys. */
  tabbable: boolean;
}

export const GraphNode = memo(function GraphNode(props: GraphNodeProps) {
  const { node, x, y, width, height, dense, selected, onPath, tabbable } = props;
  const second = secondLine(node);
  const within = node.column === "agent" || node.column === "service";
  return (
    <button
      type="button"
      className={[
        styles.node,
        styles[node.minute ? healthOf(node.minute) : "idle"],
        node.column === "agent" ? styles.agent : "",
        onPath ? styles.onPath : "",
      ].join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
      data-node={node.id}
      aria-label={described(node)}
      aria-pressed={selected}
      tabIndex={tabbable ? 0 : -1}
      title={[node.title, second].filter(Boolean).join(", ")}
    >
      {dense || within ? (
        <span className={styles.line}>
          <span className={styles.title}>{node.title}</span>
          {within && second && <span className={styles.second}>{second}</span>}
          <Rate node={node} />
        </span>
      ) : (
        <>
          <span className={styles.title}>{node.title}</span>
          <span className={styles.line}>
            <span className={styles.second}>{second}</span>
            <Rate node={node} />
          </span>
        </>
      )}
    </button>
  );
});

function Rate({ node: { minute } }: { node: TopologyNode }) {
  if (!minute || minute.requests === 0) return null;
  const health = healthOf(minute);
  return (
    <span className={styles.rate}>
      {(health === "warn" || health === "bad") && (
        <Icon name={health === "bad" ? "cross" : "alert"} size={12} />
      )}
      {rate(minute.requests)}
    </span>
  );
}

function described({ kind, title, note, server, minute }: TopologyNode): string {
  const passed = minute && minute.requests > 0 ? [rate(minute.requests), failureShare(minute)] : [];
  return [kind, title, server && `node ${server.name}`, note, ...passed].filter(Boolean).join(", ");
}
