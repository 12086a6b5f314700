// Shown while the list is empty: how to get a first request, or how to show the others again.
import { quote } from "../model/snippets/curl";
import { Button, IconButton } from "../parts/Button";
import { attempt, useAgent, useCopy, useServices } from "../services";
import styles from "./EmptyList.module.css";

interface EmptyListProps {
  /** There are requests, but none matches the filter. */
  filtered: boolean;
  /** The agent is still searching. */
  searching: boolean;
  onClear(): void;
}

export function EmptyList({ filtered, searching, onClear }: EmptyListProps) {
  const { host, model } = useServices();
  const { connection: link, tunnels } = useAgent();
  const copy = useCopy();
  const send = (tunnel: string) =>
    attempt("The sample request could not be sent", () => model.api.sample(tunnel));
  if (filtered && searching) {
    return (
      <div className={styles.empty}>
        <p className={styles.title}>Searching…</p>
      </div>
    );
  }
  if (filtered) {
    return (
      <div className={styles.empty}>
        <p className={styles.title}>No request matches the filter</p>
        <Button icon="close" onClick={onClear}>
          Clear the filter
        </Button>
      </div>
    );
  }
  if (link !== "live") {
    return (
      <div className={styles.empty}>
        <p className={styles.title}>
          {link === "connecting" ? "Connecting to the agent…" : "Waiting for the agent"}
        </p>
      </div>
    );
  }
  const tunnel = tunnels.find(
    ({ state, public_url }) => state === "running" && public_url?.startsWith("http"),
  );
  const url = tunnel?.public_url;
  if (!tunnel || !url) {
    return (
      <div className={styles.empty}>
        <p className={styles.title}>No requests yet</p>
        <p>Requests through an HTTP tunnel appear here as they arrive.</p>
      </div>
    );
  }
  const command = `curl --insecure ${quote(url)}`;
  return (
    <div className={styles.empty}>
      <p className={styles.title}>Waiting for the first request</p>
      <p>Open the public address, or send a request from a terminal:</p>
      <div className={styles.command}>
        <code>{command}</code>
        <IconButton label="Copy the command" icon="copy" onClick={() => void copy(command, "Command")} />
      </div>
      <div className={styles.ways}>
        <Button icon="open" onClick={() => void host.openExternal(url)}>
          Open {url.replace(/^https?:\/\//, "")}
        </Button>
        <Button icon="arrow" onClick={() => void send(tunnel.name)}>
          Send a sample request
        </Button>
      </div>
    </div>
  );
}
