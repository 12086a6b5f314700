// Who may use a tunnel, as a part of its form: passwords, logins, webhook signatures and networks.
import type { TunnelDefinition } from "../api/types";
import { readCidr } from "./cidr";
import { credentialsMistake } from "./credentials";
import { groupOf, isGroup, linesOf, textOf, textsOf } from "./definitionValues";
import { isEmailAddress, isEmailDomain, OTHER_PROVIDER } from "./loginProviders";
import { webhookProvider } from "./webhookProviders";

export type Admission = "everyone" | "password" | "login" | "webhook";

export interface User {
  name: string;
  password: string;
}

export interface ProtectionForm {
  admission: Admission;
  users: readonly User[];
  login: string;
  /** E-mail addresses and domains, one per line; empty admits every account at the provider. */
  accounts: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  webhook: string;
  webhookSecret: string;
  /** Addresses and networks, one per line; empty admits all. */
  networks: string;
}

export type ProtectionMistakes = Partial<Record<keyof ProtectionForm, string>>;

export const NO_PROTECTION: ProtectionForm = {
  admission: "everyone",
  users: [{ name: "", password: "" }],
  login: "github",
  accounts: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  webhook: "github",
  webhookSecret: "",
  networks: "",
};

/** What the agent shows in place of a secret, and keeps when it is sent back. */
const MASK = "***";

type Keys = Readonly<Record<string, unknown>>;

export function protectionOf(definition: TunnelDefinition): ProtectionForm {
  const users = textsOf(definition["basic_auth"] ?? definition["auth"]);
  const { oauth, oidc, verify_webhook: webhook, ip_restriction: restriction } = definition as Keys;
  const form = { ...NO_PROTECTION, networks: textsOf(groupOf(restriction)["allow_cidrs"]).join("\n") };
  if (users.length > 0) return { ...form, admission: "password", users: users.map(userOf) };
  if (isGroup(oauth) || isGroup(oidc)) {
    const login = groupOf(oauth ?? oidc);
    return {
      ...form,
      admission: "login",
      login: isGroup(oauth) ? textOf(login["provider"]).toLowerCase() : OTHER_PROVIDER,
      accounts: [...textsOf(login["allow_emails"]), ...textsOf(login["allow_domains"])].join("\n"),
      issuer: textOf(login["issuer_url"]),
      clientId: textOf(login["client_id"]),
      clientSecret: textOf(login["client_secret"]),
    };
  }
  if (isGroup(webhook)) {
    const provider = textOf(webhook["provider"]);
    return {
      ...form,
      admission: "webhook",
      webhook: webhookProvider(provider)?.value ?? provider,
      webhookSecret: textOf(webhook["secret"]),
    };
  }
  return form;
}

/** The keys of `before` that the form shows, so that they are replaced by {@link protectionKeys}. */
export function shownKeys(form: ProtectionForm, before: TunnelDefinition): readonly string[] {
  const signIn = ["basic_auth", "auth", "oauth", "oidc"];
  const shown = (admission: Admission) =>
    admission === "everyone" ? [] : admission === "webhook" ? ["verify_webhook"] : signIn;
  return [...shown(protectionOf(before).admission), ...shown(form.admission), "ip_restriction"];
}

/** The keys of the definition. Settings of `before` that the form does not show, such as scopes, are preserved. */
export function protectionKeys(form: ProtectionForm, before: TunnelDefinition, hasRequests: boolean): Keys {
  return { ...(hasRequests ? admissionKeys(form, before) : {}), ...networkKeys(form, before) };
}

