// The traffic of an edge or a route in the last minute, in words.
import type { TrafficPoint } from "../../api/generated";
import { counted } from "../../model/format";
import { useApiQuery } from "../management";
import { NO_TRAFFIC, trafficQuery } from "../traffic";

/** Undefined while loading. */
export function useLastMinute(id: string): TrafficPoint | undefined {
  const { data } = useApiQuery(trafficQuery);
  return data && (data.get(id)?.last_minute ?? NO_TRAFFIC);
}

/** `12 requests, 3 refused, 1 failed`. */
export function lastMinuteText(point: TrafficPoint, one: "request" | "connection"): string {
  return [
    counted(point.requests, one),
    point.refused > 0 ? `${point.refused} refused` : "",
    point.failed > 0 ? `${point.failed} failed` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** For the deletion dialog; empty without visitors. */
export function inUseWarning(point: TrafficPoint | undefined, one: "request" | "connection"): string[] {
  if (!point || point.requests === 0) return [];
  return [`It is in use: ${counted(point.requests, one)} in the last minute.`];
}
