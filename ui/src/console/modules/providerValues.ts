// Values to copy to the provider of a login, and the address to try the route.
import type { ServerFacts } from "../../api/generated";
import type { Body } from "../form/field";
import type { ModuleDescriptor } from "./descriptor";
import { textOf } from "../form/values";

export interface ProviderValue {
  label: string;
  value: string;
  help: string;
}

type ProviderFacts = Pick<ServerFacts, "callback_url" | "login_url">;

/** Empty for modules without a provider. The certificate of a SAML module is known only after the module is set. */
export function providerValues(
  module: ModuleDescriptor,
  route: string,
  view: Body | null,
  facts: ProviderFacts,
): ProviderValue[] {
  if (module.name === "oidc" || module.name === "oauth") {
    const help = "The same for all routes. Register it exactly like this.";
    return [{ label: "Redirect URI (callback URL)", value: facts.callback_url, help }];
  }
  if (module.name !== "saml") return [];
  const entity = textOf(view?.["entity_id"]) || `${facts.login_url}/saml/${route}`;
  const certificate = textOf(view?.["request_signing_certificate_pem"]);
  return [
    {
      label: "Entity ID",
      value: entity,
      help: "Identifies this route; also the address of its metadata.",
    },
    {
      label: "Assertion consumer service",
      value: textOf(view?.["assertion_consumer_service_url"]) || `${entity}/acs`,
      help: "Receives the responses of the provider, by HTTP-POST.",
    },
    {
      label: "Single logout",
      value: textOf(view?.["single_logout_url"]) || `${entity}/slo`,
      help: "By HTTP-Redirect or HTTP-POST; optional.",
    },
    ...(certificate
      ? [
          {
            label: "Signing certificate",
            value: certificate,
            help: "Requests are signed with its key, always.",
          },
        ]
      : []),
  ];
}

/** The address of a route for a visitor; empty where the edge has no host name. */
export function visitAddress(hostports: readonly string[], path: string, httpsPort: number): string | null {
  const host = hostports[0]?.replace(/:\d+$/, "").replace(/^\*\./, "www.");
  if (!host) return null;
  return `https://${host}${httpsPort === 443 ? "" : `:${httpsPort}`}${encodeURI(path)}`;
}
