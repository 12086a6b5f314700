//! Tunnel groups: which tunnels carry the labels a backend selects, and whose turn it is.

use crate::sessions::Tunnel;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The tunnels of one group.
#[derive(Clone, Default)]
pub(super) struct Group {
    members: Vec<Arc<Tunnel>>,
    turn: Arc<AtomicUsize>,
}

impl Group {
    /// The tunnels that carry all of these labels; turns go on where they were.
    pub(super) fn of(labels: &BTreeMap<String, String>, tunnels: &[Arc<Tunnel>], before: Option<&Group>) -> Self {
        let members = tunnels.iter().filter(|tunnel| tunnel.carries(labels)).cloned().collect();
        Group { members, turn: before.map(|group| group.turn.clone()).unwrap_or_default() }
    }

    /// All members, whose turn it is first.
    pub(super) fn in_turn(&self) -> impl Iterator<Item = &Arc<Tunnel>> {
        let count = self.members.len();
        let turn = if count > 1 { self.turn.fetch_add(1, Ordering::Relaxed) % count } else { 0 };
        self.members[turn..].iter().chain(&self.members[..turn])
    }
}
