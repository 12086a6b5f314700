// The fields of the modules that admit visitors, as fields of the form: each name begins with a prefix.
import type { ServerFacts } from "../../api/generated";
import { OTHER_PROVIDER } from "../../model/loginProviders";
import type { Draft, Field } from "../form/field";
import { basicAuth } from "../modules/descriptors/basicAuth";
import { oauth } from "../modules/descriptors/oauth";
import { oidc } from "../modules/descriptors/oidc";
import { webhookVerification } from "../modules/descriptors/webhookVerification";
import type { ModuleDescriptor } from "../modules/descriptor";
import type { ProtectionModule } from "./plan";

/** A module's fields, whose names begin with its prefix. */
export interface Nested {
  prefix: string;
  module: ModuleDescriptor;
  name: ProtectionModule["name"];
  /** Fields that are not asked, because the form asks them in another way. */
  except?: readonly string[];
  /** Fields that are asked at once; the others are under "More settings". */
  main: readonly string[];
}

export const PASSWORD: Nested = {
  prefix: "password",
  module: basicAuth,
  name: "basic_auth",
  main: ["users"],
};
export const OAUTH: Nested = {
  prefix: "oauth",
  module: oauth,
  name: "oauth",
  except: ["provider"],
  main: ["client_id", "client_secret", "email_addresses", "email_domains", "teams", "organizations"],
};
export const OPEN_ID: Nested = {
  prefix: "oidc",
  module: oidc,
  name: "oidc",
  main: ["issuer", "client_id", "client_secret"],
};
export const WEBHOOK: Nested = {
  prefix: "webhook",
  module: webhookVerification,
  name: "webhook_verification",
  main: ["provider", "secret"],
};

/** The module that admits visitors; null for none and for networks. */
export function moduleOf(draft: Draft): Nested | null {
  switch (draft["protection"]) {
    case "password":
      return PASSWORD;
    case "login":
      return draft["login"] === OTHER_PROVIDER ? OPEN_ID : OAUTH;
    case "webhook":
      return WEBHOOK;
    default:
      return null;
  }
}

/** The values of a module's own fields. */
export function innerDraft({ prefix, name }: Nested, draft: Draft): Draft {
  const own = Object.entries(draft).flatMap(([key, value]) =>
    key.startsWith(`${prefix}.`) ? [[key.slice(prefix.length + 1), value] as const] : [],
  );
  return Object.fromEntries([...own, ...(name === "oauth" ? [["provider", draft["login"] ?? ""]] : [])]);
}

export function nestedFields(nested: Nested): Field[] {
  const { prefix, module, except = [], main } = nested;
  const isChosen = (draft: Draft) => moduleOf(draft) === nested;
  return module.fields
    .filter(({ name }) => !except.includes(name))
    .map((field) => ({
      ...field,
      name: `${prefix}.${field.name}`,
      advanced: !main.includes(field.name),
      when: (draft) => isChosen(draft) && (field.when?.(innerDraft(nested, draft)) ?? true),
    }));
}

/** The warnings of the chosen module. */
export function warningsOf(draft: Draft, server: ServerFacts): readonly string[] {
  const nested = moduleOf(draft);
  return nested?.module.warnings?.(innerDraft(nested, draft), server) ?? [];
}
