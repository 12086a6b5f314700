// Where the record of an id has its page. The prefixes are those of the API.
const PATHS: Readonly<Record<string, string>> = {
  ak: "/api_keys",
  as: "/app/sessions",
  au: "/app/users",
  bkdfo: "/backends/failover",
  bkdhr: "/backends/http_response",
  bkdsc: "/backends/static",
  bkdtg: "/backends/tunnel_group",
  bkdwd: "/backends/weighted",
  bot: "/bot_users",
  ca: "/certificate_authorities",
  cert: "/tls_certificates",
  cr: "/credentials",
  edghts: "/edges/https",
  edgtcp: "/edges/tcp",
  edgtls: "/edges/tls",
  ep: "/endpoints",
  ipp: "/ip_policies",
  ipr: "/ip_policy_rules",
  ipx: "/ip_restrictions",
  rd: "/reserved_domains",
  ra: "/reserved_addrs",
  shcrt: "/ssh_host_certificates",
  sshca: "/ssh_certificate_authorities",
  sucrt: "/ssh_user_certificates",
  ts: "/tunnel_sessions",
  tn: "/tunnels",
  usr: "/users",
};

/** The place of a record in the console; null for ids of no page. */
export function placeOfId(id: string): string | null {
  const path = PATHS[id.slice(0, id.indexOf("_"))];
  return path ? `${path}/${id}` : null;
}
