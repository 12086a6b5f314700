//! `run`: builds the server, serves, reads changed settings, and drains.

mod reload;

pub(crate) use reload::ReadSettings;

use crate::{
    access_log::{self, AccessLogWriter},
    acme_challenges::EdgeChallenges,
    address_claims::ControlAddressClaims,
    addresses::Addresses,
    admin_handler::AdminHandler,
    admin_socket, api_host,
    api_listener::{ApiListener, ApiServer},
    audit_log::{self, AuditLogWriter},
    certificates::{self, ServerCertificates},
    configuration::{Configuration, oauth_apps},
    data_folder::DataFolder,
    edge_sync::EdgeSync,
    held_names::{self, HeldNames},
    ip_access::IpAccess,
    live_edge::LiveEdge,
    management::{self, Readiness},
    management_runtime::ManagementRuntime,
    metrics,
    node::{self, BoundNode},
    node_links,
    session_store::ControlSessionStore,
    signals::{Request, Signals},
    traffic_archive::TrafficFile,
};
use arc_swap::ArcSwapOption;
use postern_api::{Code, Result, host::HostName, resource::NodeState};
use postern_control::{
    Acme, ConsoleProviderSettings, Control, ControlSettings, EventTasks, certificates::Authority, store::Usage,
};
use postern_edge::Edge;
use std::{io::Write, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// Time that a server waits for its predecessor to give up the data folder.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The running server.
struct Server {
    folder: DataFolder,
    control: Arc<Control>,
    edge: Edge,
    names: HeldNames,
    api: ApiServer,
    readiness: Readiness,
    socket: tokio::task::JoinHandle<()>,
    /// Obtains certificates while it exists.
    acme: Option<Acme>,
    challenges: Arc<EdgeChallenges>,
    certificates: Arc<ServerCertificates>,
    /// Sends events while it exists.
    events: EventTasks,
    drain_delay: Duration,
    drain_timeout: Duration,
    traffic: Arc<TrafficFile>,
    /// Address of the console in browsers, if the settings of its OpenID provider name none.
    console_address: String,
    /// The logs are finished last.
    _log: Option<AccessLogWriter>,
    _audit_log: Option<AuditLogWriter>,
    /// The threads of the management API.
    _threads: ManagementRuntime,
}

/// Serves until a signal requests shutdown.
pub(crate) async fn run(configuration: Configuration, mut settings: ReadSettings) -> Result<()> {
    let mut signals = Signals::listen()?;
    let mut server = build(configuration).await?;
    let name = loop {
        match signals.next().await {
            Request::End(name) => break name,
            Request::Reload => server.reload(&mut settings).await,
        }
    };
    signals.exit_on_next();
    server.drain(name).await;
    tracing::info!("ended");
    Ok(())
}

async fn build(configuration: Configuration) -> Result<Server> {
    let folder = DataFolder::open(&configuration.data_dir)?;
    let given = match &configuration.certificate {
        Some((chain, key)) => Some(certificates::read(chain, key)?),
        None => None,
    };
    let metrics = metrics::start()?;
    let live = LiveEdge::default();
    let node = match &configuration.node {
        Some(node) => Some(BoundNode::bind(node).await?),
        None => None,
    };
    let (control, api) = open_control(&configuration, &folder, &live, node.as_ref()).await?;
    let audit_log = match &configuration.audit_log {
        Some(destination) => {
            let (mut log, writer) = audit_log::start(destination)?;
            control.follow_audit_events(Box::new(move |event| log.send(event))).await?;
            Some(writer)
        }
        None => None,
    };
    let first_key = control.ensure_first_key().await?;

    let ip_access = IpAccess::new(control.published(), configuration.geoip.clone());
    let readiness = Readiness::with_store(control.store_signals());
    let edge_sync = EdgeSync::default();
    let threads = ManagementRuntime::start()?;
    let resources = edge_sync.clone().layer(control.router());
    let description = control.description();
    let public_api = configuration.api_host.clone().map(|name| {
        let router =
            management::public_router(resources.clone(), description.clone(), readiness.clone(), ip_access.clone());
        api_host::offer(name, threads.layer(router))
    });
    let chosen = Arc::new(ServerCertificates {
        given: ArcSwapOption::new(given),
        authority: Authority::open(folder.path())?,
        domain: configuration.domain.clone(),
        own_names: own_names(&configuration),
        live: live.clone(),
    });
    let mut settings = postern_edge::Settings {
        https_addr: configuration.https_addr,
        http_addr: configuration.http_addr,
        tcp_addr: configuration.tcp_addr,
        tcp_ports: configuration.tcp_ports.clone(),
        own_names: vec![configuration.login_host.clone()],
        login_providers: configuration.oauth_apps.clone(),
        login_host: configuration.login_host.clone(),
        identity_headers: configuration.identity_headers.clone(),
        session_store: Arc::new(ControlSessionStore::new(control.clone(), edge_sync.clone())),
        api: public_api,
        limits: configuration.limits.clone(),
        recent_requests: configuration.recent_requests,
        proxies: configuration.proxies.clone(),
        geo: configuration.geoip.clone(),
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
        ..postern_edge::Settings::loopback(configuration.domain.clone())
    };
    let challenges = settings.challenges.clone();
    let (log, writing) = configuration.access_log.as_ref().map(access_log::start).transpose()?.unzip();
    settings.access_log = log;
    let traffic = TrafficFile::open(&folder);
    settings.traffic_archive = traffic.clone();
    settings.remembered_names = held_names::read(&folder);
    settings.links = node_links::settings(&control, node)?;
    settings.claims = control.claim_addresses().map(|claims| Arc::new(ControlAddressClaims(claims)) as _);
    let (applied, _) = watch::channel(0);
    let edge = Edge::start(settings, chosen.clone(), control.published(), applied).await?;
    live.set(edge.live());
    edge_sync.set(edge.follower(), edge.links(), control.revision());
    if let Some(links) = edge.links() {
        live.set_links(links.clone());
        tokio::spawn(node_links::tell_applied(control.revision(), edge.follower(), links));
    }
    let console_address = console_address(&configuration, api.address(), edge.https_addr().port());
    set_console_provider(&control, configuration.console_oidc.clone(), &console_address)?;
    let names = HeldNames::follow(folder.clone(), edge.live());

    let addresses = Addresses {
        https: edge.https_addr(),
        http: edge.http_addr(),
        api: api.address(),
        tcp: configuration.tcp_addr,
        tcp_ports: (*configuration.tcp_ports.start(), *configuration.tcp_ports.end()),
        domain: configuration.domain.to_string(),
        pid: std::process::id(),
    };
    let socket = admin_socket::listen(&folder, Arc::new(AdminHandler(control.clone())))?;
    let observe = move || live.update_gauges();
    let router = management::api_router(resources, description, readiness.clone(), ip_access, metrics, observe);
    let api = threads.within(|| api.serve(router));
    let challenges = Arc::new(EdgeChallenges(challenges));
    control.present_for_others(challenges.clone());
    let acme = configuration.acme.map(|acme| control.certify(acme, challenges.clone()));
    readiness.set(true);
    node::announce(control.cluster(), NodeState::Serving).await;
    folder.make_private();
    // Visitors can be served with a full disk; only programs that look for this file have to be told the addresses.
    if let Err(error) = addresses.write(&folder) {
        tracing::error!(%error, "the addresses of the server are not in its data folder");
    }
    announce(&addresses, &folder, first_key.as_deref());
    threads.within(|| control.index_records());
    let events = threads.within(|| control.run_event_tasks());
    let Configuration { drain_delay, drain_timeout, .. } = configuration;
    Ok(Server {
        folder,
        control,
        edge,
        names,
        api,
        readiness,
        socket,
        acme,
        challenges,
        certificates: chosen,
        events,
        drain_delay,
        drain_timeout,
        traffic,
        console_address,
        _log: writing,
        _audit_log: audit_log,
        _threads: threads,
    })
}

/// Opens the management API and its listener. The lock of the folder is taken first, so that a second start reports the
/// running server and not a used port. Only with port 0, the listener is bound first, because its address is needed.
async fn open_control(
    configuration: &Configuration,
    folder: &DataFolder,
    live: &LiveEdge,
    node: Option<&BoundNode>,
) -> Result<(Arc<Control>, ApiListener)> {
    let bound = match configuration.api_addr.port() {
        0 => Some(ApiListener::bind(configuration.api_addr).await?),
        _ => None,
    };
    let address = bound.as_ref().map_or(configuration.api_addr, ApiListener::address);
    let settings = ControlSettings {
        store: configuration.store.clone(),
        usage: node.map_or(Usage::Alone, BoundNode::usage),
        join_file: configuration.join_file.clone(),
        base_url: configuration.base_url.clone().unwrap_or_else(|| base_url(address)),
        domain: configuration.domain.clone(),
        own_names: own_names(configuration),
        login_host: configuration.login_host.clone(),
        oauth_apps: oauth_apps::apps(&configuration.oauth_apps),
        has_microsoft_tenants: oauth_apps::has_microsoft_tenants(&configuration.oauth_apps),
        tcp_addr: configuration.tcp_addr,
        tcp_ports: configuration.tcp_ports.clone(),
        audit_retention: configuration.audit_retention,
        console_sessions: configuration.console_sessions,
        audited: configuration.audit_events,
        dns_resolver: configuration.dns_resolver,
        ..ControlSettings::new(folder.path())
    };
    let control = open_folder(settings, live).await?;
    let admission = IpAccess::new(control.published(), configuration.geoip.clone()).admission();
    let control = control.with_admission_check(admission);
    let api = match bound {
        Some(api) => api,
        None => ApiListener::bind(configuration.api_addr).await?,
    };
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "the management API is plain HTTP and reachable from outside this machine; --api-host offers it over HTTPS");
    }
    Ok((Arc::new(control), api))
}

