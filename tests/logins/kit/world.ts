// A server whose edge `shop.localhost` sends visitors to a provider, and the site behind it.
import { World } from "../../browser/kit/world";
import { leadsTo, Visitor, type Answer, type Until } from "./visitor";

export interface Provider {
  issuer: string;
  /** Logs in with its pages, and goes where that leads. */
  logIn(visitor: Visitor, page: Answer, name: string, until?: Until): Promise<Answer>;
}

export interface AppSession {
  id: string;
  application_user: { id: string };
  public_url: string;
  edge: { id: string };
  route: { id: string };
  browser_session: { ip_address: string; user_agent: { browser_name: string } };
}

export interface AppUser {
  id: string;
  email: string;
  name: string;
  provider_user_id: string;
  identity_provider: { name: string; url: string };
}

export class LoginWorld {
  readonly world: World;
  #edge = "";
  #backend = "";

  private constructor(world: World) {
    this.world = world;
  }

  static async start(given: readonly string[] = []): Promise<LoginWorld> {
    const here = new LoginWorld(await World.start(given));
    const { world } = here;
    const address = `127.0.0.1:${world.site.port}`;
    here.#backend = (await world.manage<{ id: string }>("POST", "/backends/static", { address })).id;
    const edge = { hostports: ["shop.localhost:443"] };
    here.#edge = (await world.manage<{ id: string }>("POST", "/edges/https", edge)).id;
    return here;
  }

  /** Where providers send visitors back to. */
  get callback(): string {
    return `https://login.localhost:${this.world.httpsPort}/oauth2/callback`;
  }

  url(path: string): string {
    return `https://shop.localhost:${this.world.httpsPort}${path}`;
  }

  visitor(): Visitor {
    return new Visitor(this.world.authority);
  }

  /** A route of the edge, guarded by a provider. */
  async guards(path: string, module: Record<string, unknown>): Promise<string> {
    const oidc = { client_id: "edge", client_secret: "edge-secret", ...module };
    return String((await this.guardedBy(path, { oidc }))["id"]);
  }

  /** A route of the edge with these modules, as the management API shows it. */
  async guardedBy(path: string, modules: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.world.manage("POST", `/edges/https/${this.#edge}/routes`, {
      match_type: "path_prefix",
      match: path,
      backend: { backend_id: this.#backend },
      ...modules,
    });
  }

  /** Where the modules of a route are set. */
  modulesOf(route: string): string {
    return `/edges/https/${this.#edge}/routes/${route}`;
  }

  /** The same, with an agent between the edge and the site. */
  async throughAnAgent(path: string, module: Record<string, unknown>): Promise<string> {
    const labels = { site: "shop" };
    this.#backend = (
      await this.world.manage<{ id: string }>("POST", "/backends/tunnel_group", { labels })
    ).id;
    const addr = String(this.world.site.port);
    await this.world.api("POST", "/api/tunnels", { name: "shop", labels: ["site=shop"], addr });
    return this.guards(path, module);
  }

  /** A route that everybody may use. */
  async opens(path: string): Promise<void> {
    await this.guardedBy(path, {});
  }

  /** Requests a path as an unknown visitor and logs in; returns the last response. */
  async logIn(
    provider: Provider,
    visitor: Visitor,
    path: string,
    name = "ada",
    until?: Until,
  ): Promise<Answer> {
    const page = await visitor.follow(await visitor.ask(this.url(path)), (url) =>
      // One that has no pages has redirected already.
      url.startsWith(this.callback),
    );
    return provider.logIn(visitor, page, name, until);
  }

  /** The address at which a login is about to be finished: everything was done, and it was not asked for. */
  async unfinished(provider: Provider, visitor: Visitor, path: string, name = "ada"): Promise<URL> {
    const callback = this.url("/.postern/callback");
    const last = await this.logIn(provider, visitor, path, name, (url) => url.startsWith(callback));
    const next = leadsTo(last);
    if (next === null) throw new Error(`no callback: ${last.url} ${last.status} ${last.body.slice(0, 400)}`);
    return new URL(next);
  }

  async sessions(): Promise<AppSession[]> {
    const list = await this.world.manage<{ application_sessions: AppSession[] }>("GET", "/app/sessions");
    return list.application_sessions;
  }

  async users(): Promise<AppUser[]> {
    const list = await this.world.manage<{ application_users: AppUser[] }>("GET", "/app/users");
    return list.application_users;
  }

  async stop(): Promise<void> {
    await this.world.stop();
  }
}
