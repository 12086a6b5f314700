//! `run`: everything put together in the order it depends on each other, served, and drained.

use crate::access_log::{self, Writing};
use crate::addresses::Addresses;
use crate::api_listener::{ApiListener, Serving};
use crate::certificates::{self, Chosen};
use crate::configuration::{Configuration, oauth_apps};
use crate::data_folder::DataFolder;
use crate::desk::Desk;
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::live::Live;
use crate::management::{self, Readiness};
use crate::proofs::OnTheListeners;
use crate::signals::Signals;
use crate::{api_host, metrics, rescue_socket};
use axum::body::Bytes;
use postern_api::{Result, host::HostName, published::Published};
use postern_control::certificates::Authority;
use postern_control::{Acme, Control};
use postern_edge::Edge;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tower::Service;

/// The server at work.
struct Server {
    folder: DataFolder,
    edge: Edge,
    api: Serving,
    readiness: Readiness,
    socket: tokio::task::JoinHandle<()>,
    /// Gets certificates while it is there.
    acme: Option<Acme>,
    drain_timeout: Duration,
    /// The access log is finished last.
    _log: Option<Writing>,
}

/// Serves until a signal asks for the end.
pub(crate) async fn run(configuration: Configuration) -> Result<()> {
    let mut signals = Signals::listen()?;
    let server = build(configuration).await?;
    let name = signals.next().await;
    tracing::info!(
        patience = ?server.drain_timeout,
        "{name}: no new visitors from now on, open requests are finished; once more ends at once"
    );
    signals.end_at_the_next();
    server.drain().await;
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
    let live = Live::default();
    let (control, api) = open_control(&configuration, &folder, &live).await?;
    let first_key = control.ensure_first_key().await?;

    let gate = Gate::new(control.published());
    let (applied, reached) = watch::channel(0);
    let readiness = Readiness::default();
    let behind = CaughtUp { published: control.published(), reached };
    let resources = caught_up(control.router(), behind.clone());
    let description = Bytes::from(control.description().to_string());
    let public_api = configuration.api_host.clone().map(|name| {
        let router =
            management::on_a_public_name(resources.clone(), description.clone(), readiness.clone(), gate.clone());
        api_host::offer(name, router)
    });
    let chosen = Chosen {
        given,
        authority: Authority::open(folder.path())?,
        domain: configuration.domain.clone(),
        own_names: own_names(&configuration),
        live: live.clone(),
    };
    let mut settings = postern_edge::Settings {
        https_addr: configuration.https_addr,
        http_addr: configuration.http_addr,
        tcp_addr: configuration.tcp_addr,
        tcp_ports: configuration.tcp_ports.clone(),
        own_names: vec![configuration.login_host.clone()],
        login_providers: configuration.oauth_apps.clone(),
        login_host: configuration.login_host.clone(),
        identity_headers: configuration.identity_headers.clone(),
        ledger: Arc::new(Ledger::new(control.clone(), behind)),
        api: public_api,
        limits: configuration.limits.clone(),
        proxies: configuration.proxies.clone(),
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
        ..postern_edge::Settings::loopback(configuration.domain.clone())
    };
    let challenges = settings.challenges.clone();
    let (log, writing) = configuration.access_log.as_ref().map(access_log::start).transpose()?.unzip();
    settings.access_log = log;
    let edge = Edge::start(settings, Arc::new(chosen), control.published(), applied).await?;
    live.is_now(edge.live());

    let addresses = Addresses {
        https: edge.https_addr(),
        http: edge.http_addr(),
        api: api.address(),
        tcp: configuration.tcp_addr,
        tcp_ports: (*configuration.tcp_ports.start(), *configuration.tcp_ports.end()),
        domain: configuration.domain.to_string(),
        pid: std::process::id(),
    };
    let socket = rescue_socket::listen(&folder, Arc::new(Desk(control.clone())))?;
    let observe = move || live.measure();
    let api =
        api.serve(management::on_the_api_address(resources, description, readiness.clone(), gate, metrics, observe));
    let acme = configuration.acme.map(|acme| control.certify(acme, Arc::new(OnTheListeners(challenges))));
    readiness.set(true);
    folder.close_to_others();
    addresses.write(&folder)?;
    greet(&addresses, &folder, first_key.as_deref());
    let drain_timeout = configuration.drain_timeout;
    Ok(Server { folder, edge, api, readiness, socket, acme, drain_timeout, _log: writing })
}

