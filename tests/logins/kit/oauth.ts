// The provider that others wrote, on the paths of each OAuth provider, which returns the profile in that provider's own members.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider as OidcProvider } from "oidc-provider";
import { submit } from "./honest";
import type { Answer, Until, Visitor } from "./visitor";
import type { Provider } from "./world";

/** How one provider differs from the others. */
export interface Manner {
  authorization: string;
  token: string;
  user: string;
  pkce: boolean;
  /** The profiles it returns, by path. */
  says: (name: string, path: string) => unknown;
}

const userinfo = (name: string) => ({
  sub: `id-${name}`,
  name: `The ${name}`,
  email: `${name}@example.test`,
  email_verified: !name.startsWith("unverified"),
});

export const MANNERS: Record<string, Manner> = {
  github: {
    authorization: "/login/oauth/authorize",
    token: "/login/oauth/access_token",
    user: "/user",
    pkce: true,
    says: (name, path) => {
      if (path === "/user/emails")
        return [{ email: `${name}@example.test`, primary: true, verified: !name.startsWith("unverified") }];
      if (path === "/user/orgs") return name === "member" ? [{ login: "acme" }] : [];
      if (path === "/user/teams") return [];
      return { id: `id-${name}`, login: name, name: `The ${name}`, email: null };
    },
  },
  google: {
    authorization: "/o/oauth2/v2/auth",
    token: "/token",
    user: "/v1/userinfo",
    pkce: true,
    says: userinfo,
  },
  microsoft: {
    authorization: "/common/oauth2/v2.0/authorize",
    token: "/common/oauth2/v2.0/token",
    user: "/v1.0/me",
    pkce: true,
    says: (name, path) =>
      path === "/v1.0/organization"
        ? { value: [{ id: name.startsWith("unverified") ? "another" : "our-tenant" }] }
        : { id: `id-${name}`, displayName: `The ${name}`, mail: `${name}@example.test` },
  },
  facebook: {
    authorization: "/v23.0/dialog/oauth",
    token: "/v23.0/oauth/access_token",
    user: "/v23.0/me",
    pkce: true,
    says: (name) => ({ id: `id-${name}`, name: `The ${name}`, email: `${name}@example.test` }),
  },
  linkedin: {
    authorization: "/oauth/v2/authorization",
    token: "/oauth/v2/accessToken",
    user: "/v2/userinfo",
    pkce: false,
    says: userinfo,
  },
  gitlab: {
    authorization: "/oauth/authorize",
    token: "/oauth/token",
    user: "/oauth/userinfo",
    pkce: true,
    says: userinfo,
  },
  twitch: {
    authorization: "/oauth2/authorize",
    token: "/oauth2/token",
    user: "/helix/users",
    pkce: false,
    says: (name) => ({
      data: [{ id: `id-${name}`, login: name, display_name: `The ${name}`, email: `${name}@example.test` }],
    }),
  },
  amazon: {
    authorization: "/ap/oa",
    token: "/auth/o2/token",
    user: "/user/profile",
    pkce: true,
    says: (name) => ({ user_id: `id-${name}`, name: `The ${name}`, email: `${name}@example.test` }),
  },
};

/** What the server asks for, at one provider or another. */
const SCOPES = [
  "openid",
  "offline_access",
  "profile",
  "email",
  "read:user",
  "read:org",
  "user:email",
  "user:read:email",
  "User.Read",
  "https://www.googleapis.com/auth/userinfo.email",
  "https://www.googleapis.com/auth/userinfo.profile",
];

export class OAuthProvider implements Provider {
  readonly issuer: string;
  readonly #server: Server;
  readonly #manner: Manner;
  #answer = (_request: IncomingMessage, response: ServerResponse): void => void response.end();

  private constructor(manner: Manner, server: Server) {
    this.#manner = manner;
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Binds an address; no request is answered before it opens. */
  static async listen(manner: Manner): Promise<OAuthProvider> {
    const server = createServer((request, response) => here.#answer(request, response));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const here = new OAuthProvider(manner, server);
    return here;
  }

  /** Where it is asked, as the operator tells the server. */
  get endpoints(): Record<string, string> {
    const { authorization, token, user } = this.#manner;
    const at = (path: string) => this.issuer + path;
    return {
      authorization: at(authorization),
      token: at(token),
      user: at(user),
      emails: at("/user/emails"),
      organizations: at(user === "/v1.0/me" ? "/v1.0/organization" : "/user/orgs"),
      teams: at("/user/teams"),
    };
  }

  /** Answers from now on, and sends visitors back to this address only. */
  open(callback: string): void {
    const { authorization, token, pkce } = this.#manner;
    const provider = new OidcProvider(this.issuer, {
      clients: [
        {
          client_id: "edge",
          client_secret: "edge-secret",
          redirect_uris: [callback],
          grant_types: ["authorization_code"],
          token_endpoint_auth_method: "client_secret_post",
        },
      ],
      cookies: { keys: ["specs"] },
      pkce: { required: () => pkce },
      // It grants nothing to who asks for scopes it has never heard of.
      scopes: SCOPES,
      routes: { authorization, token },
      features: { devInteractions: { enabled: true } },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    });
    const others = provider.callback();
    this.#answer = (request, response) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      const asks = ["/user/emails", "/user/orgs", "/user/teams", "/v1.0/organization", this.#manner.user];
      if (!asks.includes(path)) return void others(request, response);
      const bearer = request.headers.authorization?.replace("Bearer ", "") ?? "";
      void provider.AccessToken.find(bearer).then((found) => {
        response.statusCode = found ? 200 : 401;
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(found ? this.#manner.says(found.accountId, path) : { message: "Bad credentials" }));
      });
    };
  }

  async logIn(visitor: Visitor, page: Answer, name: string, until?: Until): Promise<Answer> {
    return submit(visitor, page, name, until);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
