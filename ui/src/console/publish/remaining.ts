// What is left of a plan after some of its records were created, also when the answers have changed since.
import type { IdOf, Plan, Step, StepRequest } from "./plan";

/** A record that was created. */
export interface Made {
  /** The step that created it. */
  key: string;
  kind: string;
  name: string;
  id: string;
  /** The path of the record. */
  path: string;
  /** The collection whose queries are invalidated. */
  collection: Step["collection"];
  /** What was sent, with secrets masked: a step that would send something else needs a new record. */
  sent: string;
}

export interface Remaining {
  /** Records that the plan still needs. */
  kept: readonly Made[];
  /** Records that it no longer needs, in the order in which they can be deleted. */
  stale: readonly Made[];
  missing: readonly Step[];
}

export function remainingOf({ steps }: Plan, made: readonly Made[]): Remaining {
  const kept: Made[] = [];
  const missing: Step[] = [];
  for (const step of steps) {
    const record = made.find(({ key }) => key === step.key);
    if (record?.sent === sentText(step.request(idsOf(kept)))) kept.push(record);
    else missing.push(step);
  }
  return { kept, missing, stale: made.filter((record) => !kept.includes(record)).toReversed() };
}

export function sentText({ path, shown }: StepRequest): string {
  return JSON.stringify([path, shown]);
}

/** The ids of created records; empty for those that are missing. */
export function idsOf(made: readonly Made[]): IdOf {
  return (key) => made.find((record) => record.key === key)?.id ?? "";
}
