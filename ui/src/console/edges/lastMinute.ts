// The traffic of an edge or a route in the last minute, in words.
import type { TrafficPoint } from "../../api/generated";
import { counted } from "../../model/format";
import { useAsked } from "../management";
import { NOTHING, trafficQuestion } from "../traffic";

/** Undefined while loading. */
export function useLastMinute(id: string): TrafficPoint | undefined {
  const { data } = useAsked(trafficQuestion);
  return data && (data.get(id)?.last_minute ?? NOTHING);
}

/** `12 requests, 3 refused, 1 failed`. */
export function inWords(point: TrafficPoint, one: "request" | "connection"): string {
  return [
    counted(point.requests, one),
    point.refused > 0 ? `${point.refused} refused` : "",
    point.failed > 0 ? `${point.failed} failed` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** For the deletion dialog; empty without visitors. */
export function warning(point: TrafficPoint | undefined, one: "request" | "connection"): string[] {
  if (!point || point.requests === 0) return [];
  return [`It is in use: ${counted(point.requests, one)} in the last minute.`];
}
