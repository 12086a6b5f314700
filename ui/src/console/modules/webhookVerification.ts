// Lets in only requests with a valid signature of a webhook provider.
import type { Draft, ModuleDescriptor, TextField } from "./descriptor";
import { WEBHOOK_PROVIDERS, webhookProvider } from "./webhookProviders";
import { textOf } from "./words";

const secretOf = (draft: Draft) => webhookProvider(textOf(draft["provider"]))?.secret ?? "shared";

const secret: TextField = {
  kind: "secret",
  name: "secret",
  label: "Secret",
  value: "",
  longest: 2048,
  required: true,
};

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
      ...secret,
      help: "The one the provider signs its webhooks with.",
      when: (draft) => secretOf(draft) === "shared",
    },
    {
      ...secret,
      label: "Public key",
      help: "As the provider shows it: ECDSA P-256, DER in base64.",
      when: (draft) => secretOf(draft) === "key",
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