/// Opens the data folder. A server that is shutting down gives it up at once, so that its successor waits a moment only.
async fn open_folder(settings: ControlSettings, live: &LiveEdge) -> Result<Control> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match Control::open(settings.clone(), Arc::new(live.clone())).await {
            Err(error) if error.code == Code::StorageLocked && Instant::now() < deadline => {
                tokio::time::sleep(LOCK_RETRY_INTERVAL).await;
            }
            opened => return opened,
        }
    }
}

/// Names of the server itself, which edges and tunnels cannot use.
fn own_names(configuration: &Configuration) -> Vec<HostName> {
    configuration.api_host.iter().chain([&configuration.login_host]).cloned().collect()
}

/// Base URL for a listening address, which may be unspecified.
fn base_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

/// Address of the console in browsers.
fn console_address(configuration: &Configuration, api: SocketAddr, https_port: u16) -> String {
    match (&configuration.base_url, &configuration.api_host) {
        (Some(base_url), _) => base_url.clone(),
        (None, Some(host)) if https_port == 443 => format!("https://{host}"),
        (None, Some(host)) => format!("https://{host}:{https_port}"),
        (None, None) => base_url(api),
    }
}

/// Sets the OpenID provider of the console. `address` is used if the settings name none.
fn set_console_provider(control: &Control, settings: Option<ConsoleProviderSettings>, address: &str) -> Result<()> {
    control.set_console_provider(settings.map(|mut settings| {
        if settings.address.is_empty() {
            address.clone_into(&mut settings.address);
        }
        settings
    }))
}