/// Opens the management API and its listener. The folder's lock comes first, so that a second start is told about
/// the server that runs already and not about a port; only with port 0 the address must be known before.
async fn open_control(
    configuration: &Configuration,
    folder: &DataFolder,
    live: &Live,
) -> Result<(Arc<Control>, ApiListener)> {
    let bound = match configuration.api_addr.port() {
        0 => Some(ApiListener::bind(configuration.api_addr).await?),
        _ => None,
    };
    let address = bound.as_ref().map_or(configuration.api_addr, ApiListener::address);
    let settings = postern_control::Settings {
        base_url: configuration.base_url.clone().unwrap_or_else(|| base_url(address)),
        domain: configuration.domain.clone(),
        own_names: own_names(configuration),
        login_host: configuration.login_host.clone(),
        oauth_apps: oauth_apps::apps(&configuration.oauth_apps),
        tcp_addr: configuration.tcp_addr,
        tcp_ports: configuration.tcp_ports.clone(),
        ..postern_control::Settings::new(folder.path())
    };
    let control = Control::open(settings, Arc::new(live.clone())).await?;
    let admission = Gate::new(control.published()).admission();
    let control = control.admitting(admission);
    let api = match bound {
        Some(api) => api,
        None => ApiListener::bind(configuration.api_addr).await?,
    };
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "the management API is plain HTTP and reachable from outside this machine; --api-host offers it over HTTPS");
    }
    Ok((Arc::new(control), api))
}

/// The names that no edge and no tunnel can take.
fn own_names(configuration: &Configuration) -> Vec<HostName> {
    configuration.api_host.iter().chain([&configuration.login_host]).cloned().collect()
}

/// An address to listen on is not always one to call.
fn base_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

/// How long the answer to a change waits for the edge.
const APPLY_DEADLINE: Duration = Duration::from_secs(5);

/// Waits until the edge serves by what was published last.
#[derive(Clone)]
pub(crate) struct CaughtUp {
    published: watch::Receiver<Arc<Published>>,
    reached: watch::Receiver<i64>,
}

impl CaughtUp {
    pub(crate) async fn wait(mut self) {
        let wanted = self.published.borrow().revision;
        // Without an edge, which is so while the program ends, nobody has to wait.
        let caught_up = self.reached.wait_for(|revision| *revision >= wanted);
        let _ = tokio::time::timeout(APPLY_DEADLINE, caught_up).await;
    }
}

/// Who has the answer to a change may rely on it: the edge serves by it already.
fn caught_up(resources: axum::Router, edge: CaughtUp) -> axum::Router {
    let answer = move |request: axum::extract::Request| {
        let reads = request.method().is_safe();
        let answering = resources.clone().call(request);
        let waiting = (!reads).then(|| edge.clone());
        async move {
            let response = answering.await;
            if let Some(edge) = waiting {
                edge.wait().await;
            }
            response
        }
    };
    axum::Router::new().fallback_service(tower::service_fn(answer))
}

/// Says where things are; the first key only by the name of its file.
fn greet(addresses: &Addresses, folder: &DataFolder, first_key: Option<&std::path::Path>) {
    let Addresses { https, http, api, domain, .. } = addresses;
    tracing::info!(%https, %http, %api, domain, data_dir = %folder.path().display(), "ready");
    let mut lines = String::new();
    if let Some(path) = first_key {
        tracing::info!(file = %path.display(), "the first API key was made");
        lines = format!("The first API key, of the administrator, is in {}\n", path.display());
    }
    let mut stdout = std::io::stdout();
    // Whoever closed standard output does not want to read this.
    let _ = writeln!(
        stdout,
        "{lines}Postern is ready: visitors at https://*.{domain}:{}, management API at {}",
        https.port(),
        base_url(*api)
    );
    let _ = stdout.flush();
}

impl Server {
    async fn drain(self) {
        self.readiness.set(false);
        drop(self.acme);
        Addresses::remove(&self.folder);
        self.socket.abort();
        rescue_socket::remove(&self.folder);
        tokio::join!(self.edge.drain(self.drain_timeout), self.api.drain(self.drain_timeout));
    }
}
