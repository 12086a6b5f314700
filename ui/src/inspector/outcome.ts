// How an exchange ended, as a tone, an icon and a text.
import type { Summary } from "../api/types";
import type { IconName } from "../parts/Icon";
import type { Tone } from "../parts/Notice";

export interface Outcome {
  tone: Tone | "idle";
  icon: IconName;
  /** Short, for a column. */
  short: string;
  /** In full, for the detail and for screen readers. */
  words: string;
}

export function outcome(summary: Pick<Summary, "status_code" | "status" | "error">): Outcome {
  const { status_code: code, status, error } = summary;
  if (code === null && error !== null)
    return { tone: "bad", icon: "cross", short: "Failed", words: `Failed: ${error}` };
  if (code === null) return { tone: "idle", icon: "clock", short: "…", words: "Waiting for the response" };
  const words = status ?? String(code);
  const short = String(code);
  if (code >= 500) return { tone: "bad", icon: "cross", short, words };
  if (code >= 400) return { tone: "warn", icon: "alert", short, words };
  if (code >= 300) return { tone: "info", icon: "arrow", short, words };
  if (code >= 200) return { tone: "ok", icon: "check", short, words };
  return { tone: "info", icon: "arrow", short, words };
}
