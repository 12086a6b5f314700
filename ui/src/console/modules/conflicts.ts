// Modules of one owner that exclude each other, and what is missing before visitors can be served.
import type { Body } from "../form/field";
import type { Owner } from "./descriptor";
import { LOGINS, MODULES } from "./index";
import { isRecord } from "../form/values";

/** The modules of an owner as in the API: null where one is not set. */
export type ModuleSet = Readonly<Record<string, Body | null>>;

/** Extracts the modules of a record. */
export function moduleSetOf(record: object, owner: Owner): ModuleSet {
  const members = record as Body;
  const own = MODULES.filter(({ owners }) => owners.includes(owner));
  return Object.fromEntries(
    own.map(({ name }) => {
      const view = members[name];
      return [name, isRecord(view) ? view : null];
    }),
  );
}

/** Whether a record has this module, enabled. */
export function isOn(view: unknown): boolean {
  return isRecord(view) && view["enabled"] === true;
}

const on = (set: ModuleSet, name: string) => isOn(set[name]);

/** Warnings shown with the stages. */
export function conflictsOf(set: ModuleSet, owner: Owner): string[] {
  const found: string[] = [];
  if ("backend" in set && !on(set, "backend"))
    found.push(
      set["backend"]
        ? "The backend is turned off: no visitor is served."
        : "There is no backend yet: no visitor is served until one is added.",
    );
  if (on(set, "webhook_verification") && LOGINS.some((login) => on(set, login)))
    found.push(
      "Programs that send webhooks cannot log in: with a login and webhook verification together nearly every request is refused. Create a separate route for webhooks.",
    );
  if (owner === "tls_edge" && on(set, "mutual_tls") && set["tls_termination"]?.["terminate_at"] !== "edge")
    found.push(
      "Visitors' certificates can be verified only where TLS ends: TLS termination must be “at the edge”.",
    );
  return found;
}

/** The reason for which the API would refuse to enable this module too; null if it would not. */
export function conflictWith(set: ModuleSet, name: string): string | null {
  if (LOGINS.includes(name)) {
    const other = LOGINS.find((login) => login !== name && on(set, login));
    const label = MODULES.find((module) => module.name === other)?.label;
    if (label) return `A route can have only one login, and “${label}” is enabled: turn it off first.`;
  }
  const ends = set["tls_termination"];
  if (name === "mutual_tls" && "tls_termination" in set && "backend" in set) {
    if (ends?.["enabled"] !== true || ends["terminate_at"] !== "edge")
      return "Visitors' certificates can be verified only where TLS ends: set TLS termination to “at the edge” first.";
  }
  return null;
}
