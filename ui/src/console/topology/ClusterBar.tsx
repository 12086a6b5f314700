// The servers of a cluster: each shows the paths to its agents only.
import { counted } from "../../model/format";
import { Icon } from "../../parts/Icon";
import type { ClusterNode } from "./graph";
import styles from "./ClusterBar.module.css";

interface ClusterBarProps {
  cluster: readonly ClusterNode[];
  focus: string;
  onFocus(id: string | undefined): void;
}

export function ClusterBar({ cluster, focus, onFocus }: ClusterBarProps) {
  if (cluster.length === 0) return null;
  return (
    <div className={styles.bar} role="group" aria-label="Nodes of the cluster">
      {cluster.map(({ id, name, state, healthy, agents }) => (
        <button
          key={id}
          type="button"
          className={`${styles.server} ${healthy ? styles.ok : styles.bad}`}
          aria-pressed={id === focus}
          onClick={() => onFocus(id === focus ? undefined : id)}
        >
          <Icon name={healthy ? "check" : "alert"} size={14} />
          <span className={styles.name}>{name}</span>
          <span>{`${state}, ${counted(agents.length, "agent")}`}</span>
        </button>
      ))}
    </div>
  );
}
