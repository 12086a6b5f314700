// A company with many edges, for pictures of its topology: most have routes to tunnels or servers, some choose among backends.
import type { World } from "../kit/world";

const NAMES = ["shop", "api", "docs", "blog", "orders", "status", "mail", "search", "images", "billing"];
const PATHS = ["/", "/api/", "/admin/"];
const TUNNELS = 12;

export class ManyEdges {
  readonly #world: World;
  #created = 0;
  #groups: string[] = [];
  #policy = "";

  constructor(world: World) {
    this.#world = world;
  }

  /** Creates edges until there are so many, each of which has had visitors. */
  async grow(count: number): Promise<void> {
    if (this.#groups.length === 0) await this.#begin();
    for (; this.#created < count; this.#created += 1) await this.#edge(this.#created);
    for (let number = 0; number < count; number += 1)
      for (const path of PATHS.slice(0, routesOf(number)))
        await this.#world.visit(`https://${hostOf(number)}:${this.#world.httpsPort}${path}`);
  }

  async #begin(): Promise<void> {
    this.#policy = await this.#world.create("/ip_policies", { description: "Office" });
    await this.#world.create("/ip_policy_rules", {
      ip_policy_id: this.#policy,
      cidr: "127.0.0.0/8",
      action: "allow",
    });
    const addr = String(this.#world.site.port);
    for (let number = 0; number < TUNNELS; number += 1) {
      const label = `app=${NAMES[number % NAMES.length]}-${number}`;
      await this.#world.api("POST", "/api/tunnels", { name: `tunnel-${number}`, labels: [label], addr });
      const [key, value] = label.split("=") as [string, string];
      this.#groups.push(await this.#world.create("/backends/tunnel_group", { labels: { [key]: value } }));
    }
  }

  async #edge(number: number): Promise<void> {
    const group = this.#groups[number % TUNNELS];
    const edge = await this.#world.create("/edges/https", { hostports: [`${hostOf(number)}:443`] });
    for (const [index, match] of PATHS.slice(0, routesOf(number)).entries())
      await this.#world.manage("POST", `/edges/https/${edge}/routes`, {
        match_type: "path_prefix",
        match,
        backend: { backend_id: index === 1 ? await this.#choice(number) : group },
        ...(index === 2 ? { ip_restriction: { ip_policy_ids: [this.#policy] }, compression: {} } : {}),
      });
  }

  /** One of three: a server, two weighted backends, a fixed response. */
  async #choice(number: number): Promise<string> {
    const address = `127.0.0.1:${this.#world.site.port}`;
    const server = await this.#world.create("/backends/static", { address, description: `Server ${number}` });
    if (number % 3 === 0) return server;
    const other = this.#groups[(number + 1) % TUNNELS] ?? "";
    if (number % 3 === 1)
      return this.#world.create("/backends/weighted", {
        backends: { [other]: 90, [server]: 10 },
        description: `Canary ${number}`,
      });
    return this.#world.create("/backends/http_response", { status_code: 503, body: "Back soon." });
  }
}

const hostOf = (number: number) => `${NAMES[number % NAMES.length]}-${number}.localhost`;
const routesOf = (number: number) => 1 + (number % PATHS.length);
