//! The operator's settings: addresses, names, limits.

use crate::{
    geo::Geo,
    http::VisitorDisconnected,
    limits::{CurrentLimits, Limits},
    links::LinkSettings,
    modules::{HttpsFetcher, ModuleState, RateTable, SigningCertificates},
    net::Proxies,
    telemetry::{
        AccessLog, RECENT_REQUESTS, TrafficArchive,
        traffic::{NoTrafficArchive, Traffic},
    },
    tls::Challenges,
    tunnels::{AddressClaims, HeldName, Membership, RegistrySettings},
};
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use postern_api::host::HostName;
use postern_logins::{IdentityHeaders, Logins, NoSessionStore, OAuthProviders, Origin, SessionStore};
use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    sync::Arc,
};
use tower::util::BoxCloneSyncService;

/// The body of a request to the management API.
pub type ApiRequestBody = UnsyncBoxBody<Bytes, VisitorDisconnected>;

/// The body of a response of the management API.
pub type ApiBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// The service behind [`ApiHost`].
pub type ApiService = BoxCloneSyncService<http::Request<ApiRequestBody>, http::Response<ApiBody>, Infallible>;

/// The management API, offered on the HTTPS listener under a name of its own.
#[derive(Clone)]
pub struct ApiHost {
    /// The name; no tunnel can take it.
    pub name: HostName,
    /// The service. Each request has the visitor's [`SocketAddr`] in its extensions.
    pub service: ApiService,
}

/// Where the edge listens and how it names things.
#[derive(Clone)]
pub struct Settings {
    /// HTTPS tunnels and agent sessions. Port 0 takes any free one.
    pub https_addr: SocketAddr,
    /// Plain HTTP tunnels and redirects. Port 0 takes any free one.
    pub http_addr: SocketAddr,
    /// Where TCP tunnels and TCP edges listen.
    pub tcp_addr: IpAddr,
    /// Ports for TCP tunnels. `0..=0` takes whatever the system gives.
    pub tcp_ports: RangeInclusive<u16>,
    /// The parent of generated names; TCP addresses are shown under it.
    pub domain: HostName,
    /// Names that belong to the server itself, such as the login host: no tunnel can take them.
    pub own_names: Vec<HostName>,
    /// The one host of all login addresses.
    pub login_host: HostName,
    /// Names of the headers that tell local services about the logged-in user.
    pub identity_headers: IdentityHeaders,
    /// The operator's settings for OAuth providers.
    pub login_providers: OAuthProviders,
    /// The store of login sessions.
    pub session_store: Arc<dyn SessionStore>,
    /// The management API on the HTTPS listener.
    pub api: Option<ApiHost>,
    /// ACME challenges that are shown at the moment.
    pub challenges: Challenges,
    /// The region that agents are told.
    pub region: String,
    /// The version that agents are told.
    pub server_version: String,
    /// The time of day, against which signed timestamps are held.
    pub clock: Clock,
    /// Fetches the certificates that signed messages refer to.
    pub signing_certificates: Arc<dyn SigningCertificates>,
    /// Names that agents held when an earlier process ended: their visitors are asked to come back until the agents are
    /// there again.
    pub remembered_names: Vec<HeldName>,
    /// The database of countries.
    pub geo: Geo,
    /// Where every request and connection is written down.
    pub access_log: Option<AccessLog>,
    /// How many of the last requests of each edge, route and tunnel are kept in memory; 0 for none.
    pub recent_requests: usize,
    /// Where the traffic of edges and routes is kept for 90 days.
    pub traffic_archive: Arc<dyn TrafficArchive>,
    /// The proxies in front.
    pub proxies: Proxies,
    /// Deadlines and caps.
    pub limits: Limits,
    /// Links with other nodes, if this one is part of a cluster.
    pub links: Option<LinkSettings>,
    /// Claims of names and ports, if other nodes give them away too.
    pub claims: Option<Arc<dyn AddressClaims>>,
}

/// The wall clock.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

impl Settings {
    /// Settings for one machine: loopback addresses, any free ports.
    pub fn loopback(domain: HostName) -> Self {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Settings {
            https_addr: any,
            http_addr: any,
            tcp_addr: any.ip(),
            tcp_ports: 0..=0,
            domain,
            own_names: Vec::new(),
            login_host: HostName::parse("login.localhost").expect("`login.localhost` is a host name"),
            identity_headers: IdentityHeaders::default(),
            login_providers: OAuthProviders::new(),
            session_store: Arc::new(NoSessionStore),
            api: None,
            challenges: Challenges::default(),
            region: "local".to_owned(),
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            clock: Arc::new(postern_api::clock::now),
            signing_certificates: Arc::new(HttpsFetcher),
            remembered_names: Vec::new(),
            geo: Geo::default(),
            access_log: None,
            recent_requests: RECENT_REQUESTS,
            traffic_archive: Arc::new(NoTrafficArchive),
            proxies: Proxies::default(),
            limits: Limits::default(),
            links: None,
            claims: None,
        }
    }

    /// Logins at the port that visitors know.
    pub(crate) fn logins(&self, port: u16) -> Logins {
        let settings = postern_logins::LoginSettings {
            login_host: Origin::new(self.login_host.as_str(), port),
            headers: self.identity_headers.clone(),
            clock: self.clock.clone(),
            http_client: postern_logins::ProviderClient::new(),
            providers: self.login_providers.clone(),
        };
        Logins::new(settings, self.session_store.clone())
    }

    /// The state that modules keep beyond a change of their settings.
    pub(crate) fn module_state(
        &self,
        limits: &CurrentLimits,
        logins: Arc<Logins>,
        traffic: Arc<Traffic>,
        rate_limits: Arc<RateTable>,
    ) -> ModuleState {
        let (clock, certificates) = (self.clock.clone(), self.signing_certificates.clone());
        ModuleState::new(limits.clone(), clock, certificates, logins, traffic, rate_limits)
    }

    /// The settings of sessions and tunnels; the ports are those of the bound listeners.
    pub(crate) fn registry(&self, limits: &CurrentLimits, https_port: u16, http_port: u16) -> RegistrySettings {
        let api_name = self.api.as_ref().map(|api| &api.name);
        RegistrySettings {
            https_port,
            http_port,
            tcp_addr: self.tcp_addr,
            tcp_ports: self.tcp_ports.clone(),
            domain: self.domain.clone(),
            own_names: self.own_names.iter().chain(api_name).cloned().collect(),
            region: self.region.clone(),
            server_version: self.server_version.clone(),
            limits: limits.clone(),
            membership: self
                .links
                .as_ref()
                .map(|links| Membership { node: links.node.clone(), peers: links.peers.clone() }),
            claims: self.claims.clone(),
        }
    }
}
