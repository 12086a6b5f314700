//! The state that all parts of a running agent share, and the changes that span several of them.

mod config_editing;

pub use config_editing::{ConfigText, EditOutcome};

use crate::{
    capture::{AgentEvent, CaptureStore, event},
    config::{
        AgentSettings, Config, Definition, MAX_SESSIONS, Problems, Sources, edit, file_watch::FileWatch,
        state_file::AgentStateFile,
    },
    ports::PortScanner,
    session::{SessionLoop, SessionSet, SessionState, StatusPublisher},
    tunnels::{Tunnels, guard::Guard, local_dialer::LocalDialer},
};
use arc_swap::ArcSwapOption;
use postern_api::{Code, Error};
use postern_tunnel::AgentSession;
use serde_json::{Map, Value as Json};
use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Mutex, broadcast, watch};
use tokio_util::sync::CancellationToken;

/// Several writes to a file within this time count as one save.
const SAVE_SETTLE_TIME: Duration = Duration::from_millis(20);

/// Which tunnels of the configuration start without a request to the local API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutoStart {
    /// All tunnels, including those added later.
    All,
    /// No tunnel.
    None,
    /// The named tunnels.
    Named(Vec<String>),
}

/// The state that all parts of a running agent share.
pub struct AgentContext {
    /// The tunnels.
    pub tunnels: Tunnels,
    /// The captured requests.
    pub store: Arc<CaptureStore>,
    /// The status of the session.
    pub session_status: Arc<StatusPublisher>,
    /// Events for live listeners.
    pub feed: broadcast::Sender<AgentEvent>,
    /// The agent's instance id and the last public addresses of its tunnels.
    pub state: Arc<AgentStateFile>,
    /// Finds the services that listen on this machine.
    pub ports: PortScanner,
    /// Stops the agent.
    pub stop: CancellationToken,
    /// Time that open connections get when it stops; set before `stop`.
    pub(crate) drain_timeout: Arc<OnceLock<Duration>>,
    sources: Sources,
    auto_start: AutoStart,
    config: watch::Sender<Arc<Config>>,
    session: Arc<ArcSwapOption<AgentSession>>,
    guard: Arc<Guard>,
    config_problems: ArcSwapOption<Problems>,
    /// Held while the configuration file is written or read again.
    editing: Mutex<()>,
    web_addr: OnceLock<SocketAddr>,
    /// The body limit that the last warning was about.
    warned_body_limit: AtomicU64,
}

impl AutoStart {
    /// Checks that every named tunnel is configured.
    ///
    /// # Errors
    /// `TunnelUnknown` with the names that exist.
    pub fn check(&self, config: &Config) -> Result<(), Error> {
        let AutoStart::Named(names) = self else { return Ok(()) };
        let Some(unknown) = names.iter().find(|name| !config.tunnels.contains_key(*name)) else { return Ok(()) };
        let all: Vec<&str> = config.tunnels.keys().map(String::as_str).collect();
        let known =
            if all.is_empty() { "It has no tunnels yet.".to_owned() } else { format!("It has: {}.", all.join(", ")) };
        Err(Error::new(Code::TunnelUnknown, format!("The configuration has no tunnel named `{unknown}`. {known}")))
    }

    fn includes(&self, tunnel: &str) -> bool {
        match self {
            AutoStart::All => true,
            AutoStart::None => false,
            AutoStart::Named(names) => names.iter().any(|name| name == tunnel),
        }
    }
}

impl AgentContext {
    /// The state of an agent that has neither a session nor running tunnels.
    pub fn new(sources: Sources, auto_start: AutoStart, config: Arc<Config>) -> Self {
        let settings = &config.settings;
        let feed = event::event_channel();
        let guard = Arc::new(Guard::default());
        guard.allow_metadata(settings.allow_metadata_addresses);
        let state = Arc::new(AgentStateFile::open(sources.edited()));
        let store = Arc::new(CaptureStore::new(settings.inspect_bytes, settings.body_bytes, feed.clone()));
        let tunnels = Tunnels::new(state.clone(), LocalDialer::new(guard.clone()), store.clone(), feed.clone());
        AgentContext {
            tunnels,
            store,
            session_status: Arc::new(StatusPublisher::new(feed.clone())),
            feed,
            state,
            ports: PortScanner::default(),
            stop: CancellationToken::new(),
            drain_timeout: Arc::default(),
            sources,
            auto_start,
            config: watch::Sender::new(config),
            session: Arc::default(),
            guard,
            config_problems: ArcSwapOption::empty(),
            editing: Mutex::new(()),
            web_addr: OnceLock::new(),
            warned_body_limit: AtomicU64::new(0),
        }
    }

    /// Records where the local API listens, so that no tunnel can publish it.
    pub fn set_web_addr(&self, address: SocketAddr) {
        self.guard.set_own(vec![address]);
        let _ = self.web_addr.set(address);
    }

    /// The address of the local API; `None` if it is off.
    pub fn web_addr(&self) -> Option<SocketAddr> {
        self.web_addr.get().copied()
    }

    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// The file that changes are written to.
    pub fn config_path(&self) -> String {
        self.sources.edited().display().to_string()
    }

    /// The file with the authorities that are trusted for the server; `None` for the system's store.
    pub fn root_cas(&self) -> Option<String> {
        let file = self.config.borrow().settings.root_cas.file()?;
        Some(std::path::absolute(&file).unwrap_or(file).display().to_string())
    }

    /// Round-trip time to the server, once the session has measured it.
    pub fn latency(&self) -> Option<Duration> {
        self.session.load().as_ref().and_then(|session| session.latency())
    }

    /// Problems of the saved configuration; while there are any, the agent keeps the previous one.
    pub fn config_problems(&self) -> Option<Arc<Problems>> {
        self.config_problems.load_full()
    }

