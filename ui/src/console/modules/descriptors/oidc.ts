// Visitors log in with any OpenID Connect provider.
import { textOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";
import { SESSION, NO_LOGIN_EFFECT, sessionText, scopes } from "../session";

function wrongIssuer(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "Enter an address, such as https://accounts.example.com.";
  }
  if (/[\s"]/.test(text)) return "An address has no spaces and quotes.";
  if (text.includes("@")) return "Remove the user name and password.";
  if (/[?#]/.test(text)) return "Remove the query and the fragment.";
  const local = ["localhost", "[::1]"].includes(url.hostname) || url.hostname.startsWith("127.");
  if (url.protocol === "https:" || (url.protocol === "http:" && local)) return null;
  return url.protocol === "http:"
    ? "Plain HTTP is allowed for loopback addresses only."
    : "It must begin with https:.";
}

export const oidc: ModuleDescriptor = {
  name: "oidc",
  label: "OpenID Connect login",
  about: "Admits visitors with an account at an OpenID provider, such as Keycloak, Entra, Okta or Google.",
  owners: ["https_route"],
  stage: 90,
  isLogin: true,
  trace: "login",
  without: NO_LOGIN_EFFECT,
  fields: [
    {
      kind: "text",
      name: "issuer",
      label: "Issuer",
      help: "The address before /.well-known/openid-configuration, exactly as the provider writes it.",
      maxLength: 255,
      placeholder: "https://accounts.example.com",
      required: true,
      check: wrongIssuer,
    },
    {
      kind: "text",
      name: "client_id",
      label: "Client ID",
      maxLength: 512,
      required: true,
    },
    {
      kind: "secret",
      name: "client_secret",
      label: "Client secret",
      maxLength: 512,
      required: true,
    },
    { ...scopes, help: "“openid” is added if it is missing. If empty: openid, profile, email." },
    ...SESSION,
  ],
  summary: (view) => `${textOf(view["issuer"])}, ${sessionText(view)}`,
  warnings: () => [],
};

export default [oidc];
