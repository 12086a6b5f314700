// The kind of an id, and the page of its record. The prefixes are those of the API.
const KINDS: Readonly<Record<string, readonly [path: string, words: string]>> = {
  ak: ["/api_keys", "API key"],
  as: ["/app/sessions", "login session"],
  au: ["/app/users", "visitor"],
  bkdfo: ["/backends/failover", "failover backend"],
  bkdhr: ["/backends/http_response", "HTTP response"],
  bkdsc: ["/backends/static", "static backend"],
  bkdtg: ["/backends/tunnel_group", "tunnel group"],
  bkdwd: ["/backends/weighted", "weighted backend"],
  bot: ["/bot_users", "bot user"],
  ca: ["/certificate_authorities", "certificate authority"],
  cert: ["/tls_certificates", "TLS certificate"],
  cr: ["/credentials", "credential"],
  edghts: ["/edges/https", "HTTPS edge"],
  edgtcp: ["/edges/tcp", "TCP edge"],
  edgtls: ["/edges/tls", "TLS edge"],
  ep: ["/endpoints", "endpoint"],
  ipp: ["/ip_policies", "IP policy"],
  ipr: ["/ip_policy_rules", "rule"],
  ipx: ["/ip_restrictions", "IP restriction"],
  ra: ["/reserved_addrs", "reserved address"],
  rd: ["/reserved_domains", "reserved domain"],
  shcrt: ["/ssh_host_certificates", "SSH host certificate"],
  sshca: ["/ssh_certificate_authorities", "SSH certificate authority"],
  sucrt: ["/ssh_user_certificates", "SSH user certificate"],
  tn: ["/tunnels", "tunnel"],
  ts: ["/tunnel_sessions", "session"],
  usr: ["/users", "user"],
};

const kindOfId = (id: string) => KINDS[id.slice(0, id.indexOf("_"))];

/** The page of a record; null for ids without one. Routes are below their edge, their `parent`. */
export function pathOfId(id: string, parent: string | null = null): string | null {
  if (id.startsWith("edghtsrt_")) return parent === null ? null : `/edges/https/${parent}/routes/${id}`;
  const kind = kindOfId(id);
  return kind ? `${kind[0]}/${id}` : null;
}

/** The display name of the kind of an id. */
export function kindLabelOfId(id: string): string | null {
  if (id.startsWith("edghtsrt_")) return "HTTPS route";
  return kindOfId(id)?.[1] ?? null;
}
