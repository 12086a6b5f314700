// Whether the requests of the last minute got responses, as an icon and a word.
import type { TrafficPoint } from "../api/generated";
import { State } from "../parts/State";
import { PlaceLink } from "./PlaceLink";
import { requestsPlace, STATUS_5XX } from "./requests/recentRequests";
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

interface HealthStateProps {
  minute: TrafficPoint;
  /** The edge or tunnel whose failed requests can be shown. */
  id?: string;
}

export function HealthState({ minute, id = "" }: HealthStateProps) {
  const health = healthOf(minute);
  const words = healthText(minute);
  if (health === "idle")
    return (
      <State tone="idle" icon="circle">
        {words}
      </State>
    );
  const place = health === "ok" ? null : requestsPlace(id, STATUS_5XX);
  const state = (
    <State tone={health} icon={health === "ok" ? "check" : health === "bad" ? "cross" : "alert"}>
      {words}
    </State>
  );
  return place ? <PlaceLink {...place}>{state}</PlaceLink> : state;
}
