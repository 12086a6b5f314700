// Whether the requests of the last minute got responses, as an icon and a word.
import type { TrafficPoint } from "../api/generated";
import { State } from "../parts/State";
import { failureShare, healthOf } from "./traffic";

export function healthText(minute: TrafficPoint): string {
  switch (healthOf(minute)) {
    case "idle":
      return "Idle";
    case "ok":
      return "Responding";
    default:
      return failureShare(minute);
  }
}

export function HealthState({ minute }: { minute: TrafficPoint }) {
  const health = healthOf(minute);
  const words = healthText(minute);
  if (health === "idle")
    return (
      <State tone="idle" icon="circle">
        {words}
      </State>
    );
  return (
    <State tone={health} icon={health === "ok" ? "check" : health === "bad" ? "cross" : "alert"}>
      {words}
    </State>
  );
}
