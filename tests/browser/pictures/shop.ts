// A small company as its console shows it after some weeks: edges in front of a tea shop, people, certificates, traffic.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostileProvider } from "../../logins/kit/hostile";
import { Visitor } from "../../logins/kit/visitor";
import type { World } from "../kit/world";

const KEY = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** Fills the world with a shop; answers places in its console, by the names of their pictures. */
export async function fill(world: World): Promise<Record<string, string>> {
  const { folder } = world;
  const places: Record<string, string> = {};
  const make = async (path: string, body: unknown, picture?: string): Promise<string> => {
    const id = await world.create(path, body);
    if (picture !== undefined) places[picture] = `${path}/${id}`;
    return id;
  };
  const run = (program: string, ...given: string[]) =>
    execFileSync(program, given, { cwd: folder, stdio: "pipe" });
  const read = (name: string) => readFileSync(join(folder, name), "utf8").trim();

  const office = await make("/ip_policies", { description: "Office and home" }, "ip-policy");
  for (const [cidr, action, description] of [
    ["127.0.0.0/8", "allow", "This machine"],
    ["198.51.100.0/24", "allow", "Office"],
    ["198.51.100.66/32", "deny", "Guest network"],
    ["2001:db8:7::/48", "allow", "Home"],
  ])
    await make("/ip_policy_rules", { ip_policy_id: office, cidr, action, description });
  await make("/ip_policies", { description: "Payment provider", metadata: '{"team":"orders"}' });
  await make(
    "/ip_restrictions",
    { type: "dashboard", ip_policy_ids: [office], description: "Console from the office" },
    "ip-restriction",
  );
  const ada = await make("/users", { name: "Ada", admin: true, description: "Operations" }, "user");
  await make("/users", { name: "Bela", description: "Orders" });
  const url = `http://127.0.0.1:${world.site.port}/events`;
  await make("/event_destinations", { url, kinds: ["https_edge", "ip_policy"], description: "Chat" }, "event-destination");
  await make("/bot_users", { name: "Deployments" }, "bot-user");
  await make("/api_keys", { description: "Terraform", owner_id: ada }, "api-key");
  await make("/credentials", { description: "Build machine", acl: ["bind:*.shop.localhost"] }, "credential");

  const labels = { app: "shop" };
  const group = await make(
    "/backends/tunnel_group",
    { labels, description: "All shop tunnels" },
    "tunnel-group",
  );
  const maintenance = await make(
    "/backends/http_response",
    { status_code: 503, body: "The shop is being updated. Please try again in a minute.", description: "Maintenance" },
    "http-response",
  );
  const second = await make(
    "/backends/static",
    { address: `127.0.0.1:${world.site.port}`, description: "Second web server" },
    "static-backend",
  );
  const canary = await make(
    "/backends/weighted",
    { backends: { [group]: 90, [second]: 10 }, description: "10% to the second web server" },
    "weighted-backend",
  );
  const either = await make(
    "/backends/failover",
    { backends: [group, second, maintenance], description: "Tunnels first, then the second web server" },
    "failover-backend",
  );
  await make("/reserved_domains", { domain: "shop.localhost", description: "The shop" }, "reserved-domain");
  const accounting = await make("/backends/static", {
    address: "127.0.0.1:7443",
    tls: { enabled: true },
    description: "Accounting server",
  });
  const databaseServer = await make("/backends/static", {
    address: "127.0.0.1:5432",
    description: "Database server",
  });
  const database = await make("/reserved_addrs", { description: "Staff database" }, "reserved-address");
  const { addr: databaseAddress } = await world.manage<{ addr: string }>(
    "GET",
    `/reserved_addrs/${database}`,
  );

  run("openssl", "genpkey", ...KEY, "-out", "ca.key");
  run(
    "openssl",
    "req",
    "-x509",
    "-new",
    "-key",
    "ca.key",
    "-subj",
    "/CN=Shop authority",
    "-days",
    "700",
    "-out",
    "ca.pem",
  );
  for (const [name, days] of [
    ["tea.test", 200],
    ["orders.test", 9],
    ["staff.test", 80],
    ["blog.test", 41],
  ] as const) {
    run("openssl", "genpkey", ...KEY, "-out", `${name}.key`);
    run("openssl", "req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=DNS:${name},DNS:*.${name}\n`);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", String(days), "-extfile", `${name}.ext`];
    run("openssl", "x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
    const pems = {
      certificate_pem: `${read(`${name}.pem`)}\n${read("ca.pem")}\n`,
      private_key_pem: read(`${name}.key`),
    };
    await make("/tls_certificates", { ...pems, description: `For ${name}` }, "tls-certificate");
  }
  const staff = await make(
    "/certificate_authorities",
    { ca_pem: world.authorityText, description: "Staff" },
    "certificate-authority",
  );
  const machines = await make(
    "/ssh_certificate_authorities",
    { description: "Shop servers", private_key_type: "ed25519" },
    "ssh-authority",
  );
  for (const name of ["host", "ada"])
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name);
  const by = { ssh_certificate_authority_id: machines };
  await make(
    "/ssh_host_certificates",
    { ...by, public_key: read("host.pub"), principals: ["web2.shop.test"], description: "Second web server" },
    "ssh-host-certificate",
  );
  await make(
    "/ssh_user_certificates",
    { ...by, public_key: read("ada.pub"), principals: ["ada"], description: "Ada's laptop" },
    "ssh-user-certificate",
  );

  const edge = await make(
    "/edges/https",
    { hostports: ["shop.localhost:443"], description: "The tea shop" },
    "https-edge",
  );
  const route = await make(`/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/",
    description: "Shop pages",
    backend: { backend_id: canary },
    ip_restriction: { ip_policy_ids: [office] },
    circuit_breaker: {},
    compression: {},
    request_headers: { add: { "x-edge-request": "${req.id}" } },
    response_headers: { add: { "strict-transport-security": "max-age=31536000" }, remove: ["server"] },
  });
  places["https-route"] = `/edges/https/${edge}/routes/${route}`;
  places["https-route-stage"] = `${places["https-route"]}?stage=circuit_breaker`;
  const payments = await make(`/edges/https/${edge}/routes`, {
    match_type: "exact_path",
    match: "/webhooks/payments",
    description: "Payments",
    backend: { backend_id: group },
    webhook_verification: { provider: "github", secret: "a secret of ours" },
  });
  places["https-route-webhook"] = `/edges/https/${edge}/routes/${payments}?stage=webhook_verification`;
  const inside = await make(`/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/staff",
    description: "Staff",
    backend: { backend_id: either },
    oauth: {
      provider: { google: { client_id: "shop", client_secret: "planted", email_domains: ["shop.test"] } },
    },
  });
  places["https-route-login"] = `/edges/https/${edge}/routes/${inside}?stage=oauth`;
  places["https-edge-traffic"] = `/edges/https/${edge}?tab=traffic`;
  places["https-edge-requests"] = `/edges/https/${edge}?tab=requests`;
  await make(
    "/alert_rules",
    { measure: "error_share", threshold: 0.05, subject_id: edge, description: "Failures of the shop" },
    "alert-rule",
  );
  places["https-edge-refused"] = `/edges/https/${edge}?tab=refused`;
  await make(
    "/edges/tls",
    {
      hostports: ["accounting.localhost:443"],
      description: "Accounting, staff only",
      backend: { backend_id: accounting },
      tls_termination: { terminate_at: "edge" },
      mutual_tls: { certificate_authority_ids: [staff] },
    },
    "tls-edge",
  );
  await make(
    "/edges/tcp",
    { hostports: [databaseAddress], description: "Database", backend: { backend_id: databaseServer } },
    "tcp-edge",
  );

  const addr = String(world.site.port);
  await world.api("POST", "/api/tunnels", { name: "shop", labels: ["app=shop"], addr });
  await world.publish("preview");
  await logins(world, edge, group);
  for (const [path, list, picture] of [
    ["/tunnels", "tunnels", "tunnel"],
    ["/tunnel_sessions", "tunnel_sessions", "tunnel-session"],
    ["/endpoints", "endpoints", "endpoint"],
  ] as const) {
    const records = (await world.manage<Record<string, { id: string }[]>>("GET", path))[list];
    places[picture] = `${path}/${records?.[0]?.id}`;
  }
  return places;
}

