//! Agents that are or were connected: who they are from session to session, and what is stored of them.

mod deletion;
mod recorder;
mod stored_agent;

pub(crate) use recorder::AgentRecorder;
pub(crate) use stored_agent::{AGENTS, StoredAgent, key, last_heartbeat, read};

use crate::LiveSession;
use aws_lc_rs::digest::{Context, SHA256};
use postern_api::{
    Id,
    id::{Kind, ksuid},
    resource::Agent,
};
use std::collections::BTreeMap;

/// The first second that an id can have: ids of agents are derived and have no time of their own.
const FIRST_SECOND: i64 = 1_400_000_000;

/// A connected agent.
pub(crate) struct ConnectedAgent {
    /// At least one, the newest first.
    sessions: Vec<LiveSession>,
}

impl ConnectedAgent {
    /// Its newest session, whose description counts.
    pub(crate) fn newest(&self) -> &LiveSession {
        &self.sessions[0]
    }

    /// All of its sessions, the newest first.
    pub(crate) fn sessions(&self) -> &[LiveSession] {
        &self.sessions
    }
}

/// The lasting id of an agent. Agents have one: the instance in the file of their state, which also keeps their names from
/// session to session. It counts together with the credential, because agents choose it themselves. An agent that is older than
/// instances is known by its credential, host and account. `None` if the id of the credential is unreadable.
pub(crate) fn id_of(session: &LiveSession) -> Option<Id<Agent>> {
    let parts = match session.instance.as_str() {
        "" => [session.credential.as_str(), &session.host_name, &session.account],
        instance => [session.credential.as_str(), instance, ""],
    };
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    let number = *context.finish().as_ref().first_chunk()?;
    Id::parse(&format!("{}_{}", Agent::PREFIX, ksuid(FIRST_SECOND, number))).ok()
}

/// The connected agents by id.
pub(crate) fn connected(sessions: Vec<LiveSession>) -> BTreeMap<Id<Agent>, ConnectedAgent> {
    let mut agents: BTreeMap<Id<Agent>, ConnectedAgent> = BTreeMap::new();
    for session in sessions {
        let Some(id) = id_of(&session) else { continue };
        agents.entry(id).or_insert_with(|| ConnectedAgent { sessions: Vec::new() }).sessions.push(session);
    }
    for agent in agents.values_mut() {
        agent.sessions.sort_by(|one, other| other.id.cmp(&one.id));
    }
    agents
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::Timestamp;

    fn session(id: &str, instance: &str, host_name: &str) -> LiveSession {
        LiveSession {
            id: id.to_owned(),
            credential: "cr_1".to_owned(),
            agent_version: String::new(),
            os: String::new(),
            instance: instance.to_owned(),
            host_name: host_name.to_owned(),
            account: "ada".to_owned(),
            address: std::net::Ipv4Addr::LOCALHOST.into(),
            transport: "postern/1".to_owned(),
            metadata: String::new(),
            remote_management: true,
            started_at: Timestamp::now(),
            node: None,
        }
    }

    #[test]
    fn an_agent_keeps_its_id_from_session_to_session() {
        let one = id_of(&session("ts_1", "a", "web")).expect("an id");
        assert_eq!(id_of(&session("ts_2", "a", "renamed")), Some(one.clone()));
        assert_ne!(id_of(&session("ts_2", "b", "web")), Some(one.clone()));
        let other_credential = LiveSession { credential: "cr_2".to_owned(), ..session("ts_1", "a", "web") };
        assert_ne!(id_of(&other_credential), Some(one));
    }

    #[test]
    fn agents_without_an_instance_are_told_apart_by_host() {
        let one = id_of(&session("ts_1", "", "web"));
        assert_eq!(id_of(&session("ts_2", "", "web")), one);
        assert_ne!(id_of(&session("ts_2", "", "db")), one);
    }

    #[test]
    fn sessions_of_one_agent_are_put_together() {
        let all = connected(vec![session("ts_1", "a", "old"), session("ts_3", "a", "new"), session("ts_2", "b", "x")]);
        let of_a = &all[&id_of(&session("", "a", "")).expect("an id")];
        assert_eq!((all.len(), of_a.newest().host_name.as_str()), (2, "new"));
        assert_eq!(of_a.sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["ts_3", "ts_1"]);
    }
}
