// Visitors log in with an existing account: one provider, and lists of the accounts that are let in.
import { isEmailAddress, isEmailDomain, LOGIN_PROVIDERS } from "../../../model/loginProviders";
import type { Body, Draft, Field, ListField } from "../../form/field";
import { isRecord, textOf, textsOf } from "../../form/values";
import type { LoginFacts, ModuleDescriptor } from "../descriptor";
import { SESSION, NO_LOGIN_EFFECT, entries, sessionText, scopes } from "../session";
import { shortList } from "../texts";

/** Where the providers register apps. */
export const REGISTRIES: Readonly<Record<string, string>> = {
  github: "https://github.com/settings/applications/new",
  google: "https://console.cloud.google.com/apis/credentials",
  microsoft: "https://entra.microsoft.com",
  gitlab: "https://gitlab.com/-/user_settings/applications",
  linkedin: "https://www.linkedin.com/developers/apps",
  facebook: "https://developers.facebook.com/apps",
  twitch: "https://dev.twitch.tv/console/apps",
  amazon: "https://developer.amazon.com/loginwithamazon/console/site/lwa/overview.html",
};

const LISTS = ["email_addresses", "email_domains", "teams", "organizations"] as const;
/** The members of the settings of a provider; the others are those of the module. */
const LOGIN: readonly string[] = ["client_id", "client_secret", "scopes", ...LISTS];

function list(field: Omit<ListField, "kind" | "maxItems">): ListField {
  return { kind: "list", maxItems: 100, ...field };
}

const github = (draft: Draft) => draft["provider"] === "github";
const own = (draft: Draft) => draft["client_id"] !== "" || draft["client_secret"] !== "";

const fields: readonly Field[] = [
  {
    kind: "choice",
    name: "provider",
    label: "Provider",
    initial: "github",
    options: LOGIN_PROVIDERS,
  },
  {
    kind: "text",
    name: "client_id",
    label: "Client ID",
    help: "Client ID of your OAuth app. Leave empty to use the server's own app.",
    maxLength: 512,
  },
  {
    kind: "secret",
    name: "client_secret",
    label: "Client secret",
    maxLength: 512,
  },
  list({
    name: "email_addresses",
    label: "Allowed e-mail addresses",
    maxLength: 254,
    placeholder: "alice@example.com",
    check: (text) => (isEmailAddress(text) ? null : `“${text}” is not an e-mail address.`),
  }),
  list({
    name: "email_domains",
    label: "Allowed e-mail domains",
    help: "Each matches exactly, without its subdomains.",
    maxLength: 253,
    placeholder: "example.com",
    check: (text) => (isEmailDomain(text) ? null : `“${text}” is not a domain: write what follows the @.`),
  }),
  list({
    name: "teams",
    label: "Allowed teams",
    maxLength: 201,
    placeholder: "acme/developers",
    when: github,
    check: (text) =>
      /^([A-Za-z0-9-]{1,100}\/[A-Za-z0-9._-]{1,100}|[0-9]{1,20})$/.test(text)
        ? null
        : `“${text}” is not a team: write it like acme/developers.`,
  }),
  list({
    name: "organizations",
    label: "Allowed organizations",
    maxLength: 100,
    placeholder: "acme",
    when: github,
    check: (text) =>
      /^[A-Za-z0-9-]{1,100}$/.test(text) ? null : `“${text}” is not the name of an organization.`,
  }),
  { ...scopes, advanced: true, when: own },
  {
    kind: "number",
    name: "auth_check_interval",
    label: "Ask the provider again after",
    help: "Limits how long a person who was removed at the provider or from a list stays logged in.",
    initial: 0,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    means: { 0: "only at the login" },
    check: (value) => (value > 0 && value < 10 ? "At least 10 seconds, or 0: only at the login." : null),
  },
  ...SESSION,
];

function isApp(server: LoginFacts, provider: string): boolean {
  return server.oauth_apps.some((name) => name === provider);
}

/** The configured provider and its settings. */
export function configured(view: Body): [provider: string, login: Body] | null {
  const all = isRecord(view["provider"]) ? view["provider"] : {};
  for (const [name, login] of Object.entries(all)) if (isRecord(login)) return [name, login];
  return null;
}

export const oauth: ModuleDescriptor = {
  name: "oauth",
  label: "OAuth login",
  about:
    "Admits visitors who log in with an allowed account at GitHub, Google, Microsoft or another provider.",
  owners: ["https_route"],
  stage: 80,
  isLogin: true,
  trace: "login",
  without: NO_LOGIN_EFFECT,
  fields,
  summary(view) {
    const [provider, login] = configured(view) ?? ["", {}];
    const label = LOGIN_PROVIDERS.find(({ value }) => value === provider)?.label ?? provider;
    const admitted = LISTS.flatMap((name) => textsOf(login[name]));
    return `${label}: ${admitted.length > 0 ? shortList(admitted) : "everyone with an account"}, ${sessionText(view)}`;
  },
  flatten(view) {
    const [provider, login] = configured(view) ?? ["github", {}];
    return { ...view, ...login, provider };
  },
  nest({ provider, ...members }) {
    const login = Object.entries(members).filter(([name]) => LOGIN.includes(name));
    const rest = Object.entries(members).filter(([name]) => !LOGIN.includes(name));
    return { provider: { [textOf(provider)]: Object.fromEntries(login) }, ...Object.fromEntries(rest) };
  },
  mistakes(draft): Record<string, string> {
    if (draft["client_id"] === "" && draft["client_secret"] !== "")
      return { client_id: "A secret needs the client ID of its app. Enter both, or neither." };
    if (draft["client_id"] !== "" && draft["client_secret"] === "")
      return { client_secret: "A client ID needs its secret. Enter both, or neither." };
    return {};
  },
  warnings(draft, server) {
    const provider =
      LOGIN_PROVIDERS.find(({ value }) => value === draft["provider"])?.label ?? "the provider";
    const lists = LISTS.filter((name) => github(draft) || name.startsWith("email"));
    const lacking = server !== null && !own(draft) && !isApp(server, textOf(draft["provider"]));
    const unverified =
      server?.microsoft_tenants === false &&
      draft["provider"] === "microsoft" &&
      entries(draft, ["email_addresses", "email_domains"]) > 0;
    return [
      ...(lacking
        ? [
            `This server has no ${provider} app of its own: enter the client ID and secret of an app that you register, or let the operator name one with --oauth-apps.`,
          ]
        : []),
      ...(unverified
        ? [
            "No visitor is admitted by e-mail address or domain yet: Microsoft does not verify addresses. The server’s operator must list the Microsoft tenants whose addresses count, as “tenants” in the file of --oauth-apps.",
          ]
        : []),
      ...(entries(draft, lists) === 0
        ? [`All lists are empty: everyone with an account at ${provider} is admitted.`]
        : []),
    ];
  },
};

export default [oauth];
