// Lets in only requests with a valid signature of a webhook provider.
import type { Draft, TextField } from "../../form/field";
import { textOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";
import { WEBHOOK_PROVIDERS, webhookProvider } from "../../../model/webhookProviders";

const secretOf = (draft: Draft) => webhookProvider(textOf(draft["provider"]))?.secret ?? "shared";

const secret: TextField = {
  kind: "secret",
  name: "secret",
  label: "Secret",
  maxLength: 2048,
  required: true,
};

export const webhookVerification: ModuleDescriptor = {
  name: "webhook_verification",
  label: "Webhook verification",
  about: "Admits only requests signed by a provider; all others get 403.",
  owners: ["https_route"],
  stage: 60,
  trace: "webhook_verification",
  without: "Anyone who knows the address can send forged webhooks.",
  fields: [
    {
      kind: "choice",
      name: "provider",
      label: "Provider",
      initial: "github",
      options: WEBHOOK_PROVIDERS,
      required: true,
      read: ({ provider }) => webhookProvider(textOf(provider))?.value ?? provider,
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
};

export default [webhookVerification];
