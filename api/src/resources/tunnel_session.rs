//! A tunnel session: one agent that is connected.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that is connected at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunnelSession {
    /// Its id.
    pub id: Id<TunnelSession>,
    /// Its absolute address.
    pub uri: String,
    /// The version of the agent.
    pub agent_version: String,
    /// What the agent proved itself with.
    pub credential: Ref,
    /// The address it connected from.
    pub ip: String,
    /// What its owner wrote on it; empty if nothing.
    pub metadata: String,
    /// The system the agent runs on.
    pub os: String,
    /// The region of the server.
    pub region: String,
    /// Since when it is connected.
    pub started_at: Timestamp,
    /// What agent and server speak with each other.
    pub transport: String,
}

/// What the agent of a session can be told to do, if it lets itself be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionCommand {
    /// Make a new session in place of this one.
    Restart,
    /// End the session and make no new one.
    Stop,
    /// Bring itself up to date: no agent does so yet.
    Update,
}

impl SessionCommand {
    /// All of them.
    pub const ALL: [SessionCommand; 3] = [SessionCommand::Restart, SessionCommand::Stop, SessionCommand::Update];

    /// The last part of its path.
    pub const fn as_str(self) -> &'static str {
        match self {
            SessionCommand::Restart => "restart",
            SessionCommand::Stop => "stop",
            SessionCommand::Update => "update",
        }
    }
}

/// The body of a command: there is nothing to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionCommandBody {}

impl Kind for TunnelSession {
    const PREFIX: &'static str = "ts";
}
impl View for TunnelSession {
    const KIND: &'static str = "tunnel_session";
    const PATH: &'static str = "/tunnel_sessions";
    const LIST: &'static str = "tunnel_sessions";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
