// Sets of labels as options, of which connected tunnels have some.
import type { Tunnel } from "../../api/generated";
import { mapped } from "../../model/format";
import type { Option } from "../form/field";
import type { Labels } from "./plan";

export type LabelledTunnel = Pick<Tunnel, "labels" | "forwards_to">;

/** Labels as the value of an option. */
export function writeLabels(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The labels of an option; empty for any other text. */
export function readLabels(option: string): Labels {
  try {
    return Object.fromEntries(JSON.parse(option) as [string, string][]);
  } catch {
    return {};
  }
}

/** The sets of labels of the connected tunnels, with the local services behind them. */
export function tunnelOptions(tunnels: readonly LabelledTunnel[]): (Option & { note: string })[] {
  const services = new Map<string, Set<string>>();
  for (const { labels, forwards_to } of tunnels) {
    if (Object.keys(labels).length === 0) continue;
    const value = writeLabels(labels);
    services.set(value, (services.get(value) ?? new Set()).add(forwards_to));
  }
  return [...services].map(([value, addresses]) => ({
    value,
    label: mapped(readLabels(value)),
    note: [...addresses].join(", "),
  }));
}
