// Explains a response: the edge module that refused the request, or that none did.
import type { CapturedRequest, Decision } from "../api/types";

export interface Verdict {
  tone: "ok" | "warn" | "bad" | "info";
  words: string;
}

export function verdictOf(captured: CapturedRequest): Verdict {
  const { trace, response } = captured;
  const decisions = trace?.decisions ?? [];
  const refused = decisions.find(({ verdict }) => verdict === "refused");
  const status = response?.status_code ?? null;
  const answer = status === null ? "the response" : `the ${status}`;
  if (refused) {
    const rule = refused.rule === "" ? "" : ` by ${refused.rule}`;
    return { tone: "bad", words: `${named(refused)} refused the request${rule}.` };
  }
  if (captured.imported) return { tone: "info", words: "Imported from a file: there are no decisions." };
  if (captured.replay_of && captured.replay_through === "local")
    return {
      tone: "info",
      words: `Sent directly to the local service without the edge, so ${answer} is from the service itself.`,
    };
  const failed = status !== null && status >= 400;
  if (decisions.length === 0) {
    return {
      tone: failed ? "warn" : "ok",
      words: `This tunnel has no modules, so ${answer} is from the local service itself.`,
    };
  }
  const warned = decisions.filter(({ verdict }) => verdict === "warned");
  if (warned.length > 0)
    return {
      tone: "warn",
      words: `${warned.map(named).join(", ")} would have refused the request, but only warned.`,
    };
  return {
    tone: failed ? "warn" : "ok",
    words: `Every module let the request pass, so ${answer} is from the local service itself.`,
  };
}

const SHORT: Record<string, string> = { ip: "IP", oauth: "OAuth", oidc: "OIDC", saml: "SAML", tls: "TLS" };

/** Display name of a module, such as "IP restriction" for `ip_restriction`. */
export function named({ module }: Pick<Decision, "module">): string {
  const words = module.split("_").map((word) => SHORT[word] ?? word);
  const name = words.join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
