//! Changes from one configuration to another, so that a follower applies only those.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, OnceLock},
};

/// Position of a configuration in the sequence of all. A follower that keeps the cursor of the configuration it has applied
/// can query the changes up to a later one; steps that no follower needs any more are dropped.
#[derive(Clone, Default)]
pub struct ChangeCursor(Arc<Step>);

#[derive(Default)]
struct Step {
    next: OnceLock<(Changed, ChangeCursor)>,
}

/// Changed, removed and added objects, by id where there may be many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// HTTPS edges, their routes included.
    pub https_edges: BTreeSet<String>,
    /// TLS edges.
    pub tls_edges: BTreeSet<String>,
    /// TCP edges.
    pub tcp_edges: BTreeSet<String>,
    /// Backends.
    pub backends: BTreeSet<String>,
    /// Whether any credential has changed.
    pub credentials: bool,
}

impl ChangeCursor {
    /// Cursor of the next configuration. Each has one successor; a cursor of another sequence is recognized, and a
    /// follower starts over there.
    #[must_use]
    pub fn then(&self, changed: Changed) -> ChangeCursor {
        let next = ChangeCursor::default();
        let _ = self.0.next.set((changed, next.clone()));
        next
    }

    /// Changes up to a later cursor; `None` if `later` does not follow this one.
    pub fn until(&self, later: &ChangeCursor) -> Option<Changed> {
        let mut all = Changed::default();
        let mut at = self;
        while !Arc::ptr_eq(&at.0, &later.0) {
            let (changed, next) = at.0.next.get()?;
            all.https_edges.extend(changed.https_edges.iter().cloned());
            all.tls_edges.extend(changed.tls_edges.iter().cloned());
            all.tcp_edges.extend(changed.tcp_edges.iter().cloned());
            all.backends.extend(changed.backends.iter().cloned());
            all.credentials |= changed.credentials;
            at = next;
        }
        Some(all)
    }
}

impl fmt::Debug for ChangeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChangeCursor(…)")
    }
}

impl Drop for Step {
    /// Iterative, because dropping a long chain recursively would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some((_, cursor)) = next {
            next = Arc::into_inner(cursor.0).and_then(|mut step| step.next.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(id: &str) -> Changed {
        Changed { tcp_edges: [id.to_owned()].into(), ..Changed::default() }
    }

    #[test]
    fn all_changes_between_two_cursors_are_reported() {
        let first = ChangeCursor::default();
        let second = first.then(edge("edgtcp_1"));
        let third = second.then(Changed { credentials: true, ..edge("edgtcp_2") });
        assert_eq!(first.until(&first), Some(Changed::default()));
        assert_eq!(first.until(&second), Some(edge("edgtcp_1")));
        let both = ["edgtcp_1".to_owned(), "edgtcp_2".to_owned()].into();
        assert_eq!(first.until(&third), Some(Changed { tcp_edges: both, credentials: true, ..Changed::default() }));
        assert_eq!(third.until(&first), None, "cursors only go forward");
        let other = second.then(edge("edgtcp_3"));
        assert_eq!(
            (second.until(&other), first.until(&ChangeCursor::default())),
            (None, None),
            "cursors of other sequences are unknown"
        );
    }

    #[test]
    fn a_long_chain_is_dropped_without_overflow() {
        let first = ChangeCursor::default();
        let last = (0..200_000).fold(first.clone(), |cursor, _| cursor.then(Changed::default()));
        assert!(first.until(&last).is_some());
        drop(first);
        assert!(last.until(&last).is_some());
    }
}
