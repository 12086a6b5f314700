// Bodies and answers of the management API. Made from api/openapi.json by `npm run gen`, never edited.

/**
 * What a rule says about the addresses it matches.
 */
export type Action = "allow" | "deny";
/**
 * Who issues certificates by request of a program.
 */
export type ManagingAuthority = "letsencrypt";
/**
 * The kinds of keys that such certificates have.
 */
export type ManagedKeyType = "ecdsa" | "rsa";
/**
 * What a module or restriction said.
 */
export type Verdict = "passed" | "refused" | "warned";
/**
 * What a reference means for the deletion of what is referred to.
 */
export type OnDelete = "refuses" | "goes" | "stays";
/**
 * Where an endpoint comes from.
 */
export type EndpointType = "ephemeral" | "edge";
/**
 * How a route's path is compared with that of a request.
 */
export type MatchType = "exact_path" | "path_prefix";
/**
 * Where a visitor's TLS ends.
 */
export type TerminateAt = "edge" | "upstream";
/**
 * A version of TLS that is offered to visitors.
 */
export type TlsVersion = "1.2" | "1.3";
/**
 * What happens to the headers of requests before they go to the backend.
 */
export type RequestHeadersModulePut = HeaderChanges;
/**
 * What happens to the headers of answers before they go to the visitor.
 */
export type ResponseHeadersModulePut = HeaderChanges;
/**
 * Where people have the account they log in with.
 */
export type IdentityProvider =
  "github" | "facebook" | "microsoft" | "google" | "linkedin" | "gitlab" | "twitch" | "amazon";
/**
 * The part of the service that a restriction guards.
 */
export type RestrictionType = "dashboard" | "api" | "agent" | "endpoints";
/**
 * The kind of a key.
 */
export type KeyType = "rsa" | "ecdsa" | "ed25519";
/**
 * The name of a place, as clients of larger services send it.
 */
export type Region = "" | "us" | "eu" | "ap" | "au" | "sa" | "jp" | "in" | "us-cal-1";
/**
 * What is counted.
 */
export type TrafficKind = "https_edge" | "https_route" | "tls_edge" | "tcp_edge" | "tunnel";

/**
 * A key. It may do what its owner may do.
 */
export interface ApiKey {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The user or bot user it belongs to.
   */
  owner_id: string;
  /**
   * The token, the one time it is shown.
   */
  token: string | null;
}
/**
 * What is said when a key is made.
 */
export interface ApiKeyCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The owner, if not the caller; only administrators may name somebody else.
   */
  owner_id?: string | null;
}
/**
 * A page of records, the newest first.
 */
