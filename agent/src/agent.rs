//! A running agent: everything wired together.

mod editing;

pub use editing::{Edited, Text};

use crate::{
    capture::{CaptureStore, Happening, event},
    config::{Config, Definition, Problems, Sources, edit, state::State, watch::FileWatch},
    local_api,
    ports::Finder,
    session::{SessionLoop, SessionState, StatusBoard},
    tunnels::{Settled, Tunnels, guard::Guard, local::LocalDial},
};
use arc_swap::ArcSwapOption;
use postern_api::{Code, Error};
use postern_tunnel::AgentSession;
use serde_json::{Map, Value as Json};
use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::{Mutex, broadcast, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Several writes to a file count as one save.
const SETTLE: Duration = Duration::from_millis(100);
/// What the end may take before it is forced.
const FAREWELL: Duration = Duration::from_secs(6);

/// What an agent runs.
pub struct Options {
    /// Where the configuration comes from.
    pub sources: Sources,
    /// Which tunnels of it start by themselves.
    pub start: Start,
    /// Tunnels that are not in the configuration.
    pub extra: Vec<Definition>,
}

/// Which tunnels start by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// All, also those added later.
    All,
    /// None: they are started by the local API.
    None,
    /// These.
    Named(Vec<String>),
}

/// What all parts of a running agent share.
pub struct Core {
    /// The tunnels.
    pub tunnels: Tunnels,
    /// The captured requests.
    pub store: Arc<CaptureStore>,
    /// The state of the session.
    pub board: Arc<StatusBoard>,
    /// What happens, for live listeners.
    pub feed: broadcast::Sender<Happening>,
    /// Who the agent is, and what it remembers.
    pub state: Arc<State>,
    /// What listens on this machine.
    pub ports: Finder,
    /// Ends everything.
    pub stop: CancellationToken,
    sources: Sources,
    start: Start,
    config: watch::Sender<Arc<Config>>,
    session: Arc<ArcSwapOption<AgentSession>>,
    guard: Arc<Guard>,
    broken: ArcSwapOption<Problems>,
    editing: Mutex<()>,
    web: OnceLock<SocketAddr>,
}

/// A running agent.
pub struct Agent {
    core: Arc<Core>,
    tasks: TaskTracker,
}

impl Agent {
    /// Reads the configuration, listens, and starts to connect. Does not wait for the server.
    ///
    /// # Errors
    /// All problems of the configuration as one error; `TunnelUnknown` for a tunnel to start that is not
    /// configured; `ListenFailed` if the local API's address is not available.
    pub async fn start(options: Options) -> Result<Agent, Error> {
        let Options { sources, start, extra } = options;
        let config = Arc::new(sources.load().map_err(|problems| problems.to_error())?);
        let settings = &config.settings;
        check_names(&config, &start)?;
        let listening = local_api::listen(&settings.web).await?;
        let feed = event::feed();
        let guard = Arc::new(Guard::default());
        guard.allow_metadata(settings.allow_metadata_addresses);
        let state = Arc::new(State::open(sources.edited()));
        let store = Arc::new(CaptureStore::new(settings.inspect_bytes, settings.body_bytes, feed.clone()));
        let tunnels = Tunnels::new(state.clone(), LocalDial::new(guard.clone()), store.clone(), feed.clone());
        let core = Arc::new(Core {
            tunnels,
            store,
            board: Arc::new(StatusBoard::new(feed.clone())),
            feed,
            state,
            ports: Finder::default(),
            stop: CancellationToken::new(),
            sources,
            start,
            config: watch::Sender::new(config.clone()),
            session: Arc::default(),
            guard,
            broken: ArcSwapOption::empty(),
            editing: Mutex::new(()),
            web: OnceLock::new(),
        });
        let tasks = TaskTracker::new();
        if let Some((listener, address)) = listening {
            core.guard.set_own(vec![address]);
            let _ = core.web.set(address);
            tracing::info!(url = format!("http://{address}"), "the inspector and the local API listen");
            tasks.spawn(local_api::serve(listener, core.clone()));
        }
        core.state.announce(core.web_addr().map(|address| address.to_string()));
        tasks.spawn(core.session_loop().run());
        core.configure(&config).await;
        let mut refused = None;
        for definition in extra {
            refused = refused.or(core.tunnels.start(Arc::new(definition)).await.err());
        }
        match FileWatch::start(&core.sources.files) {
            Ok(watch) => {
                tasks.spawn(core.clone().follow(watch));
            }
            Err(error) => tracing::debug!(%error, "the configuration file is not watched"),
        }
        tasks.close();
        let agent = Agent { core, tasks };
        match refused {
            None => Ok(agent),
            Some(error) => {
                agent.shutdown().await;
                Err(error)
            }
        }
    }