const CUSTOMERS = ["Grace Hopper", "Alan Turing", "Katherine Johnson"];

/** Customers who log in to their accounts. */
async function logins(world: World, edge: string, backend: string): Promise<void> {
  const provider = await HostileProvider.start();
  await world.manage("POST", `/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/account",
    description: "Customer accounts",
    backend: { backend_id: backend },
    oidc: { issuer: provider.issuer, client_id: "edge", client_secret: "edge-secret" },
  });
  for (const name of CUSTOMERS) {
    const sub = name.toLowerCase().replace(" ", ".");
    provider.lies = { claims: { sub, name, email: `${sub}@example.com`, email_verified: true } };
    const visitor = new Visitor(world.authority);
    await visitor.follow(await visitor.ask(`https://shop.localhost:${world.httpsPort}/account`));
  }
  await provider.stop();
}

/** Visitors of all kinds. */
export async function visitors(world: World): Promise<void> {
  const shop = `https://shop.localhost:${world.httpsPort}`;
  for (let round = 0; round < 12; round += 1) {
    for (const path of ["/", "/teas/green?page=2", "/packed", "/cart"]) await world.visit(shop + path);
    if (round % 4 === 0) await world.visit(`${shop}/webhooks/payments`);
    if (round % 6 === 0) await world.visit(`${shop}/staff`, { Accept: "application/json" });
  }
}