export interface ApiKeyList {
  /**
   * The records.
   */
  keys: ApiKey[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface ApiKeyUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * A browser that has logged in at an edge. Deleting it logs the browser out with its next request.
 */
export interface AppSession {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * Where the browser has logged in.
   */
  public_url: string;
  /**
   * What is known of the browser.
   */
  browser_session: BrowserSession;
  /**
   * Who it is.
   */
  application_user: Ref;
  /**
   * When they logged in.
   */
  created_at: string;
  /**
   * The last request; it may lag behind by a minute.
   */
  last_active: string;
  /**
   * When it ends by its age, a moment as the others are; empty if it does not.
   */
  expires_at: string;
  /**
   * The address; null once the edge is gone.
   */
  endpoint: Ref | null;
  /**
   * The edge; null for a tunnel of an agent.
   */
  edge: Ref | null;
  /**
   * The route; null for a tunnel of an agent.
   */
  route: Ref | null;
}
/**
 * What is known of a browser.
 */
export interface BrowserSession {
  /**
   * What it said it was when the person logged in.
   */
  user_agent: UserAgent;
  /**
   * Where it was then.
   */
  ip_address: string;
  /**
   * Always null: this server knows no places.
   */
  location: null;
}
/**
 * What a browser says it is. Members are empty where its words say nothing about it.
 */
export interface UserAgent {
  /**
   * Its own words.
   */
  raw: string;
  /**
   * `Chrome` for example.
   */
  browser_name: string;
  /**
   * `102.0.5005.61` for example.
   */
  browser_version: string;
  /**
   * `pc`, `smartphone` or `crawler` for example.
   */
  device_type: string;
  /**
   * `Mac OSX` for example.
   */
  os_name: string;
  /**
   * `10.15.7` for example.
   */
  os_version: string;
}
/**
 * A reference to another resource. What it names may have been deleted meanwhile.
 */
export interface Ref {
  /**
   * The id of what is named.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
}
/**
 * A page of records, the newest first.
 */
export interface AppSessionList {
  /**
   * The records.
   */
  application_sessions: AppSession[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * A person who has logged in at an edge. Deleting one ends all their sessions; they may log in again.
 */
export interface AppUser {
  /**
   * Their id.
   */
  id: string;
  /**
   * Their absolute address.
   */
  uri: string;
  /**
   * Who knows them.
   */
  identity_provider: AppUserProvider;
  /**
   * What the provider calls them for good.
   */
  provider_user_id: string;
  /**
   * What they call themselves there; empty if the provider does not say.
   */
  username: string;
  /**
   * Their e-mail address; empty if the provider gave none that counts.
   */
  email: string;
  /**
   * Their name; empty if the provider does not say.
   */
  name: string;
  /**
   * When they logged in for the first time.
   */
  created_at: string;
  /**
   * Their last request; it may lag behind by a minute.
   */
  last_active: string;
  /**
   * When they logged in last.
   */
  last_login: string;
}
/**
 * Who vouches for a person.
 */
export interface AppUserProvider {
  /**
   * `oidc`, `saml`, or the name of an OAuth provider.
   */
  name: string;
  /**
   * An issuer, an entity id, or the address of an OAuth provider.
   */
  url: string;
}
/**
 * A page of records, the newest first.
 */
export interface AppUserList {
  /**
   * The records.
   */
  application_users: AppUser[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * The backend module as it is shown.
 */
export interface BackendModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * The backend.
   */
  backend: Ref;
}
/**
 * Names the backend that stands behind an endpoint.
 */
export interface BackendModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * The backend's id.
   */
  backend_id: string;
}
/**
 * How a static backend is spoken to.
 */
export interface BackendTls {
  /**
   * Over TLS if true, in clear if false.
   */
  enabled: boolean;
}
/**
 * How a static backend is spoken to.
 */
export interface BackendTlsInput {
  /**
   * Over TLS if true, in clear if false.
   */
  enabled?: boolean | null;
}
/**
 * A program that owns keys and credentials.
 */
export interface BotUser {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * What people call it; never empty, and no other bot's.
   */
  name: string;
  /**
   * Whether its keys and credentials may be used.
   */
  active: boolean;
  /**
   * Whether it may manage users and what belongs to others.
   */
  admin: boolean;
}
/**
 * What is said when a bot user is made. The name is needed.
 */
export interface BotUserCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * 1 to 255 bytes.
   */
  name: string;
  /**
   * On unless said otherwise.
   */
  active?: boolean | null;
  /**
   * Off unless said otherwise.
   */
  admin?: boolean | null;
}
/**
 * A page of records, the newest first.
 */
export interface BotUserList {
  /**
   * The records.
   */
  bot_users: BotUser[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface BotUserUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * 1 to 255 bytes.
   */
  name?: string | null;
  /**
   * Whether its keys and credentials may be used.
   */
  active?: boolean | null;
  /**
   * Whether it may manage users and what belongs to others.
   */
  admin?: boolean | null;
}
/**
 * What was uploaded.
 */
export interface CertificateAuthority {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The authority's certificate in PEM.
   */
  ca_pem: string;
  /**
   * The common name of the subject; empty if it has none.
   */
  subject_common_name: string;
  /**
   * When it becomes valid.
   */
  not_before: string;
  /**
   * When it is no longer valid.
   */
  not_after: string;
  /**
   * What the key may be used for, `CertSign` for example.
   */
  key_usages: string[];
  /**
   * What the key may further be used for; a use without a name is its number.
   */
  extended_key_usages: string[];
}
/**
 * What is said when an authority is uploaded.
 */
export interface CertificateAuthorityCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Exactly one certificate in PEM, of an authority.
   */
  ca_pem: string;
}
/**
 * A page of records, the newest first.
 */
export interface CertificateAuthorityList {
  /**
   * The records.
   */
  certificate_authorities: CertificateAuthority[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface CertificateAuthorityUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * A certificate that the server gets by itself.
 */
export interface CertificateManagementPolicy {
  /**
   * Who issues it.
   */
  authority: ManagingAuthority;
  /**
   * The kind of its key.
   */
  private_key_type: ManagedKeyType;
}
/**
 * A certificate that the server gets by itself.
 */
export interface CertificateManagementPolicyInput {
  /**
   * Who issues it.
   */
  authority?: (ManagingAuthority & string) | null;
  /**
   * The kind of its key.
   */
  private_key_type?: (ManagedKeyType & string) | null;
}
/**
 * How far the server is with a certificate.
 */
export interface CertificateManagementStatus {
  /**
   * When the next one is asked for; null while there is none.
   */
  renews_at: string | null;
  /**
   * What is going on at the moment, if anything is.
   */
  provisioning_job: ProvisioningJob | null;
}
/**
 * The server asks for a certificate.
 */
export interface ProvisioningJob {
  /**
   * Why the last attempt failed; null if it did not.
   */
  error_code: string | null;
  /**
   * The same in words.
   */
  msg: string;
  /**
   * Since when.
   */
  started_at: string;
  /**
   * When the next attempt is made; null if none is needed.
   */
  retries_at: string | null;
}
/**
 * The circuit breaker module as it is shown.
 */
export interface CircuitBreakerModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Seconds to wait after the circuit has tripped.
   */
  tripped_duration: number;
  /**
   * Seconds that requests are remembered.
   */
  rolling_window: number;
  /**
   * The parts in which the window moves on.
   */
  num_buckets: number;
  /**
   * How many requests the window must hold before their errors are looked at.
   */
  volume_threshold: number;
  /**
   * The share of errors that trips the circuit.
   */
  error_threshold_percentage: number;
}
/**
 * When a backend has failed too often, and for how long it is left alone.
 */
export interface CircuitBreakerModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Seconds to wait after the circuit has tripped before the backend is tried again, at least 1.
   */
  tripped_duration?: number | null;
  /**
   * Seconds that requests are remembered, at least 1.
   */
  rolling_window?: number | null;
  /**
   * The parts in which the window moves on, 1 to `BUCKET_LIMIT`.
   */
  num_buckets?: number | null;
  /**
   * How many requests the window must hold before their errors are looked at.
   */
  volume_threshold?: number | null;
  /**
   * The share of errors that trips the circuit, 0 to 1.
   */
  error_threshold_percentage?: number | null;
}
/**
 * A module without settings, as it is shown.
 */
export interface CompressionModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
}
/**
 * Compresses answers.
 */
export interface CompressionModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
}
/**
 * How many there are of what the edge serves by.
 */
export interface Configured {
  /**
   * HTTPS edges.
   */
  https_edges: number;
  /**
   * TLS edges.
   */
  tls_edges: number;
  /**
   * TCP edges.
   */
  tcp_edges: number;
  /**
   * Backends of all kinds.
   */
  backends: number;
  /**
   * TLS certificates.
   */
  tls_certificates: number;
  /**
   * Tunnel credentials that agents may use.
   */
  credentials: number;
}
/**
 * What agents with this credential may bind, and whose it is.
 */
export interface Credential {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * What may be bound; no rules permit everything.
   */
  acl: string[];
  /**
   * The user or bot user it belongs to.
   */
  owner_id: string;
  /**
   * The token, the one time it is shown.
   */
  token: string | null;
}
/**
 * What is said when a credential is made.
 */
export interface CredentialCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Rules such as `bind:*.example.com`; none permit everything.
   */
  acl?: string[] | null;
  /**
   * The owner, if not the caller; only administrators may name somebody else.
   */
  owner_id?: string | null;
}
/**
 * A page of records, the newest first.
 */
export interface CredentialList {
  /**
   * The records.
   */
  credentials: Credential[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed. A new ACL counts for new binds.
 */
export interface CredentialUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The rules, replacing all former ones.
   */
  acl?: string[] | null;
}
/**
 * What one module decided.
 */
export interface Decision {
  /**
   * The module or restriction, such as `ip_restriction`.
   */
  module: string;
  /**
   * What in it decided, such as the id of a rule or a pattern; empty where there is no such thing.
   */
  rule: string;
  /**
   * What it said.
   */
  verdict: Verdict;
  /**
   * How long it took.
   */
  microseconds: number;
}
/**
 * A record, or a module of one, that refers to another record.
 */
export interface Dependent {
  /**
   * The id of the record that refers, or has the module that does.
   */
  id: string;
  /**
   * Its kind, such as `https_route`.
   */
  kind: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * The id of the record it lies in; null if it lies in none.
   */
  parent_id: string | null;
  /**
   * The module that refers; empty if the record itself does.
   */
  module: string;
  /**
   * What happens when the record it refers to shall be deleted.
   */
  on_delete: OnDelete;
}
/**
 * At most a hundred of them. There are no further pages.
 */
export interface DependentList {
  /**
   * The records.
   */
  dependents: Dependent[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * A public address of this moment: an agent's tunnel, or one name or port of an edge.
 */
export interface Endpoint {
  /**
   * Its id. That of a tunnel's endpoint and that of the tunnel differ in the prefix only.
   */
  id: string;
  /**
   * Its absolute address in this API.
   */
  uri: string;
  /**
   * When it began.
   */
  created_at: string;
  /**
   * When it began: an endpoint does not change.
   */
  updated_at: string;
  /**
   * Where it comes from.
   */
  type: EndpointType;
  /**
   * The address that visitors use.
   */
  public_url: string;
  /**
   * The same.
   */
  url: string;
  /**
   * `https`, `http`, `tls` or `tcp`.
   */
  proto: string;
  /**
   * The same.
   */
  scheme: string;
  /**
   * Its host and port; the port is always there.
   */
  hostport: string;
  /**
   * Its host.
   */
  host: string;
  /**
   * Its port.
   */
  port: number;
  /**
   * The region of the server.
   */
  region: string;
  /**
   * The name the tunnel has at its agent; empty for an edge.
   */
  name: string;
  /**
   * The description of the edge; empty for a tunnel.
   */
  description: string;
  /**
   * The metadata of the edge or of the tunnel.
   */
  metadata: string;
  /**
   * Who owns the credential that the agent proved itself with; null for an edge.
   */
  principal: Ref | null;
  /**
   * Where it can be reached from: `public`.
   */
  bindings: string[];
  /**
   * The reserved domain it is on, if it is on one.
   */
  domain: Ref | null;
  /**
   * The reserved address it is on, if it is on one.
   */
  tcp_addr: Ref | null;
  /**
   * The tunnel behind it; null for an edge.
   */
  tunnel: Ref | null;
  /**
   * The session of that tunnel; null for an edge.
   */
  tunnel_session: Ref | null;
  /**
   * The edge behind it; null for a tunnel.
   */
  edge: Ref | null;
  /**
   * The local address, as the agent describes it; empty for an edge.
   */
  upstream_url: string;
  /**
   * Always empty: agents pass on what visitors speak.
   */
  upstream_protocol: string;
  /**
   * Always empty.
   */
  traffic_policy: string;
  /**
   * Always false: one address has one owner.
   */
  pooling_enabled: boolean;
}
/**
 * A page of records, the newest first.
 */
export interface EndpointList {
  /**
   * The records.
   */
  endpoints: Endpoint[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What went wrong.
 */
export interface Error {
  /**
   * The stable code to act on.
   */
  error_code: string;
  /**
   * The status of the answer.
   */
  status_code: number;
  /**
   * What is wrong and what to do about it.
   */
  msg: string;
  /**
   * Further facts, such as the name of the field.
   */
  details: {
    /**
     * What the server's log knows the call by.
     */
    operation_id: string;
    [k: string]: string;
  };
}
/**
 * A TLS certificate and its end.
 */
export interface ExpiringCertificate {
  /**
   * Which it is.
   */
  certificate: Ref;
  /**
   * The host names and addresses it is valid for.
   */
  names: string[];
  /**
   * When it is no longer valid.
   */
  not_after: string;
  /**
   * Whether the server gets the next one by itself.
   */
  renewed: boolean;
}
/**
 * A visitor goes to the first of these backends that can be reached at all.
 */
export interface FailoverBackend {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The ids of the backends, the preferred one first.
   */
  backends: string[];
}
/**
 * What is said when a failover backend is made.
 */
export interface FailoverBackendCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Ids of tunnel groups, HTTP responses, static and weighted backends, the preferred one first. In a change they replace the whole list.
   *
   * @maxItems 100
   */
  backends?: string[] | null;
}
/**
 * A page of records, the newest first.
 */
export interface FailoverBackendList {
  /**
   * The records.
   */
  backends: FailoverBackend[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface FailoverBackendUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Ids of tunnel groups, HTTP responses, static and weighted backends, the preferred one first. In a change they replace the whole list.
   *
   * @maxItems 100
   */
  backends?: string[] | null;
}
/**
 * GitHub and whom it lets in: everybody if all lists are empty, else who is on one of them.
 */
export interface GithubLogin {
  /**
   * The id of an OAuth app of one's own. Empty: the one the server's operator configured.
   */
  client_id?: string | null;
  /**
   * The secret of that app.
   */
  client_secret?: string | null;
  /**
   * What is asked of the provider; only with an app of one's own. What the login itself needs is added.
   *
   * @maxItems 50
   */
  scopes?: string[] | null;
  /**
   * The e-mail addresses that may come in.
   *
   * @maxItems 100
   */
  email_addresses?: string[] | null;
  /**
   * The domains whose e-mail addresses may come in.
   *
   * @maxItems 100
   */
  email_domains?: string[] | null;
  /**
   * Teams, `<org>/<team>` or the number of a team, whose members may come in.
   *
   * @maxItems 100
   */
  teams?: string[] | null;
  /**
   * Organizations whose members may come in.
   *
   * @maxItems 100
   */
  organizations?: string[] | null;
}
/**
 * A provider as it is shown.
 */
export interface GithubLoginView {
  /**
   * The id of the OAuth app. Empty: the one the server's operator configured.
   */
  client_id: string;
  /**
   * The secret of that app.
   */
  client_secret: string;
  /**
   * What is asked of the provider.
   */
  scopes: string[];
  /**
   * The e-mail addresses that may come in.
   */
  email_addresses: string[];
  /**
   * The domains whose e-mail addresses may come in.
   */
  email_domains: string[];
  /**
   * Teams, `<org>/<team>` or the number of a team, whose members may come in.
   */
  teams: string[];
  /**
   * Organizations whose members may come in.
   */
  organizations: string[];
}
/**
 * Headers to add and to remove. A name in both is replaced.
 */
export interface HeaderChanges {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Headers to add, at most 100. A value may hold variables, `${…}`.
   */
  add?: {
    [k: string]: string | null;
  } | null;
  /**
   * Names of headers to remove with all their values, at most 100.
   *
   * @maxItems 100
   */
  remove?: string[] | null;
}
/**
 * The answer that every visitor gets.
 */
export interface HttpResponseBackend {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The body; empty if there is none.
   */
  body: string;
  /**
   * The headers, names in lower case.
   */
  headers: {
    [k: string]: string;
  };
  /**
   * The status.
   */
  status_code: number;
}
/**
 * What is said when an HTTP response backend is made.
 */
export interface HttpResponseBackendCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The body, at most 256 KiB.
   */
  body?: string | null;
  /**
   * Headers by name, each name once in whatever case. Those that say how long the body is or how the connection goes on are the server's own. In a change they replace the whole map.
   */
  headers?: {
    [k: string]: string | null;
  } | null;
  /**
   * The status, 200 to 599; 200 unless said otherwise.
   */
  status_code?: number | null;
}
/**
 * A page of records, the newest first.
 */
export interface HttpResponseBackendList {
  /**
   * The records.
   */
  backends: HttpResponseBackend[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface HttpResponseBackendUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The body, at most 256 KiB.
   */
  body?: string | null;
  /**
   * Headers by name, each name once in whatever case. Those that say how long the body is or how the connection goes on are the server's own. In a change they replace the whole map.
   */
  headers?: {
    [k: string]: string | null;
  } | null;
  /**
   * The status, 200 to 599; 200 unless said otherwise.
   */
  status_code?: number | null;
}
/**
 * Host names that stand open for visitors with HTTPS.
 */
export interface HttpsEdge {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The names, `host:port` each; empty when there are none.
   */
  hostports: string[];
  /**
   * Which requests go where, in the order the routes were made.
   */
  routes: HttpsRoute[];
  /**
   * Whose certificates visitors must show.
   */
  mutual_tls: MutualTlsModule | null;
  /**
   * How old their protocol may be.
   */
  tls_termination: HttpsTerminationModule | null;
}
/**
 * The paths of an HTTPS edge that are treated alike.
 */
export interface HttpsRoute {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * How `match` is compared.
   */
  match_type: MatchType;
  /**
   * The path, or the beginning of paths.
   */
  match: string;
  /**
   * The edge it is part of.
   */
  edge_id: string;
  /**
   * Where requests go.
   */
  backend: BackendModule | null;
  /**
   * Who may send them.
   */
  ip_restriction: IpRestrictionModule | null;
  /**
   * When the backend is left alone for a while.
   */
  circuit_breaker: CircuitBreakerModule | null;
  /**
   * Whether answers are compressed.
   */
  compression: CompressionModule | null;
  /**
   * What happens to the headers of requests.
   */
  request_headers: RequestHeadersModule | null;
  /**
   * What happens to the headers of answers.
   */
  response_headers: RequestHeadersModule | null;
  /**
   * Whose signature requests must carry.
   */
  webhook_verification: WebhookVerificationModule | null;
  /**
   * Whether WebSockets become plain streams.
   */
  websocket_tcp_converter: CompressionModule | null;
  /**
   * Which browsers and programs may come in.
   */
  user_agent_filter: UserAgentFilterModule | null;
  /**
   * The login with an account elsewhere.
   */
  oauth: OAuthModule | null;
  /**
   * The login with any OpenID provider.
   */
  oidc: OidcModule | null;
  /**
   * The login with the identity provider of an organization.
   */
  saml: SamlModule | null;
}
/**
 * The IP restriction module as it is shown.
 */
export interface IpRestrictionModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * The policies. One that was deleted stays listed and counts as one without rules.
   */
  ip_policies: Ref[];
}
/**
 * A header module as it is shown.
 */
export interface RequestHeadersModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Headers to add, their names in lower case.
   */
  add: {
    [k: string]: string;
  };
  /**
   * Names of headers to remove, in lower case.
   */
  remove: string[];
}
/**
 * The webhook verification module as it is shown.
 */
export interface WebhookVerificationModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * The provider as it was written.
   */
  provider: string;
  /**
   * The secret; empty for a provider that has none.
   */
  secret: string;
}
/**
 * The user agent filter module as it is shown.
 */
export interface UserAgentFilterModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Who may come in whatever `deny` says.
   */
  allow: string[];
  /**
   * Who may not.
   */
  deny: string[];
}
/**
 * The OAuth module as it is shown.
 */
export interface OAuthModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough: boolean;
  /**
   * What the session cookie's name begins with.
   */
  cookie_prefix: string;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout: number;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration: number;
  /**
   * Which provider, and whom it lets in.
   */
  provider: OAuthProviderView;
  /**
   * Seconds after which a user is asked for anew at the provider and judged again; 0: only at the login.
   */
  auth_check_interval: number;
}
/**
 * The providers as they are shown: those that are not configured are null.
 */
export interface OAuthProviderView {
  /**
   * GitHub.
   */
  github: GithubLoginView | null;
  /**
   * Facebook.
   */
  facebook: OAuthLoginView | null;
  /**
   * Microsoft.
   */
  microsoft: OAuthLoginView | null;
  /**
   * Google.
   */
  google: OAuthLoginView | null;
  /**
   * LinkedIn.
   */
  linkedin: OAuthLoginView | null;
  /**
   * GitLab.
   */
  gitlab: OAuthLoginView | null;
  /**
   * Twitch.
   */
  twitch: OAuthLoginView | null;
  /**
   * Amazon.
   */
  amazon: OAuthLoginView | null;
}
/**
 * A provider as it is shown.
 */
export interface OAuthLoginView {
  /**
   * The id of the OAuth app. Empty: the one the server's operator configured.
   */
  client_id: string;
  /**
   * The secret of that app.
   */
  client_secret: string;
  /**
   * What is asked of the provider.
   */
  scopes: string[];
  /**
   * The e-mail addresses that may come in.
   */
  email_addresses: string[];
  /**
   * The domains whose e-mail addresses may come in.
   */
  email_domains: string[];
}
/**
 * The OpenID Connect module as it is shown.
 */
export interface OidcModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough: boolean;
  /**
   * What the session cookie's name begins with.
   */
  cookie_prefix: string;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout: number;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration: number;
  /**
   * The address of the provider, below which its configuration is found.
   */
  issuer: string;
  /**
   * The id of the app at the provider.
   */
  client_id: string;
  /**
   * The secret of that app.
   */
  client_secret: string;
  /**
   * What is asked of the provider.
   */
  scopes: string[];
}
/**
 * The SAML module as it is shown: with what the identity provider must be told.
 */
