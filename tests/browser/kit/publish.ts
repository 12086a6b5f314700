// The page that publishes a service, as a person uses it, and what it left on the server.
import { expect, type Locator, type Page } from "@playwright/test";
import { testWithWorld } from "./fixtures";
import type { World } from "./world";
import type { Edge } from "./edges";

/** The collections in which a publication creates records, with the members of their lists; each before those it refers to. */
const COLLECTIONS = {
  "/edges/https": "https_edges",
  "/backends/weighted": "backends",
  "/backends/tunnel_group": "backends",
  "/backends/static": "backends",
  "/backends/http_response": "backends",
  "/ip_policies": "ip_policies",
  "/ip_policy_rules": "ip_policy_rules",
} as const;

export type Collection = keyof typeof COLLECTIONS;

export class PublishPage {
  readonly page: Page;
  readonly #world: World;

  constructor(page: Page, world: World) {
    this.page = page;
    this.#world = world;
  }

  /** Goes to the page without losing the key. */
  async go(place = "/publish"): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), place);
  }

  get name(): Locator {
    return this.page.getByRole("textbox", { name: "Name", exact: true });
  }

  get plan(): Locator {
    return this.page.getByRole("complementary", { name: "Plan" });
  }

  get submit(): Locator {
    return this.page.getByRole("button", { name: /^(Publish|Continue)$/ });
  }

  /** Waits for the focus, which the page gives to the name when it opens. */
  async open(name: string): Promise<void> {
    await this.go();
    await expect(this.name).toBeFocused();
    await this.name.fill(name);
  }

  async lead(to: string): Promise<void> {
    await this.page.getByRole("radio", { name: to, exact: true }).check();
  }

  async expectPublished(host: string): Promise<void> {
    await expect(this.page.getByText(`${host} is published`)).toBeVisible();
  }

  async records<T = { id: string }>(path: Collection): Promise<T[]> {
    const list = await this.#world.manage<Record<string, T[]>>("GET", `${path}?limit=100`);
    return list[COLLECTIONS[path]] ?? [];
  }

  /** The number of records by collection. */
  async counts(): Promise<Record<string, number>> {
    const paths = Object.keys(COLLECTIONS) as Collection[];
    const entries = paths.map(async (path) => [path, (await this.records(path)).length] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  /** The only route of the edge with this host. */
  async routeOf(host: string): Promise<Record<string, unknown>> {
    const edge = (await this.records<Edge>("/edges/https")).find(({ hostports }) => hostports.includes(`${host}:443`));
    expect(edge?.routes).toHaveLength(1);
    return edge!.routes[0]!;
  }

  async removeAll(): Promise<void> {
    for (const path of Object.keys(COLLECTIONS) as Collection[])
      for (const { id } of await this.records(path))
        await this.#world.manage("DELETE", `${path}/${id}`).catch((error: unknown) => {
          // Rules go with their policy.
          if (!String(error).includes("404")) throw error;
        });
  }
}

/** Tests that begin in the console of a server with an agent that has a tunnel with labels. */
export function testWithPublish() {
  return testWithWorld().extend<{ publish: PublishPage }, { tunnel: void }>({
    tunnel: [
      async ({ world }, use) => {
        await world.api("POST", "/api/tunnels", {
          name: "shop",
          labels: ["app=shop"],
          addr: String(world.site.port),
        });
        await use();
      },
      { scope: "worker", auto: true },
    ],
    publish: [
      async ({ page, world, tunnel: _, openConsole }, use) => {
        await openConsole("/overview");
        const publish = new PublishPage(page, world);
        await use(publish);
        await publish.removeAll();
      },
      { auto: true },
    ],
  });
}
