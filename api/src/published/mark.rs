//! What has changed from one configuration to another, so that whoever follows applies that and nothing else.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, OnceLock},
};

/// The place of a configuration in the order of all. Who keeps the mark of the one it has applied can ask what has
/// changed up to a later one; steps that nobody has before them any more are forgotten.
#[derive(Clone, Default)]
pub struct Mark(Arc<Step>);

#[derive(Default)]
struct Step {
    next: OnceLock<(Changed, Mark)>,
}

/// What is other than before, or no more, or new: by id where there may be many.
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

impl Mark {
    /// The mark of the configuration after this one. Only one comes after each: the mark of another is told apart from
    /// all, and who follows begins anew there.
    #[must_use]
    pub fn then(&self, changed: Changed) -> Mark {
        let next = Mark::default();
        let _ = self.0.next.set((changed, next.clone()));
        next
    }

    /// What has changed from here up to a later mark; `None` if that does not come after this one.
    pub fn until(&self, later: &Mark) -> Option<Changed> {
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

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mark(…)")
    }
}

impl Drop for Step {
    /// One after the other: a long way would be too deep to be left one within the other.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some((_, mark)) = next {
            next = Arc::into_inner(mark.0).and_then(|mut step| step.next.take());
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
    fn all_changes_between_two_marks_are_told() {
        let first = Mark::default();
        let second = first.then(edge("edgtcp_1"));
        let third = second.then(Changed { credentials: true, ..edge("edgtcp_2") });
        assert_eq!(first.until(&first), Some(Changed::default()));
        assert_eq!(first.until(&second), Some(edge("edgtcp_1")));
        let both = ["edgtcp_1".to_owned(), "edgtcp_2".to_owned()].into();
        assert_eq!(first.until(&third), Some(Changed { tcp_edges: both, credentials: true, ..Changed::default() }));
        assert_eq!(third.until(&first), None, "there is no way back");
        let other = second.then(edge("edgtcp_3"));
        assert_eq!((second.until(&other), first.until(&Mark::default())), (None, None), "these lie nowhere");
    }

    #[test]
    fn a_long_way_is_left_behind_without_harm() {
        let first = Mark::default();
        let last = (0..200_000).fold(first.clone(), |mark, _| mark.then(Changed::default()));
        assert!(first.until(&last).is_some());
        drop(first);
        assert!(last.until(&last).is_some());
    }
}
