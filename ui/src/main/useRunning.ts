// Connections and times of the running tunnels, asked for while the window is seen.
import { useEffect, useState } from "react";
import type { RunningTunnel } from "../api/types";
import { useServices } from "../services";

const EVERY_MS = 3_000;

export function useRunning(active: boolean): ReadonlyMap<string, RunningTunnel> {
  const { model } = useServices();
  const [running, setRunning] = useState<ReadonlyMap<string, RunningTunnel>>(new Map());
  useEffect(() => {
    if (!active) {
      setRunning(new Map());
      return undefined;
    }
    let wanted = true;
    const ask = () => {
      if (document.hidden) return;
      model.api.running().then(
        (tunnels) => wanted && setRunning(new Map(tunnels.map((tunnel) => [tunnel.name, tunnel]))),
        // The feed says when the agent is gone; old numbers stay until then.
        () => {},
      );
    };
    ask();
    const timer = setInterval(ask, EVERY_MS);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [model, active]);
  return running;
}
