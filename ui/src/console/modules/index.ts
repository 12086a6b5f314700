// Every module there is, in the order in which the edge puts them to work: from the visitor to the backend, and what
// is done to the answer on its way back.
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
  // The address of a TLS or TCP visitor is judged before anything is said to them.
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

/** The stages before and at the backend, and those of the answer, of what modules are set on. */
export function stagesOf(owner: Owner): { inward: ModuleDescriptor[]; outward: ModuleDescriptor[] } {
  const here = (module: ModuleDescriptor) => module.owners.includes(owner);
  return { inward: INWARD.filter(here), outward: OUTWARD.filter(here) };
}

export function modulesOf(owner: Owner): ModuleDescriptor[] {
  return MODULES.filter((module) => module.owners.includes(owner));
}

/** Of these a route can have one enabled. */
export const LOGINS: readonly string[] = ["oauth", "oidc", "saml"];
