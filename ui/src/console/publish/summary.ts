// A publication in two sentences: who is admitted, and where requests go.
import { counted, mapped } from "../../model/format";
import { LOGIN_PROVIDERS } from "../../model/loginProviders";
import { configured } from "../modules/descriptors/oauth";
import { shortList } from "../modules/texts";
import { textOf } from "../form/values";
import { webhookProvider } from "../../model/webhookProviders";
import type { Protection, Target } from "./plan";

/** `Visitors log in with GitHub. Requests go to the tunnels with team=web.` */
export function summaryOf({ protection, target }: { protection: Protection; target: Target }): string {
  const sentence = destination(target);
  return `${admission(protection)}. ${sentence}${sentence.endsWith("…") ? "" : "."}`;
}

function admission(protection: Protection): string {
  switch (protection.kind) {
    case "everyone":
      return "Everyone is admitted";
    case "networks":
      return protection.networks.length > 0
        ? `Visitors from ${shortList(protection.networks)} are admitted`
        : "Visitors that the policies allow are admitted";
    case "module":
      switch (protection.name) {
        case "basic_auth":
          return "Visitors enter a user name and a password";
        case "oidc":
          return "Visitors log in with their OpenID provider";
        case "webhook_verification":
          return `Requests are admitted with a signature of ${providerName(protection.settings["provider"])}`;
        case "oauth": {
          const [provider] = configured(protection.settings) ?? [""];
          return `Visitors log in with ${LOGIN_PROVIDERS.find(({ value }) => value === provider)?.label ?? provider}`;
        }
      }
  }
}

function providerName(value: unknown): string {
  return webhookProvider(textOf(value))?.label ?? "the provider";
}

function destination(target: Target): string {
  switch (target.kind) {
    case "tunnels":
      return `Requests go to the tunnels with ${mapped(target.labels) || "…"}`;
    case "addresses":
      return target.addresses.length > 1
        ? `Requests go to ${counted(target.addresses.length, "address", "addresses")} by weight`
        : `Requests go to ${target.addresses[0]?.address ?? "…"}`;
    case "response":
      return `The response has status ${target.status}`;
    case "backend":
      return `Requests go to ${target.title || "…"}`;
  }
}
