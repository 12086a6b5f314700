// Settings as parts of a sentence.
import { counted } from "../../model/format";

/** `10 seconds`, `5 minutes`, `2 hours`, `3 days`: the largest unit that needs no fraction. */
export function seconds(value: number): string {
  const units: [number, string][] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ];
  for (const [length, unit] of units) {
    if (value >= length && value % length === 0) return counted(value / length, unit);
  }
  return counted(value, "second");
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function shortList(words: readonly string[], shown = 3): string {
  if (words.length > shown + 1) return `${words.slice(0, shown).join(", ")} and ${words.length - shown} more`;
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The ids in a reference member. */
export function idsOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.map((item) => (isRecord(item) ? textOf(item["id"]) : "")).filter(Boolean)
    : [];
}
