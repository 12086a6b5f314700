//! The state of the desktop as the windows see it, and the one place where it changes.

use crate::failure::Failure;
use serde::Serialize;
use std::net::SocketAddr;
use tokio::sync::watch;

/// `desktop_state()` and the event `desktop-state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DesktopState {
    pub(crate) server: ServerState,
    pub(crate) agent: AgentState,
    pub(crate) authority: AuthorityState,
    pub(crate) keychain: KeychainState,
    pub(crate) version: &'static str,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Condition {
    Starting,
    Running,
    Failed,
    Stopped,
}

/// Whether the server runs here under our care or somewhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Local,
    Remote,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ServerState {
    pub(crate) mode: Mode,
    pub(crate) state: Condition,
    /// Where agents connect: `localhost:4443`.
    pub(crate) address: Option<String>,
    /// The management API: `http://127.0.0.1:4041`.
    pub(crate) api_address: Option<String>,
    pub(crate) error: Option<Failure>,
    /// When the next start is tried, RFC 3339.
    pub(crate) next_try: Option<String>,
    /// Something to know although it works: another port than usual.
    pub(crate) notice: Option<String>,
    pub(crate) pid: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AgentState {
    pub(crate) state: Condition,
    /// The local API and the inspector page: `127.0.0.1:4040`.
    pub(crate) web_addr: Option<SocketAddr>,
    pub(crate) error: Option<Failure>,
    /// When the next start is tried, RFC 3339.
    pub(crate) next_try: Option<String>,
    /// Something to know although it works: another port than usual.
    pub(crate) notice: Option<String>,
    pub(crate) pid: Option<u32>,
    /// Whether it ran already when this app started.
    pub(crate) adopted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct AuthorityState {
    pub(crate) trusted: Trusted,
    pub(crate) path: Option<String>,
    /// Whether the offer to trust it was answered or dismissed already.
    pub(crate) offered: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Trusted {
    pub(crate) system: bool,
    pub(crate) browsers: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct KeychainState {
    pub(crate) kind: KeyPlace,
    /// Said plainly when the key does not lie in a keychain.
    pub(crate) note: Option<String>,
}

/// Where the management API's key is kept: what is hoped for until the key was needed for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyPlace {
    #[default]
    Keychain,
    File,
}

/// Holds the state; every change is announced to whoever watches.
pub(crate) struct State(watch::Sender<DesktopState>);

impl State {
    pub(crate) fn new(mode: Mode, authority: AuthorityState) -> State {
        let server = ServerState {
            mode,
            state: Condition::Stopped,
            address: None,
            api_address: None,
            error: None,
            next_try: None,
            notice: None,
            pid: None,
        };
        let agent = AgentState {
            state: Condition::Stopped,
            web_addr: None,
            error: None,
            next_try: None,
            notice: None,
            pid: None,
            adopted: false,
        };
        let version = env!("CARGO_PKG_VERSION");
        State(watch::Sender::new(DesktopState {
            server,
            agent,
            authority,
            keychain: KeychainState::default(),
            version,
        }))
    }

    pub(crate) fn now(&self) -> DesktopState {
        self.0.borrow().clone()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<DesktopState> {
        self.0.subscribe()
    }

    /// Changes the state; nobody is woken when nothing differs.
    pub(crate) fn change(&self, change: impl FnOnce(&mut DesktopState)) {
        self.0.send_if_modified(|state| {
            let before = state.clone();
            change(state);
            *state != before
        });
    }
}
