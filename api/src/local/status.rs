//! The state of the agent and of its session with the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The agent's status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStatus {
    /// The state of the agent as a whole.
    pub status: AgentState,
    /// The agent's version.
    pub agent_version: String,
    /// The session with the server.
    pub session: SessionView,
    /// The address of the local API; null if it listens nowhere.
    pub web_addr: Option<String>,
    /// The configuration file.
    pub config_path: String,
    /// The problems of the configuration file since it was last saved; the tunnels run on unchanged.
    pub config_error: Option<String>,
    /// The agent's process id.
    pub pid: u32,
    /// The memory of captured requests.
    pub capture: CaptureGauge,
    /// The path of this resource.
    #[serde(default)]
    pub uri: String,
}

/// The state of the agent as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentState {
    /// The agent has a session.
    Online,
    /// The agent is connecting to the server.
    Connecting,
    /// The agent waits for the next attempt, or the server refused it.
    Offline,
}

/// The state of the session with the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// The session is established.
    Online,
    /// The session is being established.
    Connecting,
    /// The last attempt failed and the next one is scheduled.
    Waiting,
    /// The server refused the agent; the next attempt is far away or follows a change of the configuration.
    Refused,
}

impl SessionState {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            SessionState::Online => "online",
            SessionState::Connecting => "connecting",
            SessionState::Waiting => "waiting",
            SessionState::Refused => "refused",
        }
    }
}

impl From<SessionState> for AgentState {
    fn from(state: SessionState) -> Self {
        match state {
            SessionState::Online => AgentState::Online,
            SessionState::Connecting => AgentState::Connecting,
            SessionState::Waiting | SessionState::Refused => AgentState::Offline,
        }
    }
}

/// The session with the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    /// The state.
    pub state: SessionState,
    /// Host and port of the server.
    #[serde(default)]
    pub server_addr: String,
    /// The reason why the session is not online.
    #[serde(default)]
    pub reason: Option<Reason>,
    /// The time of the next attempt; set while the state is `waiting`.
    #[serde(default)]
    pub next_try: Option<String>,
    /// Attempts since the last success.
    #[serde(default)]
    pub attempt: u32,
    /// The time at which this state began.
    #[serde(default)]
    pub since: String,
    /// The server's version; empty before the first session.
    #[serde(default)]
    pub server_version: String,
    /// The PEM file with the authorities that the agent trusts for its server; `null` for the system's store.
    #[serde(default)]
    pub root_cas: Option<String>,
    /// The connection to the server; empty unless the state is `online`.
    #[serde(default)]
    pub legs: Vec<SessionLeg>,
}

/// A connection to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionLeg {
    /// The server's region.
    pub region: String,
    /// The round trip as text in milliseconds, such as `12.5ms`; empty until it is measured.
    pub latency: String,
    /// The same round trip in nanoseconds; null until it is measured.
    #[serde(default)]
    pub round_trip: Option<u64>,
}

/// An error as a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The stable code to act on.
    #[serde(default)]
    pub code: String,
    /// The sentence for a person.
    #[serde(default)]
    pub message: String,
}

/// The memory of captured requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureGauge {
    /// Bytes in use.
    pub bytes: u64,
    /// The most bytes that may be in use.
    pub limit: u64,
    /// Captured requests that are kept.
    pub count: u64,
    /// Pinned ones among them.
    #[serde(default)]
    pub pinned: u64,
    /// Requests that were evicted to make room.
    pub dropped: u64,
    /// The start of the oldest request that is kept.
    pub oldest: Option<String>,
}

/// The paths of the local API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ApiIndex {
    pub uri: String,
    pub tunnels_uri: String,
    pub endpoints_uri: String,
    pub requests_uri: String,
    pub summaries_uri: String,
    pub har_uri: String,
    pub configured_uri: String,
    pub configuration_uri: String,
    pub ports_uri: String,
    pub status_uri: String,
    pub events_uri: String,
}