export interface SamlModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough: boolean;
  /**
   * What the session cookie's name begins with.
   */
  cookie_prefix: string;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout: number;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration: number;
  /**
   * The identity provider's EntityDescriptor, as it was given.
   */
  idp_metadata: string;
  /**
   * Always empty: metadata is given, not fetched.
   */
  idp_metadata_url: string;
  /**
   * Whether the provider must ask for the password again at every login.
   */
  force_authn: boolean;
  /**
   * Whether a login may begin at the provider.
   */
  allow_idp_initiated: boolean;
  /**
   * The groups whose members may come in. Empty: everybody.
   */
  authorized_groups: string[];
  /**
   * How the provider is to name people.
   */
  nameid_format: string;
  /**
   * What this route is called at the identity provider.
   */
  entity_id: string;
  /**
   * Where the identity provider sends its answers.
   */
  assertion_consumer_service_url: string;
  /**
   * Where the identity provider ends sessions.
   */
  single_logout_url: string;
  /**
   * The certificate of the key that signs what is sent to the identity provider.
   */
  request_signing_certificate_pem: string;
  /**
   * Where the identity provider can read all of this; the same as `entity_id`.
   */
  metadata_url: string;
}
/**
 * The mutual TLS module as it is shown.
 */
export interface MutualTlsModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * The authorities.
   */
  certificate_authorities: Ref[];
}
/**
 * The TLS termination module as it is shown.
 */