    /// The parts that others may look at.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Waits until it is known whether tunnels given on the command line came up.
    ///
    /// # Errors
    /// What the server said against the session or the tunnel. A server that cannot be reached is no error:
    /// the agent goes on trying.
    pub async fn first_result(&self, name: &str) -> Result<(), Error> {
        let mut status = self.core.board.watch();
        let mut tunnels = self.core.tunnels.changes();
        loop {
            tunnels.mark_unchanged();
            match self.core.tunnels.settled(name).await {
                Settled::Refused(error) => return Err(error),
                Settled::Running | Settled::Stopped => return Ok(()),
                Settled::Waiting => {}
            }
            let now = status.borrow_and_update().clone();
            if now.state == SessionState::Refused {
                return Err(now.reason.unwrap_or_else(|| Code::TokenUnknown.into()));
            }
            // The session may have come up since the tunnel was looked at: both are watched.
            let over = tokio::select! {
                changed = status.changed() => changed.is_err(),
                changed = tunnels.changed() => changed.is_err(),
            };
            if over {
                return Ok(());
            }
        }
    }

    /// Says goodbye and ends everything.
    pub async fn shutdown(self) {
        self.core.stop.cancel();
        if tokio::time::timeout(FAREWELL, self.tasks.wait()).await.is_err() {
            tracing::warn!("some connections did not end in time");
        }
        self.core.tunnels.stop_all();
        self.core.state.retire();
    }
}

impl Core {
    /// Where the local API listens; `None` if it does not.
    pub fn web_addr(&self) -> Option<SocketAddr> {
        self.web.get().copied()
    }

    /// The configuration of the moment.
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// The file that changes are written to.
    pub fn config_path(&self) -> String {
        self.sources.edited().display().to_string()
    }

    /// The way to the server and back, if there is a session and it was measured.
    pub fn latency(&self) -> Option<Duration> {
        self.session.load().as_ref().and_then(|session| session.latency())
    }

    /// What is wrong with the saved configuration, while the agent goes on with the one before.
    pub fn broken(&self) -> Option<Arc<Problems>> {
        self.broken.load_full()
    }

    /// Whether there is a session.
    pub fn is_online(&self) -> bool {
        self.board.now().state == SessionState::Online
    }

    /// Writes a tunnel into the configuration file and takes it over.
    ///
    /// # Errors
    /// What is wrong with the definition, or why the file cannot be changed.
    pub async fn save_tunnel(&self, name: &str, body: &Map<String, Json>) -> Result<(), Error> {
        let mut body = body.clone();
        if let Some(known) = self.tunnels.definition(name) {
            known.written.restore(&mut body);
        }
        Definition::from_json(name, &body).map_err(|problems| problems.to_error())?;
        let _editing = self.editing.lock().await;
        let path = self.sources.edited();
        let text = edit::read_for_edit(path)?;
        write(path, &text, &edit::set_tunnel(&text, name, &body)?)?;
        self.reload().await.map_err(|problems| problems.to_error())
    }