    /// Whether there is a session.
    pub fn is_online(&self) -> bool {
        self.session_status.current().state == SessionState::Online
    }

    /// Writes a tunnel to the configuration file and applies it.
    ///
    /// # Errors
    /// Problems of the definition, or the reason why the file cannot be changed.
    pub async fn save_tunnel(&self, name: &str, body: &Map<String, Json>) -> Result<(), Error> {
        let mut body = body.clone();
        if let Some(known) = self.tunnels.definition(name) {
            known.raw.restore(&mut body);
        }
        Definition::from_json(name, &body).map_err(|problems| problems.to_error())?;
        let _editing = self.editing.lock().await;
        let path = self.sources.edited();
        let text = edit::read_for_edit(path)?;
        write_if_changed(path, &text, &edit::set_tunnel(&text, name, &body)?)?;
        self.reload().await.map_err(|problems| problems.to_error())
    }

    /// Removes a tunnel from the configuration and stops it.
    ///
    /// # Errors
    /// `TunnelUnknown`, or the reason why the file cannot be changed.
    pub async fn remove_tunnel(&self, name: &str) -> Result<(), Error> {
        let _editing = self.editing.lock().await;
        let known = self.tunnels.configured_one(name).is_some();
        for path in &self.sources.files {
            if path.is_file() {
                let text = edit::read_for_edit(path)?;
                let changed = edit::remove(&text, &["tunnels", name])?;
                write_if_changed(path, &text, &edit::remove_item(&changed, "endpoints", name)?)?;
            }
        }
        self.reload().await.map_err(|problems| problems.to_error())?;
        self.tunnels.stop(name);
        self.state.forget(name);
        if known { Ok(()) } else { Err(Error::new(Code::TunnelUnknown, "There is no tunnel with this name.")) }
    }

    /// Reads the configuration again and applies it. An invalid one changes nothing and is reported.
    ///
    /// # Errors
    /// All problems of the configuration.
    pub async fn reload(&self) -> Result<(), Arc<Problems>> {
        match self.sources.load() {
            Ok(config) => {
                let was_invalid = self.config_problems.swap(None).is_some();
                let config = Arc::new(config);
                let old = self.config.send_replace(config.clone());
                if old.settings.web != config.settings.web {
                    tracing::warn!("web_addr was changed; it takes effect at the next start of the agent");
                }
                self.apply(&config).await;
                if was_invalid {
                    tracing::info!("the configuration is valid again");
                    let _ = self.feed.send(AgentEvent::Status);
                }
                Ok(())
            }
            Err(problems) => {
                let problems = Arc::new(problems);
                let known = self.config_problems.swap(Some(problems.clone()));
                if known.as_ref() != Some(&problems) {
                    tracing::error!(code = %Code::ConfigInvalid, "the saved configuration is invalid, so nothing was changed:\n{problems}");
                    let _ = self.feed.send(AgentEvent::Status);
                }
                Err(problems)
            }
        }
    }

    /// Applies the configuration that was read at the start.
    pub async fn apply_initial(&self) {
        let config = self.config();
        self.apply(&config).await;
    }

    async fn apply(&self, config: &Config) {
        let settings = &config.settings;
        self.store.resize(settings.inspect_bytes, settings.body_bytes);
        self.warn_about_capture_limits(settings);
        self.store.redact(settings.secrets.clone(), settings.redact);
        self.guard.allow_metadata(settings.allow_metadata_addresses);
        self.tunnels.configure(&config.tunnels, |name| self.auto_start.includes(name)).await;
    }

    /// Warns once about an `inspect_body_size` that `inspect_db_size` leaves no room for.
    fn warn_about_capture_limits(&self, settings: &AgentSettings) {
        let body_limit = self.store.body_limit() as u64;
        let is_cut = settings.inspect_bytes.is_some() && settings.body_bytes > body_limit;
        if is_cut && self.warned_body_limit.swap(body_limit, Ordering::Relaxed) != body_limit {
            tracing::warn!(
                inspect_body_size = settings.body_bytes,
                inspect_db_size = settings.inspect_bytes,
                "a captured body takes at most a quarter of inspect_db_size, so bodies are cut at {body_limit} bytes; raise inspect_db_size, or lower inspect_body_size"
            );
        }
    }

    /// The loops that keep the sessions with the server.
    pub fn session_loops(&self) -> Vec<SessionLoop> {
        let set = Arc::new(SessionSet::new(self.session_status.clone(), self.session.clone()));
        let session_loop = |slot| SessionLoop {
            slot,
            set: set.clone(),
            config: self.config.subscribe(),
            tunnels: self.tunnels.clone(),
            state: self.state.clone(),
            stop: self.stop.clone(),
            drain_timeout: self.drain_timeout.clone(),
        };
        (0..MAX_SESSIONS).map(session_loop).collect()
    }

    /// Watches the configuration files.
    ///
    /// # Errors
    /// The operating system cannot watch them.
    pub fn watch_files(&self) -> notify::Result<FileWatch> {
        FileWatch::start(&self.sources.files)
    }

    /// Reloads the configuration after every save, until the agent stops.
    pub async fn reload_on_save(self: Arc<Self>, mut watch: FileWatch) {
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = watch.saved() => {}
            }
            tokio::time::sleep(SAVE_SETTLE_TIME).await;
            let _editing = self.editing.lock().await;
            let _ = self.reload().await;
        }
    }
}

fn write_if_changed(path: &Path, old: &str, new: &str) -> Result<(), Error> {
    if old == new && path.exists() {
        return Ok(());
    }
    edit::write_private(path, new.as_bytes())
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be written: {error}.", path.display())))
}
