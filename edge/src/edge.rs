//! The edge as a whole: starts the listeners, follows the published configuration, drains.

mod configuration_follower;
mod reload;

pub use configuration_follower::ConfigurationFollower;

use crate::{
    access::Access,
    frontend::{self, EdgeState},
    http::headers,
    limits::{CurrentLimits, Quota},
    links::{self, NodeLinks},
    live::Live,
    modules::RateTable,
    net::{self, ConnectionLimiter},
    routing::Routing,
    settings::Settings,
    tcp::Ports,
    telemetry::{
        Telemetry, metrics,
        traffic::{self, Traffic},
    },
    tls::{Certificates, TlsConfigs},
    tunnels::TunnelRegistry,
    upstream::Backends,
};
use arc_swap::ArcSwap;
use postern_api::{Code, Error, published::Published};
use postern_logins::Logins;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinSet, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Between two sweeps for idle connections.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Connections over a limit that are told the reason at the same time, for each reason; further ones are only closed.
const MAX_OVERFLOW: usize = 32;

/// A running edge. Dropping it stops it at once; [`Edge::drain`] lets open requests finish.
pub struct Edge {
    https_addr: SocketAddr,
    http_addr: SocketAddr,
    registry: Arc<TunnelRegistry>,
    logins: Arc<Logins>,
    live: Arc<Live>,
    links: Option<Arc<NodeLinks>>,
    follower: Arc<ConfigurationFollower>,
    limits: CurrentLimits,
    /// The state of connections that are accepted from now on.
    state: Arc<ArcSwap<EdgeState>>,
    /// Those of the HTTPS port, the HTTP port and all TCP ports.
    limiters: [Arc<ConnectionLimiter>; 3],
    open: TaskTracker,
    stop: CancellationToken,
    /// The listeners.
    accepting: JoinSet<()>,
    tasks: JoinSet<()>,
}

impl Edge {
    /// Listens and serves. `applied` receives the revision of each configuration as soon as new requests and
    /// connections use it.
    ///
    /// # Errors
    ///
    /// If an address is not available; the message names it and says what to do.
    pub async fn start(
        settings: Settings,
        certificates: Arc<dyn Certificates>,
        published: watch::Receiver<Arc<Published>>,
        applied: watch::Sender<i64>,
    ) -> Result<Edge, Error> {
        let configs = Arc::new(TlsConfigs::new(certificates, settings.challenges.clone())?);
        let https = net::listen(settings.https_addr, "Choose another address with --https-addr")?;
        let http = net::listen(settings.http_addr, "Choose another address with --http-addr")?;
        let (https_addr, http_addr) = (address_of(&https)?, address_of(&http)?);
        let (limits, current_limits) = (&settings.limits, CurrentLimits::new(settings.limits.clone()));
        let limiters =
            [MAX_OVERFLOW, MAX_OVERFLOW, 0].map(|door| ConnectionLimiter::new(limits, door, settings.proxies.clone()));
        let [https_limiter, http_limiter, tcp_limiter] = limiters.clone();
        metrics::register();
        let (log, archive, clock) =
            (settings.access_log.clone(), settings.traffic_archive.clone(), settings.clock.clone());
        let telemetry = Arc::new(Telemetry::new(log, archive, clock, settings.recent_requests));
        let access = Arc::new(Access::new(telemetry.clone(), settings.geo.clone()));
        let backends = Arc::new(Backends::new(limits.idle_upstreams));
        let rate_limits: Arc<RateTable> = Arc::default();
        let ports = Ports::new(settings.tcp_addr, tcp_limiter, backends.clone(), access.clone(), rate_limits.clone());
        let logins = Arc::new(settings.logins(https_addr.port()));
        let identity_headers = Some(&settings.identity_headers).filter(|names| !headers::is_own(names.prefix()));
        let identity_headers = identity_headers.cloned().map(Arc::new);
        let traffic = telemetry.traffic.clone();
        let module_state = settings.module_state(&current_limits, logins.clone(), traffic.clone(), rate_limits.clone());
        let routing = Arc::new(Routing::new(configs.clone(), module_state));
        let (api, challenges) = (settings.api.clone(), settings.challenges.clone());
        let tunnels = settings.registry(&current_limits, https_addr.port(), http_addr.port());
        let registry =
            TunnelRegistry::new(tunnels, published.clone(), backends, routing.clone(), ports, access.clone());
        registry.names.remember(&settings.remembered_names, limits.offline_memory);
        let registry = Arc::new(registry);
        let state = Arc::new(ArcSwap::from_pointee(EdgeState {
            registry: registry.clone(),
            routing: routing.clone(),
            access: access.clone(),
            logins: logins.clone(),
            identity_headers,
            api,
            requests: Quota::new(limits.requests),
            challenges,
            limits: limits.clone(),
            https_port: https_addr.port(),
        }));
        let (open, stop) = (TaskTracker::new(), CancellationToken::new());
        let follower = ConfigurationFollower::new(
            registry.clone(),
            routing.clone(),
            access.clone(),
            logins.clone(),
            published,
            applied,
        );
        follower.catch_up().await;
        let follower = Arc::new(follower);
        let (mut accepting, mut tasks) = (JoinSet::new(), JoinSet::new());
        let serve_https =
            frontend::serve_https(https, configs, state.clone(), https_limiter, open.clone(), stop.clone());
        accepting.spawn(serve_https);
        accepting.spawn(frontend::serve_http(http, state.clone(), http_limiter, open.clone(), stop.clone()));
        tasks.spawn(follower.clone().follow());
        tasks.spawn(sweep(registry.clone(), rate_limits));
        tasks.spawn(sample_traffic(traffic));
        tasks.spawn(async move { telemetry.recorder.run().await });
        let logins_task = logins.clone();
        tasks.spawn(async move { logins_task.maintain().await });
        let links = settings.links.map(|links| {
            let until = (open.clone(), stop.clone());
            links::start(links, (registry.clone(), logins.clone()), until, (&mut accepting, &mut tasks))
        });
        let live = Arc::new(Live { registry: registry.clone(), routing, access, links: links.clone() });
        Ok(Edge {
            https_addr,
            http_addr,
            registry,
            logins,
            live,
            links,
            follower,
            limits: current_limits,
            state,
            limiters,
            open,
            stop,
            accepting,
            tasks,
        })
    }

