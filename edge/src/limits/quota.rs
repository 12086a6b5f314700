//! An amount that many share, such as memory or open connections; its limit can change while it is in use.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The shared amount, in any unit.
#[derive(Debug)]
pub(crate) struct Quota {
    used: AtomicUsize,
    limit: AtomicUsize,
}

/// A part of the amount, given back when dropped.
#[derive(Debug)]
pub(crate) struct QuotaPermit {
    quota: Arc<Quota>,
    amount: usize,
}

impl Quota {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Quota { used: AtomicUsize::new(0), limit: AtomicUsize::new(limit) })
    }

    /// Changes the limit. What is in use beyond a lower one stays in use; nothing more is given until enough has come back.
    pub(crate) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// A part of the amount, unless that would exceed the limit.
    pub(crate) fn acquire(self: &Arc<Self>, amount: usize) -> Option<QuotaPermit> {
        let limit = self.limit.load(Ordering::Relaxed);
        let more = |used: usize| used.checked_add(amount).filter(|sum| *sum <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(QuotaPermit { quota: self.clone(), amount })
    }

    /// How much is in use.
    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl QuotaPermit {
    /// Joins another part of the same quota to this one.
    pub(crate) fn merge(&mut self, mut other: QuotaPermit) {
        debug_assert!(Arc::ptr_eq(&self.quota, &other.quota), "parts of one quota are joined");
        self.amount += std::mem::take(&mut other.amount);
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        self.quota.used.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_limit_is_given_and_all_of_it_comes_back() {
        let quota = Quota::new(10);
        let mut first = quota.acquire(4).expect("there is room");
        first.merge(quota.acquire(6).expect("exactly the rest"));
        assert!(quota.acquire(1).is_none());
        drop(first);
        assert_eq!(quota.used(), 0);
        assert!(quota.acquire(11).is_none() && quota.acquire(usize::MAX).is_none());
        assert!(quota.acquire(10).is_some());
    }

    #[test]
    fn a_changed_limit_holds_at_once_for_what_is_asked_next() {
        let quota = Quota::new(4);
        let open = [(); 4].map(|()| quota.acquire(1).expect("there is room"));
        quota.set_limit(2);
        let [first, second, third, fourth] = open;
        drop((first, second));
        assert!(quota.acquire(1).is_none(), "two are open, as many as there may be");
        drop(third);
        assert!(quota.acquire(1).is_some());
        quota.set_limit(3);
        assert!(quota.acquire(2).is_some());
        drop(fourth);
    }
}
