// Edges over the management API, and the console's pages of them.
import { expect, type Locator, type Page } from "@playwright/test";
import { testWithWorld } from "./fixtures";
import type { World } from "./world";

export interface Edge {
  id: string;
  hostports: string[];
  description: string;
  routes: (Record<string, unknown> & { id: string })[];
}

/** A route that serves a greeting, and the edge it is part of. */
export interface Shop {
  edge: string;
  route: string;
  /** The path of the route, which is also its place in the console. */
  place: string;
}

export async function createShop(
  world: World,
  host: string,
  backend: string,
  modules: object = {},
): Promise<Shop> {
  const edge = await world.create("/edges/https", { hostports: [`${host}:443`] });
  const route = await world.create(`/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/",
    backend: { backend_id: backend },
    ...modules,
  });
  return { edge, route, place: `/edges/https/${edge}/routes/${route}` };
}

/** The edges of a server, over its management API, and what they are put together from. */
export class Edges {
  readonly #world: World;
  /** Ids of an IP policy without rules, an HTTP response and a certificate authority. */
  readonly policy: string;
  readonly backend: string;
  readonly authority: string;

  private constructor(world: World, policy: string, backend: string, authority: string) {
    this.#world = world;
    this.policy = policy;
    this.backend = backend;
    this.authority = authority;
  }

  static async prepare(world: World): Promise<Edges> {
    const policy = await world.create("/ip_policies", { description: "Office" });
    const greeting = { description: "Greeting", body: "hello", status_code: 200 };
    const backend = await world.create("/backends/http_response", greeting);
    const staff = { description: "Staff", ca_pem: world.authorityText };
    return new Edges(world, policy, backend, await world.create("/certificate_authorities", staff));
  }

  async all(kind: "https" | "tls" | "tcp"): Promise<Edge[]> {
    const answer = await this.#world.manage<Record<string, Edge[]>>("GET", `/edges/${kind}`);
    return answer[`${kind}_edges`] ?? [];
  }

  /** An edge with one route for everything. */
  shop(host: string, modules: object = {}): Promise<Shop> {
    return createShop(this.#world, host, this.backend, modules);
  }

  async removeAll(): Promise<void> {
    for (const kind of ["https", "tls", "tcp"] as const)
      for (const { id } of await this.all(kind)) await this.#world.manage("DELETE", `/edges/${kind}/${id}`);
  }
}

/** Tests that begin in the console of a server without edges. */
export function testWithEdges() {
  return testWithWorld({ agent: null }).extend<{ pages: EdgePages }, { edges: Edges }>({
    edges: [async ({ world }, use) => use(await Edges.prepare(world)), { scope: "worker" }],
    pages: [
      async ({ page, edges: _, openConsole }, use) => {
        // What the forms send is read as the request of a person who has asked to see it.
        await page.addInitScript(() => localStorage.setItem("postern.apiRequest", "shown"));
        await openConsole();
        await use(new EdgePages(page));
      },
      { auto: true },
    ],
  });
}

/** The console's pages of edges, as a person uses them. */
export class EdgePages {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Goes to a place of the console without losing the key. */
  async go(place: string): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), place);
  }

  /** What the request that is about to be made says. */
  preview(within: Page | Locator = this.page): Locator {
    return within.getByRole("region", { name: "curl command" }).first();
  }

  /** A stage by what it is called, with `, off` where it is. */
  stage(name: string): Locator {
    return this.page.getByRole("listitem", { name, exact: true });
  }

  async addStage(label: string): Promise<void> {
    await this.page.getByRole("button", { name: "Add module" }).click();
    await this.page.getByRole("menuitem", { name: label, exact: true }).click();
  }

  async removeStage(label: string): Promise<void> {
    await this.page.getByRole("button", { name: `Remove ${label}` }).click();
    const dialog = this.page.getByRole("dialog", { name: `Remove ${label}?` });
    await expect(this.preview(dialog)).toContainText("curl -X DELETE");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect(dialog).toBeHidden();
    await expect(this.stage(label)).toBeHidden();
  }
}
