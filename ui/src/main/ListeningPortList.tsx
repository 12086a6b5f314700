// The listening ports of this machine, to pick one.
import { useCallback, useEffect, useState } from "react";
import { asProblem } from "../api/problem";
import type { ListeningPort } from "../api/types";
import { programLabel, protocolLabel } from "../model/ports";
import { IconButton } from "../parts/Button";
import { useServices } from "../services";
import styles from "./ListeningPortList.module.css";

const POLL_INTERVAL_MS = 3_000;

interface ListeningProps {
  picked: number | null;
  /** Called with what is known, and again once the service has been probed. */
  onPick(port: ListeningPort): void;
}

type ListeningPorts =
  { state: "looking" } | { state: "found"; ports: ListeningPort[] } | { state: "failed"; why: string };

export function ListeningPortList({ picked, onPick }: ListeningProps) {
  const { model } = useServices();
  const [found, setFound] = useState<ListeningPorts>({ state: "looking" });

  const refresh = useCallback(() => {
    model.api.ports().then(
      (ports) => setFound({ state: "found", ports }),
      (thrown: unknown) => setFound({ state: "failed", why: asProblem(thrown).message }),
    );
  }, [model]);
  useEffect(() => {
    refresh();
    // Services that start meanwhile appear automatically.
    const timer = setInterval(() => document.hidden || refresh(), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [refresh]);

  const pick = async (port: ListeningPort) => {
    onPick(port);
    // Only the picked port is probed for its protocol; without a response the guess remains.
    const probed = await model.api.port(port.port).catch(() => null);
    if (!probed) return;
    onPick(probed);
    setFound((before) =>
      before.state === "found"
        ? { ...before, ports: before.ports.map((one) => (one.port === probed.port ? probed : one)) }
        : before,
    );
  };

  return (
    <div>
      <div className={styles.head}>
        <p id="listening-title">
          {found.state === "looking" ? "Searching for listening ports…" : "Listening on this machine"}
        </p>
        <IconButton label="Refresh" icon="refresh" onClick={refresh} />
      </div>
      {found.state === "failed" && <p className={styles.none}>{found.why}</p>}
      {found.state === "found" && found.ports.length === 0 && (
        <p className={styles.none}>No service is listening yet. Start your service, then refresh.</p>
      )}
      {found.state === "found" && found.ports.length > 0 && (
        <ul className={styles.list} aria-labelledby="listening-title">
          {found.ports.map((port) => (
            <li key={port.port}>
              <button
                type="button"
                className={styles.port}
                aria-pressed={picked === port.port}
                onClick={() => void pick(port)}
              >
                <span className={styles.number}>{port.port}</span>
                <span className={styles.program}>{programLabel(port)}</span>
                <span className={styles.speaks}>{protocolLabel(port)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
