//! The table of tunnels behind its lock. Nothing in here waits.

use super::leg::{Leg, Phase};
use crate::config::Definition;
use postern_api::Error;
use postern_tunnel::AgentSession;
use std::{collections::BTreeMap, sync::Arc};

/// All tunnels by name, and the session they are bound in.
#[derive(Default)]
pub(super) struct Table {
    pub(super) entries: BTreeMap<String, Entry>,
    pub(super) session: Option<(u64, AgentSession)>,
    pub(super) generation: u64,
}

/// A tunnel that is configured, or active, or both.
#[derive(Default)]
pub(super) struct Entry {
    /// What the configuration says; `None` if it was started by the API or the command line only.
    pub(super) saved: Option<Arc<Definition>>,
    /// What runs or shall run.
    pub(super) active: Option<Active>,
    /// Why the last start did not even get as far as the server.
    pub(super) problem: Option<Error>,
}

pub(super) struct Active {
    pub(super) definition: Arc<Definition>,
    pub(super) halves: Vec<Half>,
}

pub(super) struct Half {
    pub(super) leg: Arc<Leg>,
    pub(super) phase: Phase,
    /// The public address; the last one while it waits for the next session.
    pub(super) url: Option<String>,
}

impl Table {
    pub(super) fn halves(&self) -> impl Iterator<Item = &Half> {
        self.entries.values().filter_map(|entry| entry.active.as_ref()).flat_map(|active| &active.halves)
    }

    pub(super) fn halves_mut(&mut self) -> impl Iterator<Item = &mut Half> {
        self.entries.values_mut().filter_map(|entry| entry.active.as_mut()).flat_map(|active| &mut active.halves)
    }
}

impl Entry {
    pub(super) fn half(&self, leg_name: &str) -> Option<&Half> {
        self.active.as_ref()?.halves.iter().find(|half| half.leg.name == leg_name)
    }
}

impl Active {
    pub(super) fn failure(&self) -> Option<&Error> {
        self.halves.iter().find_map(|half| match &half.phase {
            Phase::Failed(error) => Some(error),
            _ => None,
        })
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure().is_some()
    }

    pub(super) fn is_running(&self) -> bool {
        self.halves.iter().all(|half| matches!(half.phase, Phase::Running(_)))
    }
}

impl Half {
    pub(super) fn new(leg: Arc<Leg>) -> Self {
        Half { leg, phase: Phase::Starting, url: None }
    }
}