/// Prints and logs the addresses. The first key is given by its file only.
fn announce(addresses: &Addresses, folder: &DataFolder, first_key: Option<&std::path::Path>) {
    let Addresses { https, http, api, domain, .. } = addresses;
    tracing::info!(%https, %http, %api, domain, data_dir = %folder.path().display(), "ready");
    let mut lines = String::new();
    if let Some(path) = first_key {
        tracing::info!(file = %path.display(), "the first API key was created");
        lines = format!("The first API key, of the administrator, is in {}\n", path.display());
    }
    let mut stdout = std::io::stdout();
    // A closed standard output is not an error.
    let _ = writeln!(
        stdout,
        "{lines}Postern is ready: visitors at https://*.{domain}:{}, management API at {api}, console at {api}/console/",
        https.port(),
        api = base_url(*api)
    );
    let _ = stdout.flush();
}

impl Server {
    /// Replaces the OpenID provider of the console.
    fn set_console_provider(&self, settings: Option<ConsoleProviderSettings>) -> Result<()> {
        set_console_provider(&self.control, settings, &self.console_address)
    }

    /// Serves on until load balancers and other nodes have noticed that this server ends, if there is time for it. Then it
    /// gives up ports and data folder at once, so that a successor can serve new visitors, and waits for open requests and
    /// connections.
    async fn drain(mut self, signal: &str) {
        self.readiness.set(false);
        node::announce(self.control.cluster(), NodeState::Draining).await;
        if !self.drain_delay.is_zero() {
            tracing::info!(drain_delay = ?self.drain_delay, "{signal}: serving on until others have noticed the end");
            tokio::time::sleep(self.drain_delay).await;
        }
        tracing::info!(
            drain_timeout = ?self.drain_timeout,
            "{signal}: draining: no new visitors, open requests are finished; a second signal ends at once"
        );
        drop((self.acme, self.events));
        Addresses::remove(&self.folder);
        self.socket.abort();
        admin_socket::remove(&self.folder);
        self.names.finish().await;
        tokio::join!(self.edge.stop_accepting(), self.api.stop_accepting());
        self.control.close().await;
        tracing::info!("the ports and the data folder are free for another server");
        tokio::join!(self.edge.drain(self.drain_timeout), self.api.drain(self.drain_timeout));
        self.traffic.close().await;
    }
}
