//! Writes down which agents come and go. Nothing is written while no agent does, but for a time once a minute.

use super::{
    ConnectedAgent, connected,
    stored_agent::{AGENTS, HEARTBEAT, StoredAgent, key, last_heartbeat},
};
use crate::{
    resources::{CommitPlan, Resources, to_json},
    store::{CommitCondition, CommitOutcome, Page, Range},
};
use postern_api::{Id, Result, Timestamp, resource::Agent};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Time between two looks at the sessions. Agents that come and go within it are written together.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two commits that say that the connected agents are still there.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(60);
/// Time that agents have to come back after the server has started, before they count as away.
const RETURN_TIME: Duration = Duration::from_secs(30);
/// Agents that are kept at most. Those that have been away longest are forgotten first.
const MAX_AGENTS: usize = 10_000;
/// Time for which an agent that is away is kept, in seconds.
const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;
/// Writes of one commit at most.
const MAX_WRITES: usize = 100;

/// Writes down which agents come and go; at one node, for all of them.
pub(crate) struct AgentRecorder {
    resources: Arc<Resources>,
    /// What is stored.
    known: BTreeMap<Id<Agent>, StoredAgent>,
    /// Agents that were connected when the former recorder ended and have not come back yet: stored as connected, and known
    /// here as gone since the latest heartbeat.
    returning: BTreeSet<Id<Agent>>,
}

impl AgentRecorder {
    pub(crate) fn new(resources: Arc<Resources>) -> Self {
        AgentRecorder { resources, known: BTreeMap::new(), returning: BTreeSet::new() }
    }

    /// Records until the server ends.
    pub(crate) async fn run(mut self) {
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let started = Instant::now();
        let (mut is_loaded, mut is_failing) = (false, false);
        let mut written_at: Option<Instant> = None;
        let mut seen_changes = None;
        loop {
            looks.tick().await;
            let changes = self.resources.live.session_changes();
            let is_settled = started.elapsed() >= RETURN_TIME;
            let is_overdue = is_settled && !self.returning.is_empty();
            let is_incomplete = !self.resources.live.missing_nodes().is_empty();
            let is_due = written_at.is_none_or(|at| at.elapsed() >= HEARTBEAT_INTERVAL);
            let is_same = changes.is_some() && changes == seen_changes;
            if is_same && is_loaded && !is_due && !is_overdue && !is_incomplete {
                continue;
            }
            let outcome = async {
                if !is_loaded {
                    self.load().await?;
                    is_loaded = true;
                }
                // Agents of a node that is not linked at the moment are not gone.
                self.record((is_settled, is_incomplete), is_due).await
            }
            .await;
            match &outcome {
                Ok(()) => {
                    seen_changes = changes;
                    if is_due {
                        written_at = Some(Instant::now());
                    }
                }
                Err(error) if !is_failing => {
                    tracing::warn!(code = %error.code, "agents are not recorded for now: {}", error.message);
                }
                Err(_) => {}
            }
            is_failing = outcome.is_err();
        }
    }

    async fn load(&mut self) -> Result<()> {
        let Page { entries, .. } = self.resources.store.range(Range::new(AGENTS, 2 * MAX_AGENTS)).await?;
        let id = |key: &str| Id::<Agent>::parse(key.strip_prefix(AGENTS)?).ok();
        let read =
            entries.iter().filter_map(|entry| Some((id(&entry.key)?, serde_json::from_slice(&entry.value).ok()?)));
        self.known = read.collect();
        let heartbeat = last_heartbeat(self.resources.store.as_ref()).await?;
        for (id, agent) in self.known.iter_mut().filter(|(_, agent)| agent.last_seen.is_none()) {
            *agent = agent.gone(agent.seen(heartbeat));
            self.returning.insert(id.clone());
        }
        Ok(())
    }

    /// Compares what is stored with the sessions, and writes the differences. With `is_due`, also that the connected agents
    /// were seen now, and what is too old is removed.
    async fn record(&mut self, (is_settled, is_incomplete): (bool, bool), is_due: bool) -> Result<()> {
        let now = Timestamp::new(postern_api::clock::now());
        let connected = connected(self.resources.live.sessions());
        loop {
            let mut changed = self.came(&connected);
            if !is_incomplete {
                changed.extend(self.went(&connected, now));
                if is_settled {
                    changed.extend(self.lost(&connected));
                }
            }
            if self.write(changed).await? {
                break;
            }
        }
        if is_due {
            let obsolete = obsolete(&self.known, now);
            self.remove(obsolete).await?;
            if !connected.is_empty() && self.returning.is_empty() {
                let mut plan = CommitPlan::default();
                plan.put(HEARTBEAT, to_json(&now)?);
                self.resources.store.commit(plan.into_commit()).await?;
            }
        }
        Ok(())
    }

    /// Agents that are connected and not stored as they are now.
    fn came(&self, connected: &BTreeMap<Id<Agent>, ConnectedAgent>) -> Vec<(Id<Agent>, StoredAgent)> {
        let mut room = MAX_AGENTS.saturating_sub(self.known.len());
        let mut changed = Vec::new();
        for (id, agent) in connected {
            let former = self.known.get(id);
            if former.is_none() {
                if room == 0 {
                    continue;
                }
                room -= 1;
            }
            let now = StoredAgent::of(agent, former);
            if former != Some(&now) {
                changed.push((id.clone(), now));
            }
        }
        changed
    }

