//! Tunnel groups: the tunnels with the labels that a backend selects, used in turn.

use super::TunnelUpstream;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The tunnels of one group.
#[derive(Clone, Default)]
pub(crate) struct TunnelGroup {
    members: Vec<Arc<TunnelUpstream>>,
    turn: Arc<AtomicUsize>,
}

impl TunnelGroup {
    /// The tunnels that carry all of these labels; the turn continues where it was.
    pub(crate) fn of(
        labels: &BTreeMap<String, String>,
        tunnels: &[Arc<TunnelUpstream>],
        before: Option<&TunnelGroup>,
    ) -> Self {
        let members = tunnels.iter().filter(|tunnel| tunnel.carries(labels)).cloned().collect();
        TunnelGroup { members, turn: before.map(|group| group.turn.clone()).unwrap_or_default() }
    }

    /// Whether both groups have the same members.
    pub(crate) fn has_members_of(&self, other: &TunnelGroup) -> bool {
        let pairs = self.members.iter().zip(&other.members);
        self.members.len() == other.members.len() && pairs.into_iter().all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// All members, beginning with the next in turn.
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = &Arc<TunnelUpstream>> {
        let count = self.members.len();
        let turn = if count > 1 { self.turn.fetch_add(1, Ordering::Relaxed) % count } else { 0 };
        self.members[turn..].iter().chain(&self.members[..turn])
    }
}
