// A local service behind a tunnel, and the agent's inspector, which shows what passes.
import type { Locator, Page } from "@playwright/test";
import type { Socket } from "node:net";
import { testWithWorld } from "./fixtures";
import { request, sends, Service, visitor } from "./service";
import { externalAgent, type World } from "./world";

interface Published {
  service: Service;
  /** The public address of the service. */
  url: string;
}

/** Tests that begin in the inspector. `agent`: further lines of the agent's configuration. */
export function testWithService(agent: readonly string[] = []) {
  const test = testWithWorld({ agent }).extend<{ inspector: Inspector }, { published: Published }>({
    published: [
      async ({ world }, use) => {
        const service = await Service.start();
        const { public_url: url } = await world.api<{ public_url: string }>("POST", "/api/tunnels", {
          name: "published",
          proto: "http",
          addr: String(service.port),
        });
        await use({ service, url });
        await service.stop();
      },
      { scope: "worker" },
    ],
    inspector: async ({ world, published, page, openAgent }, use) => {
      await openAgent("/");
      await use(new Inspector(page, world, published));
    },
  });
  test.skip(externalAgent !== null, "visitors must trust the authority of the server");
  return test;
}

export class Inspector {
  readonly page: Page;
  readonly world: World;
  readonly service: Service;
  readonly url: string;

  constructor(page: Page, world: World, { service, url }: Published) {
    this.page = page;
    this.world = world;
    this.service = service;
    this.url = url;
  }

  /** The panel of the chosen tab. One that goes stays for a moment beside the one that comes. */
  get panel(): Locator {
    return this.page.locator("[role=tabpanel]:not([inert])");
  }

  row(name: string): Locator {
    return this.page.getByRole("row", { name });
  }

  /** A way to look at a body. */
  way(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  async select(path: string, tab = "Response"): Promise<void> {
    await this.row(path).first().click();
    await this.page.getByRole("tab", { name: tab, exact: true }).click();
  }

  /** A visitor sends a request and reads the response to its end. */
  async visit(
    path: string,
    headers: Record<string, string> = {},
    { method = "GET", body = "" as string | Buffer } = {},
  ): Promise<void> {
    const bytes = Buffer.from(body);
    const length: Record<string, string> =
      bytes.length === 0 ? {} : { "Content-Length": String(bytes.length) };
    const head = request(this.url, path, { ...headers, ...length }, method);
    await sends(this.world, this.url, Buffer.concat([Buffer.from(head), bytes]));
  }

  /** A visitor whose connection stays open. */
  begin(path: string, headers: Record<string, string> = {}): Socket {
    const socket = visitor(this.world, this.url);
    socket.write(request(this.url, path, headers));
    return socket;
  }

  /** A visitor who asks for a WebSocket. */
  upgrade(path: string, extensions: Record<string, string> = {}): Socket {
    return this.begin(path, {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...extensions,
    });
  }

  /** A visitor gets a response with this body, which is then selected. */
  async answered(
    path: string,
    type: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<void> {
    this.service.says(path, { headers: { "Content-Type": type, ...headers }, body });
    await this.visit(path);
    await this.select(path);
  }
}
