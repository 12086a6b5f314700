// Connections and times of the running tunnels, polled while the window is visible.
import { useEffect, useState } from "react";
import type { RunningTunnel } from "../api/types";
import { useServices } from "../services";

const POLL_INTERVAL_MS = 3_000;
const NONE: ReadonlyMap<string, RunningTunnel> = new Map();

export function useRunningTunnels(enabled: boolean): ReadonlyMap<string, RunningTunnel> {
  const { model } = useServices();
  const [running, setRunning] = useState<ReadonlyMap<string, RunningTunnel>>(NONE);
  useEffect(() => {
    if (!enabled) return undefined;
    let active = true;
    const poll = () => {
      if (document.hidden) return;
      model.api.running().then(
        (tunnels) => active && setRunning(new Map(tunnels.map((tunnel) => [tunnel.name, tunnel]))),
        // The feed reports when the agent is unreachable; the old numbers stay until then.
        () => {},
      );
    };
    poll();
    const timer = setInterval(poll, POLL_INTERVAL_MS);
    return () => {
      active = false;
      clearInterval(timer);
    };
  }, [model, enabled]);
  return enabled ? running : NONE;
}
