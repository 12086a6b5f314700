// Only requests that a provider has signed pass.
import type { Draft, ModuleDescriptor } from "./descriptor";
import { WEBHOOK_PROVIDERS, webhookProvider } from "./webhookProviders";
import { textOf } from "./words";

const secretOf = (draft: Draft) => webhookProvider(textOf(draft["provider"]))?.secret ?? "shared";

export const webhookVerification: ModuleDescriptor = {
  name: "webhook_verification",
  label: "Webhook verification",
  about: "Lets only requests pass that a provider has signed; all others get 403.",
  owners: ["https_route"],
  trace: "webhook_verification",
  without: "Whoever knows the address can send what looks like a webhook.",
  fields: [
    {
      kind: "search",
      name: "provider",
      label: "Provider",
      value: "github",
      options: WEBHOOK_PROVIDERS,
      required: true,
    },
    {
      kind: "secret",
      name: "secret",
      label: "Secret",
      help: "The one the provider signs with. For SendGrid its public key: ECDSA P-256, DER in base64.",
      value: "",
      longest: 2048,
      required: true,
      when: (draft) => secretOf(draft) !== "none",
    },
  ],
  summary: (view) => webhookProvider(textOf(view["provider"]))?.label ?? textOf(view["provider"]),
  read(view) {
    const name = textOf(view["provider"]);
    return { provider: webhookProvider(name)?.value ?? name, secret: textOf(view["secret"]) };
  },
  write: (draft) =>
    secretOf(draft) === "none"
      ? { provider: draft["provider"] }
      : { provider: draft["provider"], secret: draft["secret"] },
};
