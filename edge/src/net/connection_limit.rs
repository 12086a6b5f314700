//! How many connections there may be: altogether, and from one address.

use crate::{
    limits::{Limits, Quota, QuotaPermit},
    net::Proxies,
    refusal::{Fault, Refusal},
};
use arc_swap::{ArcSwap, Guard};
use postern_api::{Code, Error};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Shards of the counters, so that listeners seldom contend for a lock.
const SHARDS: usize = 16;
/// The `Retry-After` of a refusal.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The places of one listener.
pub(crate) struct ConnectionLimiter {
    all: Arc<Quota>,
    per_address: AtomicUsize,
    /// Permits of connections over a limit, which are told the reason: one pool for each limit, so that a single
    /// address cannot use up the pool of all others.
    overflow: [Arc<Quota>; 2],
    proxies: ArcSwap<Proxies>,
    hasher: RandomState,
    counts: [Mutex<HashMap<IpAddr, usize>>; SHARDS],
}

/// The permit of one connection, released when dropped.
pub(crate) struct ConnectionPermit {
    _permit: QuotaPermit,
    counted: Option<(Arc<ConnectionLimiter>, IpAddr)>,
    /// Set for an overflow permit.
    limit_reached: Option<LimitReached>,
}

impl ConnectionPermit {
    /// The limit that the connection exceeds; `None` for a regular permit.
    pub(crate) fn limit_reached(&self) -> Option<LimitReached> {
        self.limit_reached
    }
}

/// A connection limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitReached {
    /// This address has as many connections as it may.
    PerAddress,
    /// There are as many connections as there may be.
    Total,
}

impl LimitReached {
    /// In a word, for the log and the metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LimitReached::PerAddress => "address",
            LimitReached::Total => "all",
        }
    }

    /// The refusal that a visitor gets.
    pub(crate) fn refusal(self) -> Refusal {
        let (code, message) = match self {
            LimitReached::PerAddress => {
                (Code::AddressBusy, "Your address has as many connections open as it may. Close some, or try again.")
            }
            LimitReached::Total => (
                Code::EdgeBusy,
                "The server has as many connections open as it can at the moment. Try again in a moment.",
            ),
        };
        Refusal::new(Fault::Us, Error::new(code, message)).retry_after(RETRY_AFTER)
    }
}

impl ConnectionLimiter {
    /// `overflow` is the number of connections over each limit that are told the reason at the same time.
    pub(crate) fn new(limits: &Limits, overflow: usize, proxies: Proxies) -> Arc<Self> {
        Arc::new(ConnectionLimiter {
            all: Quota::new(limits.connections),
            per_address: AtomicUsize::new(limits.connections_per_address),
            overflow: [(); 2].map(|()| Quota::new(overflow)),
            proxies: ArcSwap::from_pointee(proxies),
            hasher: RandomState::new(),
            counts: Default::default(),
        })
    }

    /// Changes the limits for connections that are accepted from now on; open ones stay open and are counted.
    pub(crate) fn set_limits(&self, limits: &Limits) {
        self.all.set_limit(limits.connections);
        self.per_address.store(limits.connections_per_address, Ordering::Relaxed);
    }

    /// Changes the trusted proxies for connections that are accepted from now on.
    pub(crate) fn set_proxies(&self, proxies: Arc<Proxies>) {
        self.proxies.store(proxies);
    }

    /// The trusted proxies.
    pub(crate) fn proxies(&self) -> Guard<Arc<Proxies>> {
        self.proxies.load()
    }

    /// A permit to be told the reason; `None` if the overflow is used up too.
    pub(crate) fn overflow_permit(&self, limit_reached: LimitReached) -> Option<ConnectionPermit> {
        let permit = self.overflow[limit_reached as usize].acquire(1)?;
        Some(ConnectionPermit { _permit: permit, counted: None, limit_reached: Some(limit_reached) })
    }

    /// A permit for this address, unless a limit is reached. Loopback is not counted by address: a reverse proxy on
    /// this machine connects for many visitors.
    pub(crate) fn acquire(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, LimitReached> {
        let mut permit = self.acquire_uncounted()?;
        self.count_address(&mut permit, address)?;
        Ok(permit)
    }

    /// A permit for a connection whose visitor is not known yet.
    pub(crate) fn acquire_uncounted(&self) -> Result<ConnectionPermit, LimitReached> {
        let permit = self.all.acquire(1).ok_or(LimitReached::Total)?;
        Ok(ConnectionPermit { _permit: permit, counted: None, limit_reached: None })
    }

    /// Counts a permit for an address, unless its limit is reached.
    pub(crate) fn count_address(
        self: &Arc<Self>,
        permit: &mut ConnectionPermit,
        address: IpAddr,
    ) -> Result<(), LimitReached> {
        if address.is_loopback() {
            return Ok(());
        }
        let mut counts = self.counts(address);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address.load(Ordering::Relaxed) {
            return Err(LimitReached::PerAddress);
        }
        *count += 1;
        drop(counts);
        permit.counted = Some((self.clone(), address));
        Ok(())
    }

    fn counts(&self, address: IpAddr) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        let shard = self.hasher.hash_one(address) as usize % SHARDS;
        self.counts[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Some((limiter, address)) = self.counted.take() {
            let mut counts = limiter.counts(address);
            if let Some(count) = counts.get_mut(&address) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&address);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_every_place() {
        let limits = Limits { connections: 4, connections_per_address: 2, ..Limits::default() };
        let limiter = ConnectionLimiter::new(&limits, 1, Proxies::default());
        let address: IpAddr = "203.0.113.9".parse().expect("an address");
        let (first, second) = (limiter.acquire(address), limiter.acquire(address));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(limiter.acquire(address).err(), Some(LimitReached::PerAddress));
        assert!(limiter.acquire("203.0.113.10".parse().expect("an address")).is_ok());
        drop(first);
        let first = limiter.acquire(address);
        assert!(first.is_ok(), "a released permit is free again");
        let local = [(); 3].map(|()| limiter.acquire([127, 0, 0, 1].into()));
        assert!(local[0].is_ok() && local[1].is_ok(), "loopback is not counted");
        assert_eq!(local[2].as_ref().err(), Some(&LimitReached::Total));
        let overflow = limiter.overflow_permit(LimitReached::PerAddress);
        assert_eq!(overflow.as_ref().and_then(ConnectionPermit::limit_reached), Some(LimitReached::PerAddress));
        assert!(limiter.overflow_permit(LimitReached::PerAddress).is_none(), "there is one for each reason");
        assert!(limiter.overflow_permit(LimitReached::Total).is_some());
        drop(overflow);
        assert!(limiter.overflow_permit(LimitReached::PerAddress).is_some());
        drop((first, second, local));
        assert!(limiter.counts.iter().all(|counts| counts.lock().expect("sound").is_empty()), "nothing is left behind");
        assert_eq!(limiter.all.used(), 0);
    }
}
