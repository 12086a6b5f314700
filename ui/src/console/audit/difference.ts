// The settings that a change set, as lines: one for each setting that differs.
import { isRecord } from "../form/values";

export interface SettingChange {
  /** Names from the outermost member to the setting. */
  path: readonly string[];
  /** Texts as they are shown; null where there was or is no such setting. */
  before: string | null;
  after: string | null;
}

type Settings = Readonly<Record<string, unknown>>;

/** The settings that differ, and the number of those that do not. */
export function differences(
  before: Settings | null,
  after: Settings | null,
): { changes: SettingChange[]; same: SettingChange[] } {
  const changes: SettingChange[] = [];
  const same: SettingChange[] = [];
  compare([], before ?? {}, after ?? {}, (change, differs) => (differs ? changes : same).push(change));
  return { changes, same };
}

function compare(
  path: readonly string[],
  before: unknown,
  after: unknown,
  tell: (change: SettingChange, differs: boolean) => void,
): void {
  const ours = members(before);
  const theirs = members(after);
  // A module that is set or removed is compared member by member with nothing.
  if (ours && theirs && Object.keys({ ...ours, ...theirs }).length > 0) {
    for (const name of Object.keys({ ...ours, ...theirs }))
      compare([...path, name], ours[name], theirs[name], tell);
    return;
  }
  const one = textOf(before);
  const other = textOf(after);
  if (one === null && other === null) return;
  tell({ path, before: one, after: other }, one !== other);
}

/** The members of an object; none for what is not there. */
function members(value: unknown): Settings | null {
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : null;
}

/** A setting as text; null for one that is not set. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value))
    return value.map((item) => (isRecord(item) ? JSON.stringify(item) : String(item))).join("\n") || null;
  if (isRecord(value)) return Object.keys(value).length === 0 ? null : JSON.stringify(value, null, 2);
  return JSON.stringify(value);
}

const WORDS: Readonly<Record<string, string>> = {
  acl: "rules",
  addr: "address",
  api: "API",
  ca: "CA",
  cidr: "range",
  http: "HTTP",
  https: "HTTPS",
  id: "ID",
  ids: "IDs",
  ip: "IP",
  oauth: "OAuth",
  oidc: "OpenID Connect",
  pem: "PEM",
  saml: "SAML",
  ssh: "SSH",
  tcp: "TCP",
  tls: "TLS",
  uri: "URI",
  url: "URL",
  websocket: "WebSocket",
};

/** The name of a setting in words: `Basic auth, users`. */
export function settingName(path: readonly string[]): string {
  const words = path.map((name) =>
    name
      .split("_")
      .map((word) => WORDS[word] ?? word)
      .join(" "),
  );
  const text = words.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
