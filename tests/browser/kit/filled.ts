// A server with one record of every kind that has a list of its own.
import type { World } from "./world";

export const LONG =
  "A description that is longer than any column of a table, and has not been thought about very much";

/** One record of every kind; answers their places by the places of their lists. */
export async function fill(world: World): Promise<Record<string, string>> {
  const places: Record<string, string> = {};
  const make = async (path: string, body: unknown) => {
    const id = await world.create(path, body);
    places[path] = `${path}/${id}`;
    return id;
  };
  const policy = await make("/ip_policies", { description: "Office" });
  await make("/ip_policies", { description: LONG, metadata: '{"team":"web"}' });
  await make("/ip_policies", { description: "Head office" });
  places["/ip_policies"] = `/ip_policies/${policy}`;
  await make("/ip_policy_rules", {
    ip_policy_id: policy,
    cidr: "10.0.0.0/8",
    action: "allow",
    description: "Home",
  });
  await make("/ip_policy_rules", { ip_policy_id: policy, cidr: "10.1.2.0/24", action: "deny" });
  await make("/ip_restrictions", { type: "endpoints", ip_policy_ids: [policy], description: "Only warns" });
  await make("/users", { name: "Ada", admin: true });
  await make("/bot_users", { name: "builder", active: false });
  await make("/api_keys", { description: "Deployments" });
  const group = await make("/backends/tunnel_group", { labels: { team: "web" } });
  const address = await make("/backends/static", { address: "192.0.2.7:8080", description: "Old machine" });
  await make("/backends/http_response", { status_code: 503, body: "Back soon.", description: "Maintenance" });
  await make("/backends/weighted", { backends: { [group]: 90, [address]: 10 }, description: "Canary" });
  await make("/backends/failover", { backends: [group, address], description: "Two sites" });
  await make("/reserved_domains", { domain: "*.shop.example.com" });
  await make("/reserved_addrs", { description: "Database" });
  await make("/certificate_authorities", { ca_pem: world.authorityText });
  await world.publish("shop");
  for (const [path, list] of [
    ["/credentials", "credentials"],
    ["/tunnels", "tunnels"],
    ["/agents", "agents"],
    ["/tunnel_sessions", "tunnel_sessions"],
    ["/endpoints", "endpoints"],
    ["/nodes", "nodes"],
  ] as const) {
    const records = (await world.manage<Record<string, { id: string }[]>>("GET", path))[list];
    places[path] = `${path}/${records?.[0]?.id}`;
  }
  return places;
}
