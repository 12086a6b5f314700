// The traffic of the last minute as columns of edges and tunnels.
import type { TrafficPoint } from "../../api/generated";
import type { Base } from "../../api/management";
import { count } from "../../model/format";
import { HealthState, healthText } from "../HealthState";
import type { Column, TrafficById } from "../resource/kind";
import { NO_TRAFFIC } from "../traffic";

function minuteOf({ id }: Base, traffic: TrafficById): TrafficPoint {
  return traffic?.get(id)?.last_minute ?? NO_TRAFFIC;
}

export const requestsColumn: Column = {
  name: "requests",
  label: "Last minute",
  text: (record, traffic) => (traffic ? count(minuteOf(record, traffic).requests) : ""),
  number: (record, traffic) => minuteOf(record, traffic).requests,
};

export const healthColumn: Column = {
  name: "health",
  label: "Health",
  text: (record, traffic) => (traffic ? healthText(minuteOf(record, traffic)) : ""),
  cell: (record, traffic) =>
    traffic ? <HealthState minute={minuteOf(record, traffic)} id={record.id} /> : "…",
};
