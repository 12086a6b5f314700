// The tunnels of the configuration file and those started in addition.
import { useState } from "react";
import type { ConfiguredTunnel } from "../api/types";
import { Button } from "../parts/Button";
import { useAgent, useServices } from "../services";
import { FirstTunnel } from "./FirstTunnel";
import { FirstVisit } from "./FirstVisit";
import { RemoveDialog } from "./RemoveDialog";
import { TunnelCard } from "./TunnelCard";
import { TunnelDialog } from "./TunnelDialog";
import styles from "./Tunnels.module.css";
import { useRunningTunnels } from "./useRunningTunnels";

type OpenDialog = { what: "add" } | { what: "edit" | "remove"; tunnel: ConfiguredTunnel } | null;

interface TunnelsProps {
  onRequests(name: string): void;
  onFirst(name: string): void;
}

export function Tunnels({ onRequests, onFirst }: TunnelsProps) {
  const { tunnels, loaded: known, connection: link } = useAgent();
  const { model } = useServices();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const running = useRunningTunnels(tunnels.some(({ state }) => state === "running") && link === "live");
  const names = tunnels.map(({ name }) => name);
  const on = tunnels.filter(({ state }) => state === "running").length;
  return (
    <section className={styles.tunnels} aria-labelledby="tunnels-title">
      <header className={styles.header}>
        <h2 id="tunnels-title" className={styles.title}>
          Tunnels
        </h2>
        {tunnels.length > 0 && (
          <>
            <span className={styles.count}>
              {on} of {tunnels.length} running
            </span>
            <Button icon="add" onClick={() => setDialog({ what: "add" })}>
              Add tunnel
            </Button>
          </>
        )}
      </header>
      {tunnels.length === 0 && known && <FirstTunnel onMore={() => setDialog({ what: "add" })} />}
      {tunnels.length === 0 && !known && (
        <p className={styles.wait}>
          {link === "lost" ? "The tunnels appear when the agent responds." : "Loading the tunnels…"}
        </p>
      )}
      <div className={styles.first}>
        <FirstVisit
          tunnels={tunnels}
          visited={[...running.values()].some(({ metrics }) => metrics.http.count > 0)}
          onFirst={onFirst}
        />
      </div>
      <ul className={styles.list}>
        {tunnels.map((tunnel) => (
          <li key={tunnel.name}>
            <TunnelCard
              tunnel={tunnel}
              running={running.get(tunnel.name) ?? null}
              onEdit={() => setDialog({ what: "edit", tunnel })}
              onRemove={() => setDialog({ what: "remove", tunnel })}
              onRequests={() => onRequests(tunnel.name)}
            />
          </li>
        ))}
      </ul>
      {dialog?.what === "add" && <TunnelDialog taken={names} onClose={() => setDialog(null)} />}
      {dialog?.what === "edit" && (
        <TunnelDialog tunnel={dialog.tunnel} taken={names} onClose={() => setDialog(null)} />
      )}
      {dialog?.what === "remove" && (
        <RemoveDialog
          tunnel={dialog.tunnel}
          remove={() => model.api.remove(dialog.tunnel.name)}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}