    /// Takes a tunnel out of the configuration and stops it.
    ///
    /// # Errors
    /// `TunnelUnknown`, or why the file cannot be changed.
    pub async fn remove_tunnel(&self, name: &str) -> Result<(), Error> {
        let _editing = self.editing.lock().await;
        let known = self.tunnels.configured_one(name).is_some();
        for path in &self.sources.files {
            if path.is_file() {
                let text = edit::read_for_edit(path)?;
                let changed = edit::remove(&text, &["tunnels", name])?;
                write(path, &text, &edit::remove_item(&changed, "endpoints", name)?)?;
            }
        }
        self.reload().await.map_err(|problems| problems.to_error())?;
        self.tunnels.stop(name);
        self.state.forget(name);
        if known { Ok(()) } else { Err(Error::new(Code::TunnelUnknown, "There is no tunnel with this name.")) }
    }

    /// Reads the configuration again. A broken one changes nothing and is reported.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub async fn reload(&self) -> Result<(), Arc<Problems>> {
        match self.sources.load() {
            Ok(config) => {
                let was_broken = self.broken.swap(None).is_some();
                let config = Arc::new(config);
                let old = self.config.send_replace(config.clone());
                if old.settings.web != config.settings.web {
                    tracing::warn!("web_addr was changed; it takes effect at the next start of the agent");
                }
                self.configure(&config).await;
                if was_broken {
                    tracing::info!("the configuration is whole again");
                    let _ = self.feed.send(Happening::Status);
                }
                Ok(())
            }
            Err(problems) => {
                let problems = Arc::new(problems);
                let known = self.broken.swap(Some(problems.clone()));
                if known.as_ref() != Some(&problems) {
                    tracing::error!(code = %Code::ConfigInvalid, "the saved configuration is broken, so nothing was changed:\n{problems}");
                    let _ = self.feed.send(Happening::Status);
                }
                Err(problems)
            }
        }
    }

    async fn configure(&self, config: &Config) {
        let settings = &config.settings;
        self.store.resize(settings.inspect_bytes, settings.body_bytes);
        self.store.redact(settings.secrets.clone(), settings.redact);
        self.guard.allow_metadata(settings.allow_metadata_addresses);
        let wanted = |name: &str| match &self.start {
            Start::All => true,
            Start::None => false,
            Start::Named(names) => names.iter().any(|wanted| wanted == name),
        };
        self.tunnels.configure(&config.tunnels, wanted).await;
    }

    fn session_loop(&self) -> SessionLoop {
        SessionLoop {
            config: self.config.subscribe(),
            tunnels: self.tunnels.clone(),
            board: self.board.clone(),
            state: self.state.clone(),
            current: self.session.clone(),
            stop: self.stop.clone(),
        }
    }

    async fn follow(self: Arc<Self>, mut watch: FileWatch) {
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = watch.saved() => {}
            }
            tokio::time::sleep(SETTLE).await;
            let _editing = self.editing.lock().await;
            let _ = self.reload().await;
        }
    }
}

fn check_names(config: &Config, start: &Start) -> Result<(), Error> {
    let Start::Named(names) = start else { return Ok(()) };
    for name in names {
        if !config.tunnels.contains_key(name) {
            let all: Vec<&str> = config.tunnels.keys().map(String::as_str).collect();
            let known = if all.is_empty() {
                "It has no tunnels yet.".to_owned()
            } else {
                format!("It has: {}.", all.join(", "))
            };
            return Err(Error::new(
                Code::TunnelUnknown,
                format!("The configuration has no tunnel named `{name}`. {known}"),
            ));
        }
    }
    Ok(())
}

fn write(path: &std::path::Path, old: &str, new: &str) -> Result<(), Error> {
    if old == new && path.exists() {
        return Ok(());
    }
    edit::write_private(path, new.as_bytes())
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be written: {error}.", path.display())))
}
