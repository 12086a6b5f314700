//! What the operator decided: where to listen, under which names, within which limits.

use crate::{
    challenges::Challenges,
    gatehouse::AccessLog,
    http::ApiBody,
    listeners::Proxies,
    modules::{SigningCertificates, Web},
};
use hyper::body::Incoming;
use postern_api::{Code, Error, host::HostName};
use postern_logins::{IdentityHeaders, Ledger, Logins, NoLedger, Operators, Origin};
use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    sync::Arc,
    time::Duration,
};
use tower::util::BoxCloneSyncService;

/// A service that answers the requests to [`ApiHost`].
pub type ApiService = BoxCloneSyncService<http::Request<Incoming>, http::Response<ApiBody>, Infallible>;

/// The management API, offered on the HTTPS listener under a name of its own.
#[derive(Clone)]
pub struct ApiHost {
    /// The name; no tunnel can take it.
    pub name: HostName,
    /// What answers. It gets the visitor's [`SocketAddr`] in the extensions of each request.
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
    /// How local services are told who has logged in.
    pub identity_headers: IdentityHeaders,
    /// What the operator decided about OAuth providers.
    pub login_providers: Operators,
    /// Where logins are kept.
    pub ledger: Arc<dyn Ledger>,
    /// The management API on the HTTPS listener.
    pub api: Option<ApiHost>,
    /// What ACME authorities are shown, when they ask.
    pub challenges: Challenges,
    /// What agents are told about this server: its region and version.
    pub region: String,
    /// The version agents are told.
    pub server_version: String,
    /// The time of day, against which signed timestamps are held.
    pub clock: Clock,
    /// Where the certificates come from that signed messages name.
    pub signing_certificates: Arc<dyn SigningCertificates>,
    /// Where every request and connection is written down.
    pub access_log: Option<AccessLog>,
    /// The proxies in front.
    pub proxies: Proxies,
    /// Deadlines and caps.
    pub limits: Limits,
}

/// Tells the time of day.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// Deadlines and caps of the public side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From accepting a connection to the end of the TLS handshake.
    pub handshake: Duration,
    /// From the first byte of a request to the end of its header block.
    pub head: Duration,
    /// How long a keep-alive connection may sit without a request.
    pub idle: Duration,
    /// How long a peer may make no progress inside a body, reading or writing.
    pub stall: Duration,
    /// Bytes a second at which the body of a request must arrive on average while it is waited for; 0 asks for none.
    pub body_rate: u64,
    /// What may be waited for a body on top of that, altogether.
    pub body_grace: Duration,
    /// How long a local service may take to begin its answer, once it has the whole request.
    pub answer: Duration,
    /// Open visitor and agent connections of one listener.
    pub connections: usize,
    /// Those of one address; loopback addresses are not counted.
    pub connections_per_address: usize,
    /// Requests that are served at the same time, from their first byte to the last one of their answer.
    pub requests: usize,
    /// Requests at the same time on one HTTP/2 connection.
    pub streams: u32,
    /// So many more requests of one HTTP/2 connection may be abandoned by the visitor than are waited for.
    pub resets: usize,
    /// Header block of a request, in bytes.
    pub head_bytes: usize,
    /// Header lines of a request.
    pub headers: usize,
    /// Body of a request that a module must see whole before it is forwarded, in bytes.
    pub buffered_body: usize,
    /// All such bodies together that are held at the same time.
    pub buffered_bodies: usize,
    /// How long such a body may take to arrive, however steadily it does.
    pub buffering: Duration,
    /// What encoders of compressed answers may occupy together, in bytes. Beyond it answers go as they are.
    pub encoders: usize,
    /// Idle connections to the local service kept per tunnel.
    pub idle_upstreams: usize,
    /// How long an idle connection to the local service is kept.
    pub idle_upstream: Duration,
    /// How long a name answers 503 after an unclean end of its agent.
    pub offline_memory: Duration,
    /// How long the open connections of a stopped tunnel may still run.
    pub stop_grace: Duration,
}

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
            login_providers: Operators::new(),
            ledger: Arc::new(NoLedger),
            api: None,
            challenges: Challenges::default(),
            region: "local".to_owned(),
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            clock: Arc::new(jiff::Timestamp::now),
            signing_certificates: Arc::new(Web),
            access_log: None,
            proxies: Proxies::default(),
            limits: Limits::default(),
        }
    }

    /// Logins at the port that visitors know.
    pub(crate) fn logins(&self, port: u16) -> Result<Logins, Error> {
        let web = postern_logins::Web::new().map_err(|why| Error::new(Code::ListenFailed, why))?;
        let settings = postern_logins::Settings {
            login_host: Origin::new(self.login_host.as_str(), port),
            headers: self.identity_headers.clone(),
            clock: self.clock.clone(),
            web,
            operators: self.login_providers.clone(),
        };
        Ok(Logins::new(settings, self.ledger.clone()))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            handshake: Duration::from_secs(15),
            head: Duration::from_secs(20),
            idle: Duration::from_secs(75),
            stall: Duration::from_secs(60),
            body_rate: 240,
            body_grace: Duration::from_secs(20),
            answer: Duration::from_secs(100),
            connections: 16_384,
            connections_per_address: 2048,
            requests: 16_384,
            streams: 128,
            resets: 500,
            head_bytes: 64 * 1024,
            headers: 100,
            buffered_body: 10 * 1024 * 1024,
            buffered_bodies: 256 * 1024 * 1024,
            buffering: Duration::from_secs(60),
            encoders: 256 * 1024 * 1024,
            idle_upstreams: 64,
            idle_upstream: Duration::from_secs(30),
            offline_memory: Duration::from_secs(600),
            stop_grace: Duration::from_secs(2),
        }
    }
}
