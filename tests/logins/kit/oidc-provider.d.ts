// What is used of the package, which brings no types.
declare module "oidc-provider" {
  import type { Server } from "node:http";
  export class Provider {
    constructor(issuer: string, configuration: object);
    listen(port: number, host: string, ready: () => void): Server;
    readonly AccessToken: { find(token: string): Promise<{ accountId: string } | undefined> };
    callback(): (
      request: import("node:http").IncomingMessage,
      response: import("node:http").ServerResponse,
    ) => void;
  }
}
