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
  const answer = status === null ? "the answer" : `the ${status}`;
  if (refused) {
    const rule = refused.rule === "" ? "" : ` by ${refused.rule}`;
    return { tone: "bad", words: `${named(refused)} refused the request${rule}.` };
  }
  if (captured.imported)
    return { tone: "info", words: "Read from a file: nobody has decided about it here." };
  if (captured.replay_of && captured.replay_through === "local")
    return {
      tone: "info",
      words: `Sent straight to the local service: the edge was not asked, so ${answer} is the service's own.`,
    };
  const failed = status !== null && status >= 400;
  if (decisions.length === 0) {
    return {
      tone: failed ? "warn" : "ok",
      words: `No module stands in the way of this tunnel, so ${answer} is the local service's own.`,
    };
  }
  const warned = decisions.filter(({ verdict }) => verdict === "warned");
  if (warned.length > 0)
    return {
      tone: "warn",
      words: `${warned.map(named).join(", ")} would have refused the request, but only warns.`,
    };
  return {
    tone: failed ? "warn" : "ok",
    words: `Every module let the request pass, so ${answer} is the local service's own.`,
  };
}

const SHORT: Record<string, string> = { ip: "IP", oauth: "OAuth", oidc: "OIDC", saml: "SAML", tls: "TLS" };

/** Display name of a module, such as "IP restriction" for `ip_restriction`. */
export function named({ module }: Pick<Decision, "module">): string {
  const words = module.split("_").map((word) => SHORT[word] ?? word);
  const name = words.join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