export interface HttpsTerminationModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Where TLS ends.
   */
  terminate_at: TerminateAt;
  /**
   * The oldest version of TLS that visitors may speak; null where TLS does not end at the edge.
   */
  min_version: TlsVersion | null;
}
/**
 * What is said when an edge is made. In a change, a module that is named is replaced whole.
 */
export interface HttpsEdgeCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
   */
  hostports?: string[] | null;
  /**
   * Whose certificates visitors must show.
   */
  mutual_tls?: MutualTlsModulePut | null;
  /**
   * How old their protocol may be.
   */
  tls_termination?: HttpsTerminationModulePut | null;
}
/**
 * Names the authorities that may have signed a visitor's certificate; any one of them is enough.
 */
export interface MutualTlsModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * The ids of the authorities, 1 to `AUTHORITY_LIMIT`.
   *
   * @minItems 1
   * @maxItems 10
   */
  certificate_authority_ids: string[];
}
/**
 * TLS termination of an HTTPS edge.
 */
export interface HttpsTerminationModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * The oldest version of TLS that visitors may speak; `1.2` if it is not said.
   */
  min_version?: TlsVersion | null;
}
/**
 * A page of records, the newest first.
 */
export interface HttpsEdgeList {
  /**
   * The records.
   */
  https_edges: HttpsEdge[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface HttpsEdgeUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
   */
  hostports?: string[] | null;
  /**
   * Whose certificates visitors must show.
   */
  mutual_tls?: MutualTlsModulePut | null;
  /**
   * How old their protocol may be.
   */
  tls_termination?: HttpsTerminationModulePut | null;
}
/**
 * What is said when a route is made or changed. Making one needs `match_type` and `match`; in a change an empty one is the same as none, and a module that is named is replaced whole.
 */
export interface HttpsRouteCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * How `match` is compared: `exact_path` or `path_prefix`.
   */
  match_type?: string | null;
  /**
   * The path, or the beginning of paths; begins with a slash, at most 1024 characters.
   */
  match?: string | null;
  /**
   * Where requests go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may send them.
   */
  ip_restriction?: IpRestrictionModulePut | null;
  /**
   * When the backend is left alone for a while.
   */
  circuit_breaker?: CircuitBreakerModulePut | null;
  /**
   * Whether answers are compressed.
   */
  compression?: CompressionModulePut | null;
  /**
   * What happens to the headers of requests.
   */
  request_headers?: RequestHeadersModulePut | null;
  /**
   * What happens to the headers of answers.
   */
  response_headers?: ResponseHeadersModulePut | null;
  /**
   * Whose signature requests must carry.
   */
  webhook_verification?: WebhookVerificationModulePut | null;
  /**
   * Whether WebSockets become plain streams.
   */
  websocket_tcp_converter?: WebsocketTcpConverterModulePut | null;
  /**
   * Which browsers and programs may come in.
   */
  user_agent_filter?: UserAgentFilterModulePut | null;
  /**
   * Who may send them, by an account elsewhere. Of the three logins one at most can be enabled.
   */
  oauth?: OAuthModulePut | null;
  /**
   * Who may send them, by any OpenID provider.
   */
  oidc?: OidcModulePut | null;
  /**
   * Who may send them, by the identity provider of an organization.
   */
  saml?: SamlModulePut | null;
}
/**
 * Names the IP policies a visitor's address is judged by, all their rules together.
 */
export interface IpRestrictionModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * The ids of the policies, 1 to `POLICY_LIMIT`.
   *
   * @minItems 1
   * @maxItems 100
   */
  ip_policy_ids: string[];
}
/**
 * Names the provider that sends webhooks, and what its signatures are checked with.
 */
export interface WebhookVerificationModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * The provider; upper and lower case are the same.
   */
  provider:
    | "aftership"
    | "airship"
    | "alchemy"
    | "sns"
    | "autodesk"
    | "bitbucket"
    | "bolt"
    | "box"
    | "brex"
    | "buildkite"
    | "calendly"
    | "castle"
    | "chargify"
    | "circleci"
    | "clearbit"
    | "clerk"
    | "coinbase"
    | "contentful"
    | "docusign"
    | "dropbox"
    | "facebook_graph_api"
    | "facebook_messenger"
    | "frameio"
    | "github"
    | "gitlab"
    | "go1"
    | "graphcms"
    | "heroku"
    | "hostedhooks"
    | "hubspot"
    | "instagram"
    | "intercom"
    | "jira"
    | "launch_darkly"
    | "launchdarkly"
    | "linear"
    | "mailchimp"
    | "mailgun"
    | "microsoft_teams"
    | "modern_treasury"
    | "mongodb"
    | "mux"
    | "orb"
    | "orbit"
    | "pagerduty"
    | "pinwheel"
    | "plivo"
    | "pusher"
    | "sendgrid"
    | "sentry"
    | "shopify"
    | "signal_sciences"
    | "signalsciences"
    | "slack"
    | "sonatype"
    | "sonatype_nexus"
    | "square"
    | "stripe"
    | "svix"
    | "terraform"
    | "tiktok"
    | "trendmicro_conformity"
    | "twilio"
    | "twitter"
    | "typeform"
    | "vmware"
    | "vmware_workspace"
    | "webex"
    | "whatsapp"
    | "worldline"
    | "xero"
    | "zendesk"
    | "zoom";
  /**
   * The secret shared with the provider. Every provider needs one but `sns`, which must have none.
   */
  secret?: string | null;
}
/**
 * Turns WebSocket connections into TCP streams.
 */
export interface WebsocketTcpConverterModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
}
/**
 * Patterns that are looked for in a visitor's `User-Agent`. Who matches one of `allow`, or none of `deny`, comes in.
 */
export interface UserAgentFilterModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Regular expressions of those who may come in whatever `deny` says, at most 100.
   *
   * @maxItems 100
   */
  allow?: string[] | null;
  /**
   * Regular expressions of those who may not, at most 100.
   *
   * @maxItems 100
   */
  deny?: string[] | null;
}
/**
 * Lets in who logs in with the provider and is on one of its lists.
 */
export interface OAuthModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough?: boolean | null;
  /**
   * What the session cookie's name begins with. Empty: the default.
   */
  cookie_prefix?: string | null;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout?: number | null;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration?: number | null;
  /**
   * Which provider, and whom it lets in.
   */
  provider: OAuthProvider;
  /**
   * Seconds after which a user is asked for anew at the provider and judged again; 0: only at the login.
   */
  auth_check_interval?: (
    | 0
    | {
        [k: string]: unknown;
      }
  ) &
    (
      | ((
          | 0
          | {
              [k: string]: unknown;
            }
        ) &
          number)
      | ((
          | 0
          | {
              [k: string]: unknown;
            }
        ) &
          null)
    );
}
/**
 * The providers; exactly one is configured.
 */
