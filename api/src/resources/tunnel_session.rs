//! A tunnel session: one agent that is connected.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{NodeName, Ref, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that is connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunnelSession {
    /// Its id.
    pub id: Id<TunnelSession>,
    /// Absolute URL.
    pub uri: String,
    /// The version of the agent.
    pub agent_version: String,
    /// Credential of the agent.
    pub credential: Ref,
    /// The address it connected from.
    pub ip: String,
    /// Metadata of the owner; empty if not set.
    pub metadata: String,
    /// The system the agent runs on.
    pub os: String,
    /// The region of the server.
    pub region: String,
    /// Time since which it is connected.
    pub started_at: Timestamp,
    /// Transport between agent and server.
    pub transport: String,
    /// The node that the agent is connected to; absent if the server uses its store alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeName>,
    /// Name of the host that the agent runs on; absent if the agent does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Account of the operating system that runs the agent; absent if the agent does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The agent, which keeps its id from session to session. Older servers do not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Ref>,
}

/// Command to the agent of a session, if the agent allows remote management.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionCommand {
    /// Replace this session by a new one.
    Restart,
    /// End the session without reconnecting.
    Stop,
    /// Update the agent. No agent can do it: the command is always refused and not part of the API's description, but clients
    /// of other services send it and get a reason.
    Update,
}

impl SessionCommand {
    /// The commands that the API offers.
    pub const OFFERED: [SessionCommand; 2] = [SessionCommand::Restart, SessionCommand::Stop];
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

/// Body of a command; it has no fields.
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
