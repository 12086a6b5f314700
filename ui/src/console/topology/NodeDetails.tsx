// The details of the selected node, and links from it.
import { Button, IconButton } from "../../parts/Button";
import { State } from "../../parts/State";
import { useAgent, useServices } from "../../services";
import { PlaceLink } from "../PlaceLink";
import { count } from "../../model/format";
import { failureShare, healthOf } from "../traffic";
import styles from "./NodeDetails.module.css";
import type { TopologyNode } from "./graph";

interface NodeDetailsProps {
  node: TopologyNode;
  /** Whether only its paths are shown. */
  focused: boolean;
  onFocus(): void;
  onClose(): void;
}

export function NodeDetails({ node, focused, onFocus, onClose }: NodeDetailsProps) {
  const { minute } = node;
  const health = minute ? healthOf(minute) : "idle";
  return (
    <aside className={styles.chosen} aria-label={`${node.kind} ${node.title}`}>
      <header className={styles.header}>
        <div>
          <p className={styles.kind}>{node.kind}</p>
          <h2 className={styles.title}>{node.title}</h2>
        </div>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      {node.note && <p className={styles.note}>{node.note}</p>}
      {node.server && (
        <p className={styles.note}>
          Connected to node <PlaceLink to={`/nodes/${node.server.id}`}>{node.server.name}</PlaceLink>
        </p>
      )}
      {minute && (
        <dl className={styles.facts}>
          <div>
            <dt>Requests</dt>
            <dd>{count(minute.requests)} in the last minute</dd>
          </div>
          <div>
            <dt>Refused</dt>
            <dd>{minute.refused}</dd>
          </div>
          <div>
            <dt>Failed</dt>
            <dd>
              {health === "warn" || health === "bad" ? (
                <State tone={health} icon={health === "bad" ? "cross" : "alert"}>
                  {`${minute.failed}, ${failureShare(minute)}`}
                </State>
              ) : (
                minute.failed
              )}
            </dd>
          </div>
        </dl>
      )}
      <ul className={styles.ways}>
        {node.path && (
          <li>
            <PlaceLink to={node.path}>
              {node.path.startsWith("/edges/") ? "Open, with its refusals" : "Open"}
            </PlaceLink>
          </li>
        )}
      </ul>
      {!focused && (
        <Button icon="branch" onClick={onFocus}>
          Show only its paths
        </Button>
      )}
      {node.tunnel && <Inspect url={node.tunnel} />}
    </aside>
  );
}

/** Requests are captured by the agent; they can be shown only where that is this computer's agent. */
function Inspect({ url }: { url: string }) {
  const { host } = useServices();
  const { tunnels } = useAgent();
  const own = tunnels.find((tunnel) => tunnel.public_url === url);
  if (!own) return <p className={styles.note}>Its requests can be inspected on the machine of its agent.</p>;
  return (
    <Button icon="search" onClick={() => void host.openInspector({ tunnel: own.name, request: null })}>
      Inspect its requests
    </Button>
  );
}
