// What a record is called where another one refers to it.
import type { Base } from "../../api/management";
import { isRecord } from "../form/values";

/** Members that name records of some kinds, the most telling first. */
const NAMING = [
  "name",
  "host_name",
  "public_url",
  "domain",
  "addr",
  "address",
  "subject_common_name",
] as const;

/** The name of a record of any kind; null where only its id tells it from others. */
export function recordName(record: Base): string | null {
  const {
    cidr,
    country,
    action,
    description,
    hostports,
    labels,
    status_code: status,
    principals,
    os,
    ip,
  } = record as Base & Members;
  if (typeof cidr === "string") return `${String(action)} ${typeof country === "string" ? country : cidr}`;
  if (description) return description;
  if (Array.isArray(hostports) && typeof hostports[0] === "string") return hostports[0];
  for (const member of NAMING) {
    const value = (record as unknown as Record<string, unknown>)[member];
    if (typeof value === "string" && value !== "") return value;
  }
  if (isRecord(labels) && Object.keys(labels).length > 0)
    return Object.entries(labels)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(", ");
  if (Array.isArray(principals) && principals.length > 0) return principals.join(", ");
  if (typeof os === "string" && typeof ip === "string") return `${os} at ${ip}`;
  return status === undefined ? null : `Status ${String(status)}`;
}

/** The members that the rules above read, of whatever kind the record is. */
type Members = Partial<
  Record<
    "cidr" | "country" | "action" | "hostports" | "labels" | "status_code" | "principals" | "os" | "ip",
    unknown
  >
>;