    /// Agents that were connected at the latest look and are gone.
    fn went(&self, connected: &BTreeMap<Id<Agent>, ConnectedAgent>, now: Timestamp) -> Vec<(Id<Agent>, StoredAgent)> {
        let gone = self.known.iter().filter(|(id, agent)| agent.last_seen.is_none() && !connected.contains_key(*id));
        gone.map(|(id, agent)| (id.clone(), agent.gone(now))).collect()
    }

    /// Agents that have not come back after the server was started.
    fn lost(&self, connected: &BTreeMap<Id<Agent>, ConnectedAgent>) -> Vec<(Id<Agent>, StoredAgent)> {
        let lost = self.returning.iter().filter(|id| !connected.contains_key(*id));
        lost.filter_map(|id| Some((id.clone(), self.known.get(id)?.clone()))).collect()
    }

    /// Writes changed agents. `false` if one of them was forgotten by a caller meanwhile: it is no longer known then, and the
    /// changes are to be found again.
    async fn write(&mut self, changed: Vec<(Id<Agent>, StoredAgent)>) -> Result<bool> {
        for some in changed.chunks(MAX_WRITES) {
            let mut plan = CommitPlan::default();
            for (id, agent) in some {
                let key = key(id.as_str());
                if self.known.contains_key(id) {
                    plan.expect_present(&key);
                }
                plan.put(&key, to_json(agent)?);
            }
            if let CommitOutcome::Conflict(CommitCondition::Present(forgotten)) =
                self.resources.store.commit(plan.into_commit()).await?
            {
                let is_forgotten = |id: &Id<Agent>| key(id.as_str()) == forgotten;
                self.known.retain(|id, _| !is_forgotten(id));
                self.returning.retain(|id| !is_forgotten(id));
                return Ok(false);
            }
            for (id, agent) in some {
                self.returning.remove(id);
                self.known.insert(id.clone(), agent.clone());
            }
        }
        Ok(true)
    }

    async fn remove(&mut self, obsolete: BTreeSet<Id<Agent>>) -> Result<()> {
        let obsolete: Vec<Id<Agent>> = obsolete.into_iter().collect();
        for some in obsolete.chunks(MAX_WRITES) {
            let mut plan = CommitPlan::default();
            some.iter().for_each(|id| plan.delete(&key(id.as_str())));
            self.resources.store.commit(plan.into_commit()).await?;
            some.iter().for_each(|id| _ = self.known.remove(id));
        }
        Ok(())
    }
}

/// Agents that have been away for too long, or are too many.
fn obsolete(known: &BTreeMap<Id<Agent>, StoredAgent>, now: Timestamp) -> BTreeSet<Id<Agent>> {
    let away = known.iter().filter_map(|(id, agent)| Some((agent.last_seen?, id)));
    let mut away: Vec<(Timestamp, &Id<Agent>)> = away.collect();
    away.sort();
    // Some room for those that come next.
    let excess = known.len().saturating_sub(MAX_AGENTS - MAX_AGENTS / 10);
    let is_old = |seen: Timestamp| seen.seconds() + KEPT_SECONDS < now.seconds();
    let obsolete = away.iter().enumerate().filter(|(place, (seen, _))| *place < excess || is_old(*seen));
    obsolete.map(|(_, (_, id))| (*id).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::id::ksuid;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::new(jiff::Timestamp::from_second(seconds).expect("a moment"))
    }

    fn agents(last_seen: impl IntoIterator<Item = Option<i64>>) -> BTreeMap<Id<Agent>, StoredAgent> {
        let agent = |(number, seen): (usize, Option<i64>)| {
            let id = Id::parse(&format!("ag_{}", ksuid(1_500_000_000, (number as u128).to_be_bytes()))).expect("an id");
            let stored = StoredAgent {
                credential: String::new(),
                host_name: number.to_string(),
                account: String::new(),
                agent_version: String::new(),
                os: String::new(),
                ip: String::new(),
                first_seen: at(0),
                last_seen: seen.map(at),
                changes: Vec::new(),
            };
            (id, stored)
        };
        last_seen.into_iter().enumerate().map(agent).collect()
    }

    fn forgotten(known: &BTreeMap<Id<Agent>, StoredAgent>, now: i64) -> BTreeSet<&str> {
        obsolete(known, at(now)).iter().map(|id| known[id].host_name.as_str()).collect()
    }

    #[test]
    fn agents_are_forgotten_after_thirty_days_unless_they_are_connected() {
        let known = agents([None, Some(1_000), Some(2_000)]);
        assert_eq!(forgotten(&known, 1_000 + KEPT_SECONDS), BTreeSet::new());
        assert_eq!(forgotten(&known, 1_001 + KEPT_SECONDS), BTreeSet::from(["1"]));
        assert_eq!(forgotten(&known, 9_000 + KEPT_SECONDS), BTreeSet::from(["1", "2"]));
    }

    #[test]
    fn of_too_many_agents_those_that_were_away_longest_are_forgotten() {
        let known = agents((0..MAX_AGENTS).map(|number| (number > 0).then_some(number as i64)));
        let gone = forgotten(&known, 20_000);
        assert_eq!(gone.len(), MAX_AGENTS / 10);
        assert!(gone.contains("1") && gone.contains("1000") && !gone.contains("0") && !gone.contains("1001"));
    }
}
