// All modules in the order in which the edge runs them: from the visitor to the backend, and then those for the
// response.
import { backend } from "./backend";
import { circuitBreaker } from "./circuitBreaker";
import { compression } from "./compression";
import type { ModuleDescriptor, Owner } from "./descriptor";
import { requestHeaders, responseHeaders } from "./headers";
import { ipRestriction } from "./ipRestriction";
import { mutualTls } from "./mutualTls";
import { oauth } from "./oauth";
import { oidc } from "./oidc";
import { saml } from "./saml";
import { httpsTermination, tlsTermination } from "./tlsTermination";
import { userAgentFilter } from "./userAgentFilter";
import { webhookVerification } from "./webhookVerification";
import { websocketTcpConverter } from "./websocketTcpConverter";

const INWARD: readonly ModuleDescriptor[] = [
  httpsTermination,
  // The address of a TLS or TCP visitor is checked before any byte is sent.
  ipRestriction,
  tlsTermination,
  mutualTls,
  userAgentFilter,
  webhookVerification,
  oauth,
  oidc,
  saml,
  websocketTcpConverter,
  circuitBreaker,
  requestHeaders,
  backend,
];

const OUTWARD: readonly ModuleDescriptor[] = [compression, responseHeaders];

export const MODULES: readonly ModuleDescriptor[] = [...INWARD, ...OUTWARD];

/** The stages before and at the backend, and those of the response, for a kind of owner. */
export function stagesOf(owner: Owner): { inward: ModuleDescriptor[]; outward: ModuleDescriptor[] } {
  const here = (module: ModuleDescriptor) => module.owners.includes(owner);
  return { inward: INWARD.filter(here), outward: OUTWARD.filter(here) };
}

export function modulesOf(owner: Owner): ModuleDescriptor[] {
  return MODULES.filter((module) => module.owners.includes(owner));
}

/** A route can have only one of these enabled. */
export const LOGINS: readonly string[] = ["oauth", "oidc", "saml"];
