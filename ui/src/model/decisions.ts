// Explains a response: the edge module that refused the request, or that none did.
import type { CapturedRequest, Decision } from "../api/types";

export interface Explanation {
  tone: "ok" | "warn" | "bad" | "info";
  text: string;
}

export function explain(captured: CapturedRequest): Explanation {
  const { trace, response } = captured;
  const decisions = trace?.decisions ?? [];
  const refused = decisions.find(({ verdict }) => verdict === "refused");
  const status = response?.status_code ?? null;
  const subject = status === null ? "the response" : `the ${status}`;
  if (refused) {
    const rule = refused.rule === "" ? "" : ` by ${refused.rule}`;
    return { tone: "bad", text: `${moduleLabel(refused)} refused the request${rule}.` };
  }
  if (captured.imported) return { tone: "info", text: "Imported from a file: there are no decisions." };
  if (captured.replay_of && captured.replay_through === "local")
    return {
      tone: "info",
      text: `Sent directly to the local service without the edge, so ${subject} is from the service itself.`,
    };
  const failed = status !== null && status >= 400;
  if (decisions.length === 0) {
    return {
      tone: failed ? "warn" : "ok",
      text: `No module handled this request, so ${subject} is from the local service itself.`,
    };
  }
  const warned = decisions.filter(({ verdict }) => verdict === "warned");
  if (warned.length > 0)
    return {
      tone: "warn",
      text: `${warned.map(moduleLabel).join(", ")} would have refused the request, but only warned.`,
    };
  return {
    tone: failed ? "warn" : "ok",
    text: `Every module let the request pass, so ${subject} is from the local service itself.`,
  };
}

const SHORT: Record<string, string> = { ip: "IP", oauth: "OAuth", oidc: "OIDC", saml: "SAML", tls: "TLS" };
/** Names that are not made of the words of the module. */
const SPECIAL = new Map([
  ["basic_auth", "Basic authentication"],
  ["endpoints_restriction", "IP restriction of the server"],
  ["websocket_tcp_converter", "WebSocket to TCP"],
]);

/** Display name of a module, such as "IP restriction" for `ip_restriction`; the console uses the same. */
export function moduleLabel({ module }: Pick<Decision, "module">): string {
  const special = SPECIAL.get(module);
  if (special !== undefined) return special;
  const text = module.split("_").map((word) => SHORT[word] ?? word);
  const name = text.join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
