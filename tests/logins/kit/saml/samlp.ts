// An identity provider made of the npm package samlp. It signs the assertion or the response, never both.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import samlp from "samlp";
import type { Answer, Until, Visitor } from "../visitor";
import { carry, Desk, PERSON, type SamlIdp, type ServiceProvider } from "./idp";

/** The identity it asserts. */
class Profile {
  constructor(private readonly who: typeof PERSON) {}

  getClaims(): Record<string, unknown> {
    return { mail: this.who.id, displayName: "The ada", groups: this.who.groups };
  }

  getNameIdentifier(): { nameIdentifier: string; nameIdentifierFormat: string } {
    const nameIdentifierFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
    return { nameIdentifier: this.who.id, nameIdentifierFormat };
  }
}

type Handler = (request: IncomingMessage & Record<string, unknown>, response: ServerResponse, failed: (error: unknown) => void) => void;

export class Samlp implements SamlIdp {
  #sp: ServiceProvider | null = null;
  /** Which of both is signed. */
  signs: "assertion" | "response" = "assertion";

  private constructor(
    private readonly desk: Desk,
    private readonly server: Server,
    readonly base: string,
  ) {}

  static async start(): Promise<Samlp> {
    let idp: Samlp | null = null;
    const server = createServer((request, response) => idp?.answer(request, response));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    idp = new Samlp(new Desk("samlp"), server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return idp;
  }

  get metadata(): string {
    const certificate = this.desk.certificate.replace(/-----[^-]+-----|\s/g, "");
    return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${this.base}/idp">
      <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing">
      <KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}</X509Certificate>
      </X509Data></KeyInfo></KeyDescriptor><SingleSignOnService
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${this.base}/sso"/></IDPSSODescriptor>
      </EntityDescriptor>`;
  }

  async trust(sp: ServiceProvider): Promise<void> {
    this.#sp = sp;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.base);
    const acs = this.#sp?.acs ?? "";
    const options = {
      issuer: `${this.base}/idp`,
      cert: this.desk.certificate,
      key: readFileSync(this.desk.path("idp.key"), "utf8"),
      getPostURL: (_audience: unknown, _xml: unknown, _request: unknown, done: (error: null, url: string) => void) =>
        done(null, acs),
      recipient: acs,
      destination: acs,
      audience: this.#sp?.entity,
      signResponse: this.signs === "response",
      signatureAlgorithm: "rsa-sha256",
      digestAlgorithm: "sha256",
      sessionIndex: "_session",
      lifetimeInSeconds: 300,
      getUserFromRequest: () => ({ ...PERSON }),
      profileMapper: () => new Profile(PERSON),
    };
    // It was made for a framework: these members are what that would have added.
    const asked = Object.assign(request, {
      query: Object.fromEntries(url.searchParams),
      body: {},
      user: { ...PERSON },
      originalUrl: request.url,
    }) as unknown as IncomingMessage & Record<string, unknown>;
    const framework = response as ServerResponse & { set?: unknown; send?: unknown };
    framework.set = (name: string, value: string) => void response.setHeader(name, value);
    framework.send = (text: string) => void response.end(text);
    (samlp.auth(options) as Handler)(asked, response, (error) => {
      response.statusCode = 400;
      response.end(String(error));
    });
  }

  async logIn(visitor: Visitor, page: Answer, until?: Until): Promise<Answer> {
    return carry(visitor, page, until);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
    this.desk.clear();
  }
}
