//! Tunnel groups: which tunnels carry the labels a backend selects, and whose turn it is.

use super::Tunnel;
use arc_swap::ArcSwap;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// All groups by the id of their backend. Rebuilt when labels or tunnels change, read without locks.
#[derive(Default)]
pub(crate) struct Groups(ArcSwap<HashMap<String, Group>>);

#[derive(Clone, Default)]
struct Group {
    members: Vec<Arc<Tunnel>>,
    turn: Arc<AtomicUsize>,
}

impl Groups {
    /// The tunnels of a group, whose turn it is first. `None` if there is no such backend.
    pub(crate) fn in_turn(&self, backend: &str) -> Option<Vec<Arc<Tunnel>>> {
        let groups = self.0.load();
        let group = groups.get(backend)?;
        let mut members = group.members.clone();
        if members.len() > 1 {
            let turn = group.turn.fetch_add(1, Ordering::Relaxed) % members.len();
            members.rotate_left(turn);
        }
        Some(members)
    }

    /// Takes new selectors and tunnels; turns go on where they were.
    pub(crate) fn rebuild(&self, selectors: &HashMap<String, BTreeMap<String, String>>, tunnels: &[Arc<Tunnel>]) {
        let before = self.0.load();
        let groups = selectors
            .iter()
            .map(|(backend, selector)| {
                let members = tunnels.iter().filter(|tunnel| tunnel.carries(selector)).cloned().collect();
                let turn = before.get(backend).map(|group| group.turn.clone()).unwrap_or_default();
                (backend.clone(), Group { members, turn })
            })
            .collect();
        self.0.store(Arc::new(groups));
    }
}
