//! A session: one connected agent.

use super::SessionView;
use crate::telemetry::ServingAgent;
use postern_api::Timestamp;
use postern_tunnel::{AgentHost, ServerSession};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// An agent that is connected.
pub(crate) struct Session {
    pub(crate) id: String,
    /// The KSUID of its credential, as in authtokens.
    pub(crate) credential_key: String,
    /// The whole id of its credential.
    pub(crate) credential: String,
    /// The user or bot user the credential belongs to.
    pub(crate) owner: String,
    pub(crate) instance: String,
    /// Random for each start of the agent; empty for older agents.
    pub(crate) run: String,
    pub(crate) agent_version: String,
    pub(crate) os: String,
    /// The machine it runs on, if it has told it.
    pub(crate) host: Option<AgentHost>,
    pub(crate) metadata: String,
    pub(crate) remote_management: bool,
    pub(crate) peer: SocketAddr,
    pub(crate) started_at: Timestamp,
    pub(crate) link: ServerSession,
    /// Whether its agent lets it go in peace.
    pub(crate) draining: AtomicBool,
    /// The node the agent is connected to, if it is not this one; then `link` leads to that node.
    pub(crate) node: Option<Arc<str>>,
}

impl Session {
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// The agent as requests name it.
    pub(crate) fn serving_agent(&self) -> Arc<ServingAgent> {
        Arc::new(ServingAgent { session: self.id.clone(), credential: self.credential.clone() })
    }

    pub(crate) fn view(&self) -> SessionView {
        SessionView {
            id: self.id.clone(),
            credential: self.credential.clone(),
            instance: self.instance.clone(),
            agent_version: self.agent_version.clone(),
            os: self.os.clone(),
            host: self.host.clone(),
            address: self.peer.ip(),
            started_at: self.started_at,
            transport: String::from_utf8_lossy(postern_tunnel::ALPN).into_owned(),
            metadata: self.metadata.clone(),
            remote_management: self.remote_management,
            latency: if self.is_remote() { None } else { self.link.latency() },
            node: self.node.clone(),
        }
    }

    /// Whether the agent is connected to another node.
    pub(crate) fn is_remote(&self) -> bool {
        self.node.is_some()
    }

    /// Whether the session holds its names only until `newer`, a session of the same agent, binds them.
    pub(crate) fn yields_to(&self, newer: &Session) -> bool {
        self.id != newer.id && self.is_draining() && self.same_agent(newer)
    }

    /// Whether a session that another node has just announced is that of the same agent instance after another start: the
    /// agent was restarted, or copied to another machine. As at one node, the newer session is served.
    pub(crate) fn is_superseded_by(&self, other: &Session) -> bool {
        let is_of_other_start = !self.run.is_empty() && !other.run.is_empty() && self.run != other.run;
        self.same_agent(other) && is_of_other_start && self.id < other.id
    }

    /// Whether both sessions belong to the same agent instance. Instances choose their own ids, so the credential
    /// must match too.
    pub(crate) fn same_agent(&self, other: &Session) -> bool {
        self.credential_key == other.credential_key && self.instance == other.instance && !self.instance.is_empty()
    }
}