    /// The real address of the HTTPS listener, port 0 resolved.
    pub fn https_addr(&self) -> SocketAddr {
        self.https_addr
    }

    /// The real address of the plain HTTP listener, port 0 resolved.
    pub fn http_addr(&self) -> SocketAddr {
        self.http_addr
    }

    /// A view of the running edge.
    pub fn live(&self) -> Arc<Live> {
        self.live.clone()
    }

    /// The links with other nodes, if there are any.
    pub fn links(&self) -> Option<Arc<NodeLinks>> {
        self.links.clone()
    }

    /// Applies published configurations.
    pub fn follower(&self) -> Arc<ConfigurationFollower> {
        self.follower.clone()
    }

    /// Stops accepting visitors, asks agents to connect elsewhere, and stores when login sessions were last used and what
    /// traffic there was. When it returns, all listening sockets are closed, so that a successor can open them; open requests and connections
    /// continue.
    pub async fn stop_accepting(&mut self) {
        self.stop.cancel();
        self.registry.drain();
        while self.accepting.join_next().await.is_some() {}
        self.registry.ports.stop_accepting().await;
        self.logins.flush().await;
        self.record_traffic().await;
    }

    /// Stops accepting, if it has not done so yet, and waits at most `timeout` for open requests and connections. Then
    /// closes everything.
    pub async fn drain(mut self, timeout: Duration) {
        if !self.stop.is_cancelled() {
            self.stop_accepting().await;
        }
        self.open.close();
        let finished = async {
            self.open.wait().await;
            self.registry.ports.finished().await;
        };
        if tokio::time::timeout(timeout, finished).await.is_err() {
            tracing::warn!(open = self.open.len(), "some connections did not finish in time");
        }
        self.registry.close().await;
        self.tasks.shutdown().await;
        self.record_traffic().await;
    }

    async fn record_traffic(&self) {
        self.live.access.telemetry.recorder.record().await;
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.stop.cancel();
        self.registry.abandon();
    }
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr, Error> {
    listener
        .local_addr()
        .map_err(|error| Error::new(Code::ListenFailed, format!("A listener has no address: {error}.")))
}

/// Samples the traffic counters every second.
async fn sample_traffic(traffic: Arc<Traffic>) {
    let began = tokio::time::Instant::now();
    let mut seconds = tokio::time::interval(traffic::SAMPLE_INTERVAL);
    seconds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        seconds.tick().await;
        traffic.sample(began.elapsed().as_secs());
    }
}

async fn sweep(registry: Arc<TunnelRegistry>, rate_limits: Arc<RateTable>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        registry.sweep();
        rate_limits.tidy(Instant::now());
    }
}
