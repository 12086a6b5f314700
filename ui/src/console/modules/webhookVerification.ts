// Lets in only requests with a valid signature of a webhook provider.
import type { Draft, ModuleDescriptor, TextField } from "./descriptor";
import { WEBHOOK_PROVIDERS, webhookProvider } from "./webhookProviders";
import { textOf } from "./texts";

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
  about: "Admits only requests signed by a provider; all others get 403.",
  owners: ["https_route"],
  trace: "webhook_verification",
  without: "Anyone who knows the address can send forged webhooks.",
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
      help: "The secret with which the provider signs its webhooks.",
      when: (draft) => secretOf(draft) === "shared",
    },
    {
      ...secret,
      label: "Public key",
      help: "As displayed by the provider: ECDSA P-256, DER in base64.",
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
