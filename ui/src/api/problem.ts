// Errors of the agent's API, the management API and the desktop commands in one type that keeps the code.
import type { Problem } from "./types";

export class ApiError extends Error implements Problem {
  readonly code: string;
  readonly status: number;
  /** Further facts, such as the name of the invalid `field`. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status: number, details: Record<string, string> = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** The agent did not respond. */
export const UNREACHABLE = "AGENT_UNREACHABLE";

/** The server did not respond. */
export const SERVER_UNREACHABLE = "SERVER_UNREACHABLE";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses an error body. In the agent's errors `details.code` is the code and `details.err` the message. */
export function errorFromResponse(status: number, body: string, sender = "agent"): ApiError {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON: only the status is known.
  }
  if (!isRecord(parsed))
    return new ApiError(`HTTP_${status}`, `The ${sender} responded with status ${status}.`, status);
  const details = isRecord(parsed["details"]) ? parsed["details"] : {};
  const number = parsed["error_code"];
  const code = text(details["code"]) || (typeof number === "string" ? number : `HTTP_${status}`);
  const message =
    text(details["err"]) || text(parsed["msg"]) || `The ${sender} responded with status ${status}`;
  const facts = Object.entries(details).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return new ApiError(code, sentence(message), status, Object.fromEntries(facts));
}

/** Converts anything that was thrown into a problem that can be shown. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof ApiError) return { code: thrown.code, message: thrown.message };
  if (isRecord(thrown) && typeof thrown["message"] === "string") {
    return { code: text(thrown["code"]), message: thrown["message"] };
  }
  return { code: "", message: typeof thrown === "string" ? thrown : "Something unexpected went wrong." };
}

/** Capitalizes the first letter and adds a full stop, so that messages of other programs read like ours. */
export function sentence(message: string): string {
  const trimmed = message.trim();
  if (trimmed === "") return "";
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