export interface OAuthProvider {
  /**
   * GitHub.
   */
  github?: GithubLogin | null;
  /**
   * Facebook.
   */
  facebook?: OAuthLogin | null;
  /**
   * Microsoft.
   */
  microsoft?: OAuthLogin | null;
  /**
   * Google.
   */
  google?: OAuthLogin | null;
  /**
   * LinkedIn.
   */
  linkedin?: OAuthLogin | null;
  /**
   * GitLab.
   */
  gitlab?: OAuthLogin | null;
  /**
   * Twitch.
   */
  twitch?: OAuthLogin | null;
  /**
   * Amazon.
   */
  amazon?: OAuthLogin | null;
}
/**
 * A provider and whom it lets in: everybody if both lists are empty, else who is on one of them.
 */
export interface OAuthLogin {
  /**
   * The id of an OAuth app of one's own. Empty: the one the server's operator configured.
   */
  client_id?: string | null;
  /**
   * The secret of that app.
   */
  client_secret?: string | null;
  /**
   * What is asked of the provider; only with an app of one's own. What the login itself needs is added.
   *
   * @maxItems 50
   */
  scopes?: string[] | null;
  /**
   * The e-mail addresses that may come in.
   *
   * @maxItems 100
   */
  email_addresses?: string[] | null;
  /**
   * The domains whose e-mail addresses may come in.
   *
   * @maxItems 100
   */
  email_domains?: string[] | null;
}
/**
 * Lets in whom the issuer knows.
 */
export interface OidcModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough?: boolean | null;
  /**
   * What the session cookie's name begins with. Empty: the default.
   */
  cookie_prefix?: string | null;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout?: number | null;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration?: number | null;
  /**
   * The address of the provider, below which its configuration is found.
   */
  issuer: string;
  /**
   * The id of the app at the provider; tokens must be made out to it.
   */
  client_id: string;
  /**
   * The secret of that app.
   */
  client_secret: string;
  /**
   * What is asked of the provider. `openid` is added if it is missing.
   *
   * @maxItems 50
   */
  scopes?: string[] | null;
}
/**
 * Lets in whom the identity provider vouches for.
 */
export interface SamlModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Whether OPTIONS requests pass without a login, as CORS needs it.
   */
  options_passthrough?: boolean | null;
  /**
   * What the session cookie's name begins with. Empty: the default.
   */
  cookie_prefix?: string | null;
  /**
   * Seconds without a request after which a session ends; 0: never.
   */
  inactivity_timeout?: number | null;
  /**
   * Seconds after which a session ends in any case; 0: never.
   */
  maximum_duration?: number | null;
  /**
   * The identity provider's EntityDescriptor, the whole XML; at most 128 KiB.
   */
  idp_metadata: string;
  /**
   * Whether the provider must ask for the password again at every login.
   */
  force_authn?: boolean | null;
  /**
   * Whether a login may begin at the provider. True unless it is said otherwise.
   */
  allow_idp_initiated?: boolean | null;
  /**
   * The groups whose members may come in. Empty: everybody.
   *
   * @maxItems 100
   */
  authorized_groups?: string[] | null;
  /**
   * How the provider is to name people. Empty: the default, `urn:oasis:names:tc:SAML:2.0:nameid-format:persistent`.
   */
  nameid_format?:
    | "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
    | "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
    | "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
    | "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
    | ""
    | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface HttpsRouteUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * How `match` is compared: `exact_path` or `path_prefix`.
   */
  match_type?: string | null;
  /**
   * The path, or the beginning of paths; begins with a slash, at most 1024 characters.
   */
  match?: string | null;
  /**
   * Where requests go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may send them.
   */
  ip_restriction?: IpRestrictionModulePut | null;
  /**
   * When the backend is left alone for a while.
   */
  circuit_breaker?: CircuitBreakerModulePut | null;
  /**
   * Whether answers are compressed.
   */
  compression?: CompressionModulePut | null;
  /**
   * What happens to the headers of requests.
   */
  request_headers?: RequestHeadersModulePut | null;
  /**
   * What happens to the headers of answers.
   */
  response_headers?: ResponseHeadersModulePut | null;
  /**
   * Whose signature requests must carry.
   */
  webhook_verification?: WebhookVerificationModulePut | null;
  /**
   * Whether WebSockets become plain streams.
   */
  websocket_tcp_converter?: WebsocketTcpConverterModulePut | null;
  /**
   * Which browsers and programs may come in.
   */
  user_agent_filter?: UserAgentFilterModulePut | null;
  /**
   * Who may send them, by an account elsewhere. Of the three logins one at most can be enabled.
   */
  oauth?: OAuthModulePut | null;
  /**
   * Who may send them, by any OpenID provider.
   */
  oidc?: OidcModulePut | null;
  /**
   * Who may send them, by the identity provider of an organization.
   */
  saml?: SamlModulePut | null;
}
/**
 * A set of rules. It guards nothing until an endpoint or a restriction names it; without rules it lets nobody in.
 */
export interface IpPolicy {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
}
/**
 * What is said when a policy is made.
 */
export interface IpPolicyCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * A page of records, the newest first.
 */