function admissionKeys(form: ProtectionForm, before: Keys): Keys {
  switch (form.admission) {
    case "everyone":
      return {};
    case "password":
      return { basic_auth: form.users.map(({ name, password }) => `${name.trim()}:${password}`) };
    case "webhook": {
      const secret = secretKind(form.webhook) === "none" ? {} : { secret: form.webhookSecret.trim() };
      return { verify_webhook: { provider: form.webhook, ...secret } };
    }
    case "login": {
      const isOther = form.login === OTHER_PROVIDER;
      const kept = groupOf(before[isOther ? "oidc" : "oauth"])["scopes"];
      const client = {
        ...(form.clientId.trim() ? { client_id: form.clientId.trim() } : {}),
        ...(form.clientSecret.trim() ? { client_secret: form.clientSecret.trim() } : {}),
        ...(kept === undefined ? {} : { scopes: kept }),
      };
      if (isOther) return { oidc: { issuer_url: form.issuer.trim(), ...client } };
      const accounts = linesOf(form.accounts);
      const emails = accounts.filter((account) => account.includes("@"));
      const domains = accounts.filter((account) => !account.includes("@"));
      return {
        oauth: {
          provider: form.login,
          ...(emails.length > 0 ? { allow_emails: emails } : {}),
          ...(domains.length > 0 ? { allow_domains: domains } : {}),
          ...client,
        },
      };
    }
  }
}

function networkKeys(form: ProtectionForm, before: Keys): Keys {
  const { deny_cidrs: denied } = groupOf(before["ip_restriction"]);
  const allowed = linesOf(form.networks);
  if (allowed.length === 0 && denied === undefined) return {};
  return {
    ip_restriction: {
      ...(allowed.length > 0 ? { allow_cidrs: allowed } : {}),
      ...(denied === undefined ? {} : { deny_cidrs: denied }),
    },
  };
}

/** Returns what must be corrected before the form can be saved. */
export function protectionMistakes(form: ProtectionForm, hasRequests: boolean): ProtectionMistakes {
  const mistakes: ProtectionMistakes = hasRequests ? admissionMistakes(form) : {};
  for (const network of linesOf(form.networks)) {
    const read = readCidr(network);
    if ("mistake" in read) return { ...mistakes, networks: `“${network}”: ${read.mistake}` };
  }
  return mistakes;
}

function admissionMistakes(form: ProtectionForm): ProtectionMistakes {
  switch (form.admission) {
    case "everyone":
      return {};
    case "password": {
      const names = form.users.map(({ name }) => name.trim());
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      const wrong = form.users.map(wrongUser).find((mistake) => mistake !== null);
      const none = form.users.length === 0 ? "Add at least one user." : null;
      const mistake = none ?? wrong ?? (twice === undefined ? null : `“${twice}” occurs twice.`);
      return mistake === null ? {} : { users: mistake };
    }
    case "webhook":
      if (webhookProvider(form.webhook) === null) return { webhook: "Choose the provider." };
      return secretKind(form.webhook) !== "none" && form.webhookSecret.trim() === ""
        ? { webhookSecret: "Enter what the provider shows beside the address of the webhook." }
        : {};
    case "login":
      return form.login === OTHER_PROVIDER ? issuerMistakes(form) : accountMistakes(form);
  }
}

function issuerMistakes({ issuer, clientId, clientSecret }: ProtectionForm): ProtectionMistakes {
  return {
    ...(/^https?:\/\/[^\s/]+/.test(issuer.trim())
      ? {}
      : { issuer: "Enter the issuer, for example https://id.example.com." }),
    ...(clientId.trim() === "" ? { clientId: "Enter the client ID from the provider." } : {}),
    ...(clientSecret.trim() === "" ? { clientSecret: "Enter the client secret from the provider." } : {}),
  };
}

function accountMistakes({ accounts, clientId, clientSecret }: ProtectionForm): ProtectionMistakes {
  const wrong = linesOf(accounts).find((account) => !isEmailAddress(account) && !isEmailDomain(account));
  const isHalf = (clientId.trim() === "") !== (clientSecret.trim() === "");
  return {
    ...(wrong === undefined ? {} : { accounts: `“${wrong}” is neither an e-mail address nor a domain.` }),
    ...(isHalf ? { clientSecret: "Enter both the client ID and the client secret, or neither." } : {}),
  };
}

function wrongUser({ name, password }: User): string | null {
  const user = name.trim();
  if (user === "") return "Enter a user name.";
  return credentialsMistake(user, password, password === MASK);
}

/** What signatures of a provider are verified with. */
export function secretKind(provider: string): "shared" | "key" | "none" {
  return webhookProvider(provider)?.secret ?? "shared";
}

function userOf(entry: string): User {
  const colon = entry.indexOf(":");
  return colon < 0
    ? { name: entry, password: "" }
    : { name: entry.slice(0, colon), password: entry.slice(colon + 1) };
}
