// A server, a browser and the console's pages of edges in it, as a person uses them.
import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { launch, open } from "./browser";
import { enterKey } from "./console";
import { World } from "./world";

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

export class EdgePages {
  readonly world: World;
  readonly page: Page;
  /** What went wrong in the page. */
  readonly wrong: string[];
  readonly #browser: Browser;
  /** Ids of an IP policy without rules, an HTTP response backend and a certificate authority. */
  policy = "";
  backend = "";
  authority = "";

  private constructor(browser: Browser, world: World, page: Page, wrong: string[]) {
    this.#browser = browser;
    this.world = world;
    this.page = page;
    this.wrong = wrong;
  }

  static async open(): Promise<EdgePages> {
    const browser = await launch();
    const world = await World.startServerOnly();
    const { page, wrong } = await open(browser, `${world.management}/console`);
    const pages = new EdgePages(browser, world, page, wrong);
    pages.policy = await pages.#made("/ip_policies", { description: "Office" });
    const greeting = { description: "Greeting", body: "hello", status_code: 200 };
    pages.backend = await pages.#made("/backends/http_response", greeting);
    const staff = { description: "Staff", ca_pem: world.authorityPem };
    pages.authority = await pages.#made("/certificate_authorities", staff);
    await enterKey(page, world.key);
    return pages;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.world.stop();
  }

  /** Goes to a place of the console without losing the key. */
  async go(place: string): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), place);
  }

  async edges(kind: "https" | "tls" | "tcp"): Promise<Edge[]> {
    const answer = await this.world.manage<Record<string, Edge[]>>("GET", `/edges/${kind}`);
    return answer[`${kind}_edges`] ?? [];
  }

  /** An edge with one route for everything, made over the API. */
  async shop(host: string, modules: object = {}): Promise<Shop> {
    const edge = await this.#made("/edges/https", { hostports: [`${host}:443`] });
    const route = await this.#made(`/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match: "/",
      backend: { backend_id: this.backend },
      ...modules,
    });
    return { edge, route, place: `/edges/https/${edge}/routes/${route}` };
  }

  /** What the request that is about to be made says. */
  async preview(within: Page | Locator = this.page): Promise<string> {
    return (await within.getByRole("region", { name: "curl command" }).first().textContent()) ?? "";
  }

  /** A stage by what it is called, with `, off` where it is. */
  stage(name: string): Locator {
    return this.page.getByRole("listitem", { name, exact: true });
  }

  async addStage(label: string): Promise<void> {
    await this.page.getByRole("button", { name: "Add a stage" }).click();
    await this.page.getByRole("menuitem", { name: label, exact: true }).click();
  }

  async removeStage(label: string): Promise<void> {
    await this.page.getByRole("button", { name: `Remove ${label}` }).click();
    const dialog = this.page.getByRole("dialog", { name: `Remove ${label}?` });
    expect(await this.preview(dialog)).toContain("curl -X DELETE");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.waitFor({ state: "hidden" });
    await this.stage(label).waitFor({ state: "hidden" });
  }

  async #made(path: string, body: unknown): Promise<string> {
    return (await this.world.manage<{ id: string }>("POST", path, body)).id;
  }
}
