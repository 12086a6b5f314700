// A provider that lies where a spec tells it to: everything else about it is as it should be.
import { createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, Until, Visitor } from "./visitor";
import type { Provider } from "./world";

/** Where it lies. What is left out is true. */
export interface Lies {
  /** Members of the ID token; undefined takes one out. */
  claims?: Record<string, unknown>;
  /** Members of the token's header. */
  header?: Record<string, unknown>;
  signature?: "none" | "shared secret" | "another key" | "changed afterwards";
  /** Instead of the token. */
  token?: string | null;
  /** The name it gives itself beside the code; null: none. */
  iss?: string | null;
  /** What the userinfo endpoint says. */
  userinfo?: Record<string, unknown>;
  /** Instead of the code. */
  error?: string;
}

const KEY_ID = "first";

export class HostileProvider implements Provider {
  lies: Lies = {};
  /** How often its keys were requested. */
  keysAsked = 0;
  readonly issuer: string;
  readonly #server: Server;
  readonly #key = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #other = generateKeyPairSync("rsa", { modulusLength: 2048 });
  /** Codes that were given out, with the nonce of the login. */
  readonly #codes = new Map<string, string>();

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  static async start(): Promise<HostileProvider> {
    let provider: HostileProvider | null = null;
    const server = createServer((request, response) => {
      provider?.answer(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    provider = new HostileProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    return provider;
  }

  /** It has no pages: everybody is let in at once. */
  async logIn(visitor: Visitor, page: Answer, _name: string, until?: Until): Promise<Answer> {
    return visitor.follow(page, until);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/auth`,
          token_endpoint: `${this.issuer}/token`,
          userinfo_endpoint: `${this.issuer}/userinfo`,
          jwks_uri: `${this.issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          // It would take anything, and says so.
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/keys":
        this.keysAsked += 1;
        return json({
          keys: [{ ...this.#key.publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" }],
        });
      case "/auth":
        return this.#redirect(url, response);
      case "/token": {
        const code = new URLSearchParams(await text(request)).get("code") ?? "";
        const nonce = this.#codes.get(code);
        // A code is valid once, even at a hostile provider.
        this.#codes.delete(code);
        if (nonce === undefined) return json({ error: "invalid_grant" }, 400);
        const token = this.lies.token === undefined ? this.#token(nonce) : this.lies.token;
        return json({
          access_token: "access",
          token_type: "Bearer",
          ...(token === null ? {} : { id_token: token }),
        });
      }
      case "/userinfo":
        return json({ sub: "ada", ...this.lies.userinfo });
      default:
        return json({ error: "not_found" }, 404);
    }
  }

  #redirect(url: URL, response: ServerResponse): void {
    const code = `code-${Math.random()}`;
    this.#codes.set(code, url.searchParams.get("nonce") ?? "");
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("state", url.searchParams.get("state") ?? "");
    if (this.lies.error === undefined) back.searchParams.set("code", code);
    else back.searchParams.set("error", this.lies.error);
    const iss = this.lies.iss === undefined ? this.issuer : this.lies.iss;
    if (iss !== null) back.searchParams.set("iss", iss);
    response.writeHead(302, { Location: back.href });
    response.end();
  }

  #token(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const { signature } = this.lies;
    const alg = signature === "none" ? "none" : signature === "shared secret" ? "HS256" : "RS256";
    const header = { alg, typ: "JWT", kid: KEY_ID, ...this.lies.header };
    const claims = {
      ...{ iss: this.issuer, sub: "ada", aud: "edge", iat: now, exp: now + 300, nonce },
      ...this.lies.claims,
    };
    const signed = `${encode(header)}.${encode(claims)}`;
    switch (signature) {
      case "none":
        return `${signed}.`;
      case "shared secret":
        // With what everybody knows: the public key.
        return `${signed}.${createHmac("sha256", pem(this.#key.publicKey)).update(signed).digest("base64url")}`;
      case "another key":
        return `${signed}.${rs256(signed, this.#other.privateKey)}`;
      case "changed afterwards":
        return `${encode(header)}.${encode({ ...claims, sub: "root" })}.${rs256(signed, this.#key.privateKey)}`;
      default:
        return `${signed}.${rs256(signed, this.#key.privateKey)}`;
    }
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

function rs256(text: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(text), key).toString("base64url");
}

async function text(request: IncomingMessage): Promise<string> {
  let read = "";
  for await (const piece of request) read += String(piece);
  return read;
}
