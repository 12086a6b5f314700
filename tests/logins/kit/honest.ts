// A provider that others wrote, certified for OpenID Connect, with its own pages to log in.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider as OidcProvider } from "oidc-provider";
import type { Answer, Until, Visitor } from "./visitor";
import type { Provider } from "./world";

export class HonestProvider implements Provider {
  readonly issuer: string;
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** One that sends visitors back to these addresses only. */
  static async start(...callbacks: string[]): Promise<HonestProvider> {
    let answer: RequestListener = (_request, response) => void response.end();
    const server = createServer((request, response) => answer(request, response));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new OidcProvider(issuer, {
      clients: [
        {
          client_id: "edge",
          client_secret: "edge-secret",
          redirect_uris: callbacks,
          grant_types: ["authorization_code"],
          token_endpoint_auth_method: "client_secret_basic",
        },
      ],
      cookies: { keys: ["specs"] },
      pkce: { required: () => true },
      claims: {
        openid: ["sub"],
        email: ["email", "email_verified"],
        profile: ["name", "preferred_username"],
        groups: ["groups"],
      },
      scopes: ["openid", "email", "profile", "groups"],
      features: { devInteractions: { enabled: true } },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: `${id}@example.test`,
          // The provider has never verified the address of this account.
          email_verified: !id.startsWith("unverified"),
          name: `The ${id}`,
          preferred_username: `${id}.name`,
          // The account `ops-ada` is in the group `ops`.
          groups: [id.split("-")[0]],
        }),
      }),
    });
    answer = provider.callback();
    return new HonestProvider(issuer, server);
  }

  async logIn(visitor: Visitor, page: Answer, name: string, until?: Until): Promise<Answer> {
    return submit(visitor, page, name, until);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** Fills in the two forms of its pages: who it is, and that the edge may know. */
export async function submit(visitor: Visitor, page: Answer, name: string, until?: Until): Promise<Answer> {
  const who = { prompt: "login", login: name, password: "any" };
  const asked = await visitor.follow(await visitor.ask(action(page), { form: who }), until);
  // An account that has agreed before is not asked again.
  if (!asked.body.includes('value="consent"')) return asked;
  return visitor.follow(await visitor.ask(action(asked), { form: { prompt: "consent" } }), until);
}

function action(page: Answer): string {
  const found = /action="([^"]+)"/.exec(page.body)?.[1];
  if (found === undefined)
    throw new Error(`no form at ${page.url}: ${page.status} ${page.body.slice(0, 400)}`);
  return new URL(found, page.url).href;
}
