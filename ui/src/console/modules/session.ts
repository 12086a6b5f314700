// Settings shared by the three login modules: how a login is remembered, and for how long.
import { counted, secondsText } from "../../model/format";
import type { Draft, Field } from "../form/field";
import { numberOf } from "../form/values";

const YEAR = 31_536_000;

/** The effect of removing any of them. */
export const NO_LOGIN_EFFECT = "Anyone who knows the address is admitted without a login.";

export const SESSION: readonly Field[] = [
  {
    kind: "number",
    name: "inactivity_timeout",
    label: "Idle timeout of a session",
    initial: 0,
    min: 0,
    max: YEAR,
    unit: "seconds",
    means: { 0: "never" },
  },
  {
    kind: "number",
    name: "maximum_duration",
    label: "Maximum duration of a session",
    help: "Visitors then log in again; most providers remember them.",
    initial: 0,
    min: 0,
    max: 4_294_967_295,
    unit: "seconds",
    means: { 0: "never" },
  },
  {
    kind: "flag",
    name: "options_passthrough",
    label: "Let OPTIONS requests pass without a login",
    help: "Browsers send them before requests from another site (CORS), and cannot log in for them.",
    initial: false,
    advanced: true,
  },
  {
    kind: "text",
    name: "cookie_prefix",
    label: "Prefix of the session cookie",
    help: "Any characters of a cookie’s name. If empty: “postern.”.",
    maxLength: 64,
    advanced: true,
    check: (text) =>
      /^[\w!#$%&'*+.^`|~-]*$/.test(text) ? null : "Only letters, digits and !#$%&'*+-.^_`|~.",
  },
];

/** The lifetime of sessions, in words. */
export function sessionText(view: Record<string, unknown>): string {
  const idle = numberOf(view["inactivity_timeout"]);
  const whole = numberOf(view["maximum_duration"]);
  const parts = [
    idle > 0 ? `${secondsText(idle)} idle` : "",
    whole > 0 ? `${secondsText(whole)} at most` : "",
  ].filter(Boolean);
  return parts.length > 0 ? `sessions of ${parts.join(", ")}` : "sessions never expire";
}

export function wrongScope(text: string): string | null {
  return /^[!#-[\]-~]+$/.test(text)
    ? null
    : `“${text}” is not a scope: remove spaces, quotes and backslashes.`;
}

export const scopes: Field = {
  kind: "list",
  name: "scopes",
  label: "Scopes",
  help: "Requested from the provider. Those that the login itself needs are added.",
  maxItems: 50,
  maxLength: 256,
  check: wrongScope,
};

/** Number of entries in all lists, such as those of allowed accounts. */
export function entries(draft: Draft, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const value = draft[name];
    return sum + (Array.isArray(value) ? value.length : 0);
  }, 0);
}

export function groups(count: number): string {
  return counted(count, "group");
}