export interface IpPolicyList {
  /**
   * The records.
   */
  ip_policies: IpPolicy[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * One rule of a policy.
 */
export interface IpPolicyRule {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The addresses, in CIDR notation.
   */
  cidr: string;
  /**
   * Whether they may pass.
   */
  action: Action;
  /**
   * The policy it belongs to.
   */
  ip_policy: Ref;
}
/**
 * What is said when a rule is made. `cidr`, `ip_policy_id` and `action` are needed.
 */
export interface IpPolicyRuleCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * A range in CIDR notation, or one address.
   */
  cidr: string;
  /**
   * The policy to add the rule to.
   */
  ip_policy_id: string;
  /**
   * `allow` or `deny`.
   */
  action: string;
}
/**
 * A page of records, the newest first.
 */
export interface IpPolicyRuleList {
  /**
   * The records.
   */
  ip_policy_rules: IpPolicyRule[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface IpPolicyRuleUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * A range in CIDR notation, or one address.
   */
  cidr?: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface IpPolicyUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * Who may use a part of the service. Each enforced restriction of a type must let an address pass.
 */
export interface IpRestriction {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * Whether it turns anybody away; if not, there are only warnings.
   */
  enforced: boolean;
  /**
   * What it guards.
   */
  type: RestrictionType;
  /**
   * The policies an address is judged by, all their rules together. One that was deleted stays listed and counts as one without rules.
   */
  ip_policies: Ref[];
}
/**
 * What is said when a restriction is made. Its type and at least one policy are needed.
 */
export interface IpRestrictionCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * `dashboard`, `api`, `agent` or `endpoints`.
   */
  type: "dashboard" | "api" | "agent" | "endpoints";
  /**
   * The ids of the policies.
   *
   * @minItems 1
   * @maxItems 100
   */
  ip_policy_ids: string[];
  /**
   * Off unless said otherwise.
   */
  enforced?: boolean | null;
}
/**
 * A page of records, the newest first.
 */
export interface IpRestrictionList {
  /**
   * The records.
   */
  ip_restrictions: IpRestriction[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface IpRestrictionUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Whether it turns anybody away.
   */
  enforced?: boolean | null;
  /**
   * The ids of the policies, replacing all former ones.
   *
   * @minItems 1
   * @maxItems 100
   */
  ip_policy_ids?: string[] | null;
}
/**
 * What is remembered of a visitor who was turned away. The last ones of each edge are kept in the memory of the server.
 */
export interface RefusedVisit {
  /**
   * What names the request on the visitor's error page and in the access log, `op_…`.
   */
  id: string;
  /**
   * When it began.
   */
  at: string;
  /**
   * The address of the visitor.
   */
  ip: string;
  /**
   * `https` for requests, `tls` or `tcp` for connections.
   */
  scheme: string;
  /**
   * The host that was asked for; empty for TCP edges.
   */
  host: string;
  /**
   * The method of the request; empty for connections.
   */
  method: string;
  /**
   * The path of the request, without its query; empty for connections.
   */
  path: string;
  /**
   * The status of the answer; 0 for connections, which are closed without one.
   */
  status: number;
  /**
   * Why, as a code.
   */
  error_code: string;
  /**
   * Why, in a sentence.
   */
  msg: string;
  /**
   * The route of the edge; null if none was reached.
   */
  route: Ref | null;
  /**
   * What each module and restriction said, in order. The last one has refused, unless none did.
   */
  decisions: Decision[];
  /**
   * How long it took to refuse.
   */
  duration_microseconds: number;
}
/**
 * Those who were turned away last, the newest first. There are no further pages.
 */
export interface RefusedVisitList {
  /**
   * The records.
   */
  decisions: RefusedVisit[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * A TCP address that only its owner's agents, and edges, can have.
 */
export interface ReservedAddress {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The address, `host:port`.
   */
  addr: string;
  /**
   * Where it is; there is one place only, and the name says nothing.
   */
  region: Region;
  /**
   * The user or bot user whose agents may bind it.
   */
  owner_id: string;
}
/**
 * What is said when an address is reserved.
 */
export interface ReservedAddressCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * An address of this server, if a certain one is wanted; otherwise a free one is chosen.
   */
  addr?: string | null;
  /**
   * `us` unless said otherwise.
   */
  region?: Region | null;
  /**
   * The owner, if not the caller; only administrators may name somebody else.
   */
  owner_id?: string | null;
}
/**
 * A page of records, the newest first.
 */
export interface ReservedAddressList {
  /**
   * The records.
   */
  reserved_addrs: ReservedAddress[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface ReservedAddressUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * A name that only its owner's agents, and edges, can have; so are the names below it.
 */
export interface ReservedDomain {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The name; the first part may be `*`.
   */
  domain: string;
  /**
   * Always empty: there is one place only.
   */
  region: Region;
  /**
   * How to get a certificate for it; null unless the server shall.
   */
  certificate_management_policy: CertificateManagementPolicy | null;
  /**
   * Where it shall be resolved to.
   */
  resolves_to: ResolvesTo[];
  /**
   * The user or bot user whose agents may bind it.
   */
  owner_id: string;
  /**
   * The name that the domain's CNAME record must lead to; null below the server's own domain, which needs none.
   */
  cname_target: string | null;
  /**
   * The certificate that is served for it, if a certain one is.
   */
  certificate: Ref | null;
  /**
   * How far the server is with getting a certificate; null without a policy.
   */
  certificate_management_status: CertificateManagementStatus | null;
  /**
   * The name below the server's domain where the authority finds its proof if the domain's `_acme-challenge` record leads there: wildcards that are not below the server's own domain have one.
   */
  acme_challenge_cname_target: string | null;
}
/**
 * One place a domain is resolved to.
 */
export interface ResolvesTo {
  /**
   * The name of the place, 1 to 64 bytes.
   */
  value: string;
}
/**
 * What is said when a domain is reserved.
 */
export interface ReservedDomainCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * A host name, in full or as one part below the server's domain; the first part may be `*`. Without it a free name below the server's domain is chosen.
   */
  domain?: string | null;
  /**
   * What older clients call the domain.
   */
  name?: string | null;
  /**
   * Says nothing here: there is one place only.
   */
  region?: Region | null;
  /**
   * The TLS certificate to serve for it; not together with a policy.
   */
  certificate_id?: string | null;
  /**
   * How the server shall get a certificate for it; not together with a certificate.
   */
  certificate_management_policy?: CertificateManagementPolicyInput | null;
  /**
   * Where it shall be resolved to.
   *
   * @maxItems 16
   */
  resolves_to?: ResolvesToInput[] | null;
  /**
   * The owner, if not the caller; only administrators may name somebody else.
   */
  owner_id?: string | null;
}
/**
 * One place a domain is resolved to.
 */
export interface ResolvesToInput {
  /**
   * The name of the place, 1 to 64 bytes.
   */
  value: string;
}
/**
 * A page of records, the newest first.
 */
export interface ReservedDomainList {
  /**
   * The records.
   */
  reserved_domains: ReservedDomain[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed. A certificate takes the place of a policy, and a policy that of a certificate.
 */
export interface ReservedDomainUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The TLS certificate to serve for it; empty for none.
   */
  certificate_id?: string | null;
  /**
   * How the server shall get a certificate for it.
   */
  certificate_management_policy?: CertificateManagementPolicyInput | null;
  /**
   * Where it shall be resolved to.
   *
   * @maxItems 16
   */
  resolves_to?: ResolvesToInput[] | null;
}
/**
 * A header module as it is shown.
 */
export interface ResponseHeadersModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Headers to add, their names in lower case.
   */
  add: {
    [k: string]: string;
  };
  /**
   * Names of headers to remove, in lower case.
   */
  remove: string[];
}
/**
 * Facts about the server that every caller may know: where visitors find it, and what identity providers are told.
 */
export interface ServerFacts {
  /**
   * The version of the server's program.
   */
  version: string;
  /**
   * The domain under which endpoints are published.
   */
  domain: string;
  /**
   * The port on which visitors with HTTPS are served.
   */
  https_port: number;
  /**
   * The first port that a TCP edge may have.
   */
  first_tcp_port: number;
  /**
   * The last port that a TCP edge may have.
   */
  last_tcp_port: number;
  /**
   * How the addresses of logins begin, without a trailing slash.
   */
  login_url: string;
  /**
   * Where providers send visitors back to after an OAuth or OpenID Connect login: the redirect URI.
   */
  callback_url: string;
  /**
   * The identity providers with which the server has an OAuth app of its own.
   */
  oauth_apps: IdentityProvider[];
}
/**
 * How the server is at this moment.
 */
export interface ServerStatus {
  /**
   * The version of the server.
   */
  version: string;
  /**
   * Since when it has been running.
   */
  started_at: string;
  /**
   * What it calls its region.
   */
  region: string;
  /**
   * The domain under which tunnels are published.
   */
  domain: string;
  /**
   * The port for visitors with HTTPS.
   */
  https_port: number;
  /**
   * Agents that are connected.
   */
  sessions: number;
  /**
   * Tunnels that are up.
   */
  tunnels: number;
  /**
   * What is configured.
   */
  configured: Configured;
  /**
   * What is kept on disk.
   */
  store: StoreStatus;
  /**
   * The ten TLS certificates that expire first.
   */
  expiring: ExpiringCertificate[];
  /**
   * All that passed since the server started.
   */
  traffic: TrafficCounts;
  /**
   * The last minute and the last hour of it.
   */
  history: TrafficHistory;
}
/**
 * The data folder.
 */
export interface StoreStatus {
  /**
   * How many changes were written so far.
   */
  revision: number;
  /**
   * What the files in it take.
   */
  bytes: number;
}
/**
 * All since the server started.
 */
export interface TrafficCounts {
  /**
   * Requests that were answered, and connections that were carried or turned away.
   */
  requests: number;
  /**
   * Those answered with a status of 4xx.
   */
  refused: number;
  /**
   * Those answered with a status of 5xx.
   */
  failed: number;
  /**
   * Whose fault it was.
   */
  faults: TrafficFaults;
  /**
   * Bytes of visitors: bodies of requests, all of a connection. Counted once the last one has passed.
   */
  bytes_in: number;
  /**
   * Bytes to visitors, the same way.
   */
  bytes_out: number;
}
/**
 * Requests that were refused or failed, by who has to do something about it.
 */
export interface TrafficFaults {
  /**
   * The visitor asked for something that cannot be had.
   */
  visitor: number;
  /**
   * The configuration says no, or knows nothing of it.
   */
  configuration: number;
  /**
   * The agent is away, or broke the connection.
   */
  agent: number;
  /**
   * The local service cannot be reached, or failed.
   */
  service: number;
  /**
   * This server.
   */
  server: number;
}
/**
 * The last minute and the last hour. The newest point is the last one.
 */
export interface TrafficHistory {
  /**
   * The last 60 seconds, one point each.
   */
  seconds: TrafficPoint[];
  /**
   * The last 60 minutes, one point each; the last one is not over yet.
   */
  minutes: TrafficPoint[];
}
/**
 * What happened in a span of time. Connections of TLS and TCP count as requests.
 */
export interface TrafficPoint {
  /**
   * Requests that were answered, and connections that were carried or turned away.
   */
  requests: number;
  /**
   * Those answered with a status of 4xx: the visitor's mistake, or what the configuration does not allow.
   */
  refused: number;
  /**
   * Those answered with a status of 5xx: something did not work.
   */
  failed: number;
}
/**
 * The body of a command: there is nothing to say.
 */
export interface SessionCommand {}
/**
 * Its key pair is made by the server; the private half is never shown.
 */
export interface SshCertificateAuthority {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The public key as a line of OpenSSH: for `@cert-authority` in `known_hosts`, or for `TrustedUserCAKeys`.
   */
  public_key: string;
  /**
   * The kind of the key.
   */
  key_type: KeyType;
}
/**
 * What is said when an authority is made.
 */
export interface SshCertificateAuthorityCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * `rsa`, `ecdsa` or `ed25519`, which is what it is if nothing is said.
   */
  private_key_type?: string | null;
  /**
   * For `ecdsa` only: `nistp256`, which is what it is if nothing is said, `nistp384` or `nistp521`.
   */
  elliptic_curve?: string | null;
  /**
   * For `rsa` only: 2048, or 4096, which is what it is if nothing is said.
   */
  key_size?: number | null;
}
/**
 * A page of records, the newest first.
 */
export interface SshCertificateAuthorityList {
  /**
   * The records.
   */
  ssh_certificate_authorities: SshCertificateAuthority[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface SshCertificateAuthorityUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * What a host certificate says.
 */
export interface SshHostCertificate {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The authority that signed it.
   */
  ssh_certificate_authority_id: string;
  /**
   * The server's public key as a line of OpenSSH.
   */
  public_key: string;
  /**
   * The host names and addresses it is valid for; none mean every host.
   */
  principals: string[];
  /**
   * When it becomes valid.
   */
  valid_after: string;
  /**
   * When it is no longer valid.
   */
  valid_until: string;
  /**
   * The kind of the public key.
   */
  key_type: KeyType;
  /**
   * The signed certificate, to be stored as a `-cert.pub` file.
   */
  certificate: string;
}
/**
 * What is said when a host certificate is made.
 */
export interface SshHostCertificateCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The authority that shall sign.
   */
  ssh_certificate_authority_id: string;
  /**
   * The server's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519.
   */
  public_key: string;
  /**
   * The host names and addresses it shall be valid for; none mean every host.
   */
  principals?: string[] | null;
  /**
   * An RFC 3339 timestamp; now, if nothing is said.
   */
  valid_after?: string | null;
  /**
   * An RFC 3339 timestamp; one year from now, if nothing is said.
   */
  valid_until?: string | null;
}
/**
 * A page of records, the newest first.
 */
export interface SshHostCertificateList {
  /**
   * The records.
   */
  ssh_host_certificates: SshHostCertificate[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface SshHostCertificateUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * What a user certificate says.
 */
export interface SshUserCertificate {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The authority that signed it.
   */
  ssh_certificate_authority_id: string;
  /**
   * The user's public key as a line of OpenSSH.
   */
  public_key: string;
  /**
   * The names of users it is valid for. OpenSSH's server lets nobody in by a certificate without any.
   */
  principals: string[];
  /**
   * When it becomes valid.
   */
  valid_after: string;
  /**
   * When it is no longer valid.
   */
  valid_until: string;
  /**
   * What a server must understand to let the user in, `force-command` or `source-address` for example.
   */
  critical_options: {
    [k: string]: string;
  };
  /**
   * What the user may do; a server passes over what it does not know.
   */
  extensions: {
    [k: string]: string;
  };
  /**
   * The kind of the public key.
   */
  key_type: KeyType;
  /**
   * The signed certificate, to be stored as a `-cert.pub` file.
   */
  certificate: string;
}
/**
 * What is said when a user certificate is made.
 */
export interface SshUserCertificateCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The authority that shall sign.
   */
  ssh_certificate_authority_id: string;
  /**
   * The user's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519.
   */
  public_key: string;
  /**
   * The names of users it shall be valid for. OpenSSH's server lets nobody in by a certificate without any.
   */
  principals?: string[] | null;
  /**
   * An RFC 3339 timestamp; now, if nothing is said.
   */
  valid_after?: string | null;
  /**
   * An RFC 3339 timestamp; 24 hours from now, if nothing is said.
   */
  valid_until?: string | null;
  /**
   * What a server must understand to let the user in: `force-command`, `source-address` and others.
   */
  critical_options?: {
    [k: string]: string | null;
  } | null;
  /**
   * What the user may do; `permit-pty` and `permit-user-rc`, if nothing is said.
   */
  extensions?: {
    [k: string]: string | null;
  } | null;
}
/**
 * A page of records, the newest first.
 */
export interface SshUserCertificateList {
  /**
   * The records.
   */
  ssh_user_certificates: SshUserCertificate[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface SshUserCertificateUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * Visitors go to a server that needs no agent, reached from where this server runs.
 */
export interface StaticBackend {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * Where it is, `host:port`.
   */
  address: string;
  /**
   * Whether it is spoken to over TLS.
   */
  tls: BackendTls;
}
/**
 * What is said when a static backend is made. The address is needed.
 */
export interface StaticBackendCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port.
   */
  address: string;
  /**
   * Off unless it is named.
   */
  tls?: BackendTlsInput | null;
}
/**
 * A page of records, the newest first.
 */
export interface StaticBackendList {
  /**
   * The records.
   */
  backends: StaticBackend[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface StaticBackendUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port.
   */
  address?: string | null;
  /**
   * Replaced whole.
   */
  tls?: BackendTlsInput | null;
}
/**
 * The names of a certificate beside its common name.
 */
export interface SubjectAlternativeNames {
  /**
   * Host names; the first part of a name may be `*`.
   */
  dns_names: string[];
  /**
   * IP addresses.
   */
  ips: string[];
}
/**
 * TCP addresses that stand open for visitors.
 */
export interface TcpEdge {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The addresses, `host:port` each; empty when there are none.
   */
  hostports: string[];
  /**
   * Where connections go.
   */
  backend: BackendModule | null;
  /**
   * Who may connect.
   */
  ip_restriction: IpRestrictionModule | null;
}
/**
 * What is said when an edge is made. In a change, a module that is named is replaced whole.
 */
export interface TcpEdgeCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The addresses to serve.
   */
  hostports?: string[] | null;
  /**
   * Where connections go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may connect.
   */
  ip_restriction?: IpRestrictionModulePut | null;
}
/**
 * A page of records, the newest first.
 */
export interface TcpEdgeList {
  /**
   * The records.
   */
  tcp_edges: TcpEdge[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface TcpEdgeUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The addresses to serve.
   */
  hostports?: string[] | null;
  /**
   * Where connections go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may connect.
   */
  ip_restriction?: IpRestrictionModulePut | null;
}
/**
 * What was uploaded; the private key is never shown.
 */
export interface TlsCertificate {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The chain in PEM, leaf first.
   */
  certificate_pem: string;
  /**
   * The common name of the subject; empty if it has none.
   */
  subject_common_name: string;
  /**
   * The further names it is valid for.
   */
  subject_alternative_names: SubjectAlternativeNames;
  /**
   * When it was issued by this server's doing; null for an uploaded one.
   */
  issued_at: string | null;
  /**
   * When it becomes valid.
   */
  not_before: string;
  /**
   * When it is no longer valid.
   */
  not_after: string;
  /**
   * What the key may be used for, `DigitalSignature` for example.
   */
  key_usages: string[];
  /**
   * What the key may further be used for, `ServerAuth` for example; a use without a name is its number.
   */
  extended_key_usages: string[];
  /**
   * The kind of the private key.
   */
  private_key_type: KeyType;
  /**
   * The common name of the issuer.
   */
  issuer_common_name: string;
  /**
   * In lower-case hexadecimal digits.
   */
  serial_number: string;
  /**
   * The organization of the subject; empty if it has none.
   */
  subject_organization: string;
  /**
   * The organizational unit of the subject; empty if it has none.
   */
  subject_organizational_unit: string;
  /**
   * The locality of the subject; empty if it has none.
   */
  subject_locality: string;
  /**
   * The province of the subject; empty if it has none.
   */
  subject_province: string;
  /**
   * The country of the subject; empty if it has none.
   */
  subject_country: string;
}
/**
 * What is said when a certificate is uploaded.
 */
export interface TlsCertificateCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The chain in PEM, leaf first.
   */
  certificate_pem: string;
  /**
   * The private key of the leaf in PEM, not encrypted.
   */
  private_key_pem: string;
}
/**
 * A page of records, the newest first.
 */
export interface TlsCertificateList {
  /**
   * The records.
   */
  tls_certificates: TlsCertificate[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface TlsCertificateUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
}
/**
 * Host names that stand open for visitors with TLS.
 */
export interface TlsEdge {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The names, `host:port` each; empty when there are none.
   */
  hostports: string[];
  /**
   * Where connections go.
   */
  backend: BackendModule | null;
  /**
   * Who may connect.
   */
  ip_restriction: IpRestrictionModule | null;
  /**
   * Whose certificates visitors must show.
   */
  mutual_tls: MutualTlsModule | null;
  /**
   * Where their TLS ends; without it, at the backend.
   */
  tls_termination: HttpsTerminationModule | null;
}
/**
 * What is said when an edge is made. In a change, a module that is named is replaced whole.
 */
export interface TlsEdgeCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
   */
  hostports?: string[] | null;
  /**
   * Where connections go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may connect.
   */
  ip_restriction?: IpRestrictionModulePut | null;
  /**
   * Whose certificates visitors must show. TLS must end at the edge then.
   */
  mutual_tls?: MutualTlsModulePut | null;
  /**
   * Where their TLS ends; without it, at the backend.
   */
  tls_termination?: TlsTerminationModulePut | null;
}
/**
 * TLS termination of a TLS edge.
 */
export interface TlsTerminationModulePut {
  /**
   * Whether it counts.
   */
  enabled?: boolean | null;
  /**
   * Where TLS ends; `edge` if it is not said.
   */
  terminate_at?: TerminateAt | null;
  /**
   * The oldest version of TLS that visitors may speak; `1.2` if it is not said. Only where TLS ends at the edge.
   */
  min_version?: TlsVersion | null;
}
/**
 * A page of records, the newest first.
 */
export interface TlsEdgeList {
  /**
   * The records.
   */
  tls_edges: TlsEdge[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface TlsEdgeUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The names to serve: `host:443`, or `host:` and the port this server has for HTTPS.
   */
  hostports?: string[] | null;
  /**
   * Where connections go.
   */
  backend?: BackendModulePut | null;
  /**
   * Who may connect.
   */
  ip_restriction?: IpRestrictionModulePut | null;
  /**
   * Whose certificates visitors must show. TLS must end at the edge then.
   */
  mutual_tls?: MutualTlsModulePut | null;
  /**
   * Where their TLS ends; without it, at the backend.
   */
  tls_termination?: TlsTerminationModulePut | null;
}
/**
 * The TLS termination module as it is shown.
 */
export interface TlsTerminationModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
  /**
   * Where TLS ends.
   */
  terminate_at: TerminateAt;
  /**
   * The oldest version of TLS that visitors may speak; null where TLS does not end at the edge.
   */
  min_version: TlsVersion | null;
}
/**
 * What passed one edge, route or tunnel.
 */
export interface Traffic {
  /**
   * Its id.
   */
  id: string;
  /**
   * What it is.
   */
  kind: TrafficKind;
  /**
   * All since the server started.
   */
  total: TrafficCounts;
  /**
   * What the last 60 seconds brought.
   */
  last_minute: TrafficPoint;
  /**
   * The last minute and the last hour; null in lists.
   */
  history: TrafficHistory | null;
}
/**
 * Edges, routes and tunnels that something has passed, the busiest first. There are at most 1,000, and no further pages.
 */
export interface TrafficList {
  /**
   * The records.
   */
  traffic: Traffic[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * A tunnel that is up at this moment. One with labels has no address of its own: backends lead to it.
 */
export interface Tunnel {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * Where visitors find it; empty for a tunnel with labels.
   */
  public_url: string;
  /**
   * Since when it is up.
   */
  started_at: string;
  /**
   * What its owner wrote on it; empty if nothing.
   */
  metadata: string;
  /**
   * `https`, `http` or `tcp`; empty for a tunnel with labels.
   */
  proto: string;
  /**
   * The region of the server.
   */
  region: string;
  /**
   * The session that carries it.
   */
  tunnel_session: Ref;
  /**
   * What visitors meet; null for a tunnel with labels.
   */
  endpoint: Ref | null;
  /**
   * Its labels; empty unless it has some.
   */
  labels: {
    [k: string]: string;
  };
  /**
   * The backends that lead to it because of its labels.
   */
  backends: Ref[];
  /**
   * The local address, as the agent describes it.
   */
  forwards_to: string;
}
/**
 * Visitors are spread over the tunnels that carry every one of these labels.
 */
export interface TunnelGroupBackend {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The labels to look for; a tunnel may carry more.
   */
  labels: {
    [k: string]: string;
  };
  /**
   * The tunnels that match at this moment.
   */
  tunnels: Ref[];
}
/**
 * What is said when a group is made. At least one label is needed.
 */
export interface TunnelGroupBackendCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The labels to look for. In a change they replace the whole map.
   */
  labels?: {
    [k: string]: string | null;
  } | null;
}
/**
 * A page of records, the newest first.
 */
export interface TunnelGroupBackendList {
  /**
   * The records.
   */
  backends: TunnelGroupBackend[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface TunnelGroupBackendUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * The labels to look for. In a change they replace the whole map.
   */
  labels?: {
    [k: string]: string | null;
  } | null;
}
/**
 * A page of records, the newest first.
 */
export interface TunnelList {
  /**
   * The records.
   */
  tunnels: Tunnel[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * An agent that is connected at this moment.
 */
export interface TunnelSession {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * The version of the agent.
   */
  agent_version: string;
  /**
   * What the agent proved itself with.
   */
  credential: Ref;
  /**
   * The address it connected from.
   */
  ip: string;
  /**
   * What its owner wrote on it; empty if nothing.
   */
  metadata: string;
  /**
   * The system the agent runs on.
   */
  os: string;
  /**
   * The region of the server.
   */
  region: string;
  /**
   * Since when it is connected.
   */
  started_at: string;
  /**
   * What agent and server speak with each other.
   */
  transport: string;
}
/**
 * A page of records, the newest first.
 */
export interface TunnelSessionList {
  /**
   * The records.
   */
  tunnel_sessions: TunnelSession[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * Somebody who owns keys and credentials.
 */
export interface User {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * What people call the user; never empty.
   */
  name: string;
  /**
   * Whether the user may manage users and what belongs to others.
   */
  admin: boolean;
}
/**
 * What is said when a user is made. The name is needed.
 */
export interface UserCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * 1 to 255 bytes.
   */
  name: string;
  /**
   * Off unless said otherwise.
   */
  admin?: boolean | null;
}
/**
 * A page of records, the newest first.
 */
export interface UserList {
  /**
   * The records.
   */
  users: User[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What may be changed.
 */
export interface UserUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * 1 to 255 bytes.
   */
  name?: string | null;
  /**
   * Whether the user may manage users and what belongs to others.
   */
  admin?: boolean | null;
}
/**
 * A module without settings, as it is shown.
 */
export interface WebsocketTcpConverterModule {
  /**
   * Whether it counts.
   */
  enabled: boolean;
}
/**
 * Each visitor goes to one of these backends, in proportion to their weights.
 */
export interface WeightedBackend {
  /**
   * Its id.
   */
  id: string;
  /**
   * Its absolute address.
   */
  uri: string;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * For people; empty if never set.
   */
  description: string;
  /**
   * For programs; empty if never set.
   */
  metadata: string;
  /**
   * The weight of each backend, 0 to 10000; one that weighs 0 gets nobody.
   */
  backends: {
    [k: string]: number;
  };
}
/**
 * What is said when a weighted backend is made.
 */
export interface WeightedBackendCreate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Ids of tunnel groups, HTTP responses and static backends with their weights. In a change they replace the whole map.
   */
  backends?: {
    [k: string]: number | null;
  } | null;
}
/**
 * A page of records, the newest first.
 */
export interface WeightedBackendList {
  /**
   * The records.
   */
  backends: WeightedBackend[];
  /**
   * The address of the list.
   */
  uri: string;
  /**
   * The address of the next page, null after the last.
   */
  next_page_uri: string | null;
}
/**
 * What is to change. What is absent or null stays as it is.
 */
export interface WeightedBackendUpdate {
  /**
   * For people: what it is or is for; at most 255 bytes.
   */
  description?: string | null;
  /**
   * For programs: anything; at most 4096 bytes.
   */
  metadata?: string | null;
  /**
   * Ids of tunnel groups, HTTP responses and static backends with their weights. In a change they replace the whole map.
   */
  backends?: {
    [k: string]: number | null;
  } | null;
}
