// The state of server and agents in sentences: problems come first, each with its reason.
import type { ServerStatus } from "../../api/generated";
import { counted } from "../../model/format";
import type { Tone } from "../../parts/Notice";
import { failureShare, faultsOf, healthOf, sum } from "../traffic";
import { unnamed } from "../../model/ids";

const DAY_MS = 86_400_000;
/** Number of days before its expiry from which a certificate without automatic renewal is a warning. */
const EXPIRY_WARNING_DAYS = 21;

export interface Remark {
  tone: Tone;
  title: string;
  reason: string;
  /** A page of the console where the problem can be solved. */
  path?: string;
}

export function daysUntil(moment: string, now: number): number {
  return Math.floor((Date.parse(moment) - now) / DAY_MS);
}

/** `expired`, `today`, `in 5 days`. */
export function expiry(notAfter: string, now: number): string {
  const days = daysUntil(notAfter, now);
  if (Date.parse(notAfter) <= now) return "expired";
  return days === 0 ? "within a day" : `in ${counted(days, "day")}`;
}

export function expiryTone(notAfter: string, now: number): Tone {
  if (Date.parse(notAfter) <= now) return "bad";
  return daysUntil(notAfter, now) < EXPIRY_WARNING_DAYS ? "warn" : "ok";
}

/** Everything to report about the server, worst first. Empty if all is well. */
export function remarks(status: ServerStatus, now: number): Remark[] {
  const found: Remark[] = [];
  const minute = sum(status.history.seconds);
  const health = healthOf(minute);
  if (health === "bad" || health === "warn") {
    const who = faultsOf(status.traffic.faults).filter(({ who: one }) => !/visitor|configuration/.test(one));
    const whose = who[0] ? ` Since the start most failures were caused by ${who[0].who}.` : "";
    found.push({
      tone: health,
      title: `${failureShare(minute).replace(" errors", "")} of requests fail`,
      reason: `${counted(minute.failed, "request")} of ${minute.requests.toLocaleString("en-GB")} in the last minute failed with status 5xx.${whose}`,
      path: "/topology",
    });
  }
  for (const { certificate, names, not_after, renewed } of status.expiring) {
    const tone = expiryTone(not_after, now);
    if (tone === "ok" || (renewed && tone === "warn")) continue;
    const name = names[0] ?? unnamed(certificate.id);
    found.push({
      tone,
      title:
        tone === "bad" ? `The certificate of ${name} has expired` : `The certificate of ${name} expires soon`,
      reason:
        tone === "bad"
          ? "Browsers refuse it. Upload a new one."
          : `It is valid for ${counted(daysUntil(not_after, now), "more day", "more days")}. Upload a new one in time.`,
      path: `/tls_certificates/${certificate.id}`,
    });
  }
  if (status.sessions === 0 && status.configured.credentials > 0)
    found.push({
      tone: "info",
      title: "No agent is connected",
      reason: "Tunnels and tunnel groups are not served until an agent connects.",
      path: "/agents",
    });
  const order: readonly Tone[] = ["bad", "warn", "info", "ok"];
  return found.toSorted((one, other) => order.indexOf(one.tone) - order.indexOf(other.tone));
}

/** The first step on an empty server; null once it has something. */
export function firstStep(status: ServerStatus): "credential" | "connect" | null {
  const { https_edges, tls_edges, tcp_edges, credentials } = status.configured;
  if (status.sessions > 0 || https_edges + tls_edges + tcp_edges > 0) return null;
  return credentials === 0 ? "credential" : "connect";
}
