//! The state of the desktop app as the windows see it.

use crate::error::DesktopError;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::SocketAddr;

/// `desktop_state()` and the event `desktop-state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DesktopState {
    pub(crate) server: ServerState,
    pub(crate) agent: AgentState,
    pub(crate) authority: AuthorityState,
    pub(crate) keychain: KeychainState,
    pub(crate) version: &'static str,
}

/// The run state of a supervised program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunState {
    Starting,
    Running,
    Failed,
    Stopped,
}

/// Whether the server runs on this computer, supervised by the app, or elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServerMode {
    Local,
    Remote,
}

/// The state of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ServerState {
    pub(crate) mode: ServerMode,
    pub(crate) state: RunState,
    /// The address that agents connect to: `localhost:4443`.
    pub(crate) address: Option<String>,
    /// The management API: `http://127.0.0.1:4041`.
    pub(crate) api_address: Option<String>,
    pub(crate) error: Option<DesktopError>,
    /// The time of the next start attempt (RFC 3339).
    pub(crate) next_try: Option<String>,
    /// A remark although the program runs, for example that it listens on another port than usual.
    pub(crate) notice: Option<String>,
    pub(crate) pid: Option<u32>,
}

/// The state of this computer's agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AgentState {
    pub(crate) state: RunState,
    /// The local API and the inspector page: `127.0.0.1:4040`.
    pub(crate) web_addr: Option<SocketAddr>,
    pub(crate) error: Option<DesktopError>,
    /// The time of the next start attempt (RFC 3339).
    pub(crate) next_try: Option<String>,
    /// A remark although the program runs, for example that it listens on another port than usual.
    pub(crate) notice: Option<String>,
    pub(crate) pid: Option<u32>,
    /// Whether the process was already running when the app started.
    pub(crate) adopted: bool,
}

/// The state of the local certificate authority.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AuthorityState {
    pub(crate) trusted: TrustedStores,
    pub(crate) path: Option<String>,
    /// Whether the offer to trust the authority was accepted or dismissed.
    pub(crate) offered: bool,
}

/// The certificate stores that trust the local authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TrustedStores {
    pub(crate) system: bool,
    pub(crate) browsers: bool,
}

/// The storage of the management API key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct KeychainState {
    pub(crate) kind: KeyLocation,
    /// Explains why the key is not in a keychain.
    pub(crate) note: Option<String>,
}

/// The location of the management API key; `Keychain` until the key is first needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyLocation {
    #[default]
    Keychain,
    File,
}

impl DesktopState {
    /// The state before any program was started.
    pub(crate) fn new(mode: ServerMode, authority: AuthorityState) -> DesktopState {
        let server = ServerState {
            mode,
            state: RunState::Stopped,
            address: None,
            api_address: None,
            error: None,
            next_try: None,
            notice: None,
            pid: None,
        };
        let agent = AgentState {
            state: RunState::Stopped,
            web_addr: None,
            error: None,
            next_try: None,
            notice: None,
            pid: None,
            adopted: false,
        };
        let version = env!("CARGO_PKG_VERSION");
        DesktopState { server, agent, authority, keychain: KeychainState::default(), version }
    }
}
