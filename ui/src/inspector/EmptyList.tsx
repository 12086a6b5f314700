// What stands in the list while there is nothing: how to get a first request, or how to see the others again.
import { quote } from "../model/curl";
import { Button, IconButton } from "../parts/Button";
import { useAgent, useCopy, useServices } from "../services";
import styles from "./EmptyList.module.css";

export function EmptyList({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  const { host } = useServices();
  const { link, tunnels } = useAgent();
  const copy = useCopy();
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
  const url = tunnels.find(
    ({ state, public_url }) => state === "running" && public_url?.startsWith("http"),
  )?.public_url;
  if (!url) {
    return (
      <div className={styles.empty}>
        <p className={styles.title}>No requests yet</p>
        <p>What comes through an HTTP tunnel appears here as it happens.</p>
      </div>
    );
  }
  const command = `curl --insecure ${quote(url)}`;
  return (
    <div className={styles.empty}>
      <p className={styles.title}>Waiting for the first request</p>
      <p>Open the public address, or ask for it from a terminal:</p>
      <div className={styles.command}>
        <code>{command}</code>
        <IconButton label="Copy the command" icon="copy" onClick={() => void copy(command, "Command")} />
      </div>
      <Button icon="open" onClick={() => void host.openExternal(url)}>
        Open {url.replace(/^https?:\/\//, "")}
      </Button>
    </div>
  );
}
