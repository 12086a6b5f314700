//! What is stored of an agent, so that it is known while it is away.

use super::ConnectedAgent;
use crate::store::Store;
use postern_api::{
    Code, Error, Result, Timestamp,
    resource::{AgentChange, AgentState},
};
use serde::{Deserialize, Serialize};

/// Prefix of the keys of agents.
pub(crate) const AGENTS: &str = "agents/";
/// Key of the time at which a server last saw the connected agents.
pub(crate) const HEARTBEAT: &str = "agents_seen";
/// Changes that are kept of an agent.
const MAX_CHANGES: usize = 20;
/// Characters of a version or system that are kept.
const MAX_CHARS: usize = 100;

/// Key of an agent.
pub(crate) fn key(id: &str) -> String {
    format!("{AGENTS}{id}")
}

/// An agent as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredAgent {
    pub(crate) credential: String,
    #[serde(default)]
    pub(crate) host_name: String,
    #[serde(default)]
    pub(crate) account: String,
    #[serde(default)]
    pub(crate) agent_version: String,
    #[serde(default)]
    pub(crate) os: String,
    #[serde(default)]
    pub(crate) ip: String,
    pub(crate) first_seen: Timestamp,
    /// When it was connected for the last time; `None` if it was connected when this was written. Then the heartbeat tells it.
    #[serde(default)]
    pub(crate) last_seen: Option<Timestamp>,
    /// When it came and went, the newest first.
    #[serde(default)]
    pub(crate) changes: Vec<AgentChange>,
}

impl StoredAgent {
    /// A connected agent; `former` is what was stored of it.
    pub(crate) fn of(agent: &ConnectedAgent, former: Option<&StoredAgent>) -> Self {
        let newest = agent.newest();
        let since = agent.sessions().last().map_or(newest.started_at, |oldest| oldest.started_at);
        let mut changes = former.map(|former| former.changes.clone()).unwrap_or_default();
        if former.is_none_or(|former| former.last_seen.is_some()) {
            changes.insert(0, AgentChange { state: AgentState::Online, at: since });
            changes.truncate(MAX_CHANGES);
        }
        let short = |text: &str| text.chars().filter(|char| !char.is_control()).take(MAX_CHARS).collect();
        StoredAgent {
            credential: newest.credential.clone(),
            host_name: newest.host_name.clone(),
            account: newest.account.clone(),
            agent_version: short(&newest.agent_version),
            os: short(&newest.os),
            ip: newest.address.to_canonical().to_string(),
            first_seen: former.map_or(since, |former| former.first_seen),
            last_seen: None,
            changes,
        }
    }

    /// The same agent, gone since `at`.
    pub(crate) fn gone(&self, at: Timestamp) -> Self {
        let mut gone = StoredAgent { last_seen: Some(at), ..self.clone() };
        gone.changes.insert(0, AgentChange { state: AgentState::Away, at });
        gone.changes.truncate(MAX_CHANGES);
        gone
    }

    /// When an agent that is away was last connected.
    pub(crate) fn seen(&self, heartbeat: Option<Timestamp>) -> Timestamp {
        let latest = self.changes.first().map_or(self.first_seen, |change| change.at);
        self.last_seen.or(heartbeat).unwrap_or(latest).max(latest)
    }
}

/// Reads a stored agent.
///
/// # Errors
/// If it has another form.
pub(crate) fn read(value: &[u8]) -> Result<StoredAgent> {
    serde_json::from_slice(value)
        .map_err(|error| Error::new(Code::Internal, format!("What is known of the agent cannot be read: {error}.")))
}

/// The time at which a server last saw the connected agents.
///
/// # Errors
/// If the store fails.
pub(crate) async fn last_heartbeat(store: &dyn Store) -> Result<Option<Timestamp>> {
    Ok(store.get(HEARTBEAT).await?.and_then(|entry| serde_json::from_slice(&entry.value).ok()))
}
