//! How many connections there may be: altogether, and from one address.

use crate::{
    net::Proxies,
    refusal::{Fault, Refusal},
};
use postern_api::{Code, Error};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Shards of the counters, so that listeners seldom contend for a lock.
const SHARDS: usize = 16;
/// The `Retry-After` of a refusal.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The places of one listener.
pub(crate) struct ConnectionLimiter {
    all: Arc<Semaphore>,
    per_address: usize,
    /// Permits of connections over a limit, which are told the reason: one pool for each limit, so that a single
    /// address cannot use up the pool of all others.
    overflow: [Arc<Semaphore>; 2],
    /// The trusted proxies.
    pub(crate) proxies: Proxies,
    hasher: RandomState,
    counts: [Mutex<HashMap<IpAddr, usize>>; SHARDS],
}

/// The permit of one connection, released when dropped.
pub(crate) struct ConnectionPermit {
    _permit: OwnedSemaphorePermit,
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
    pub(crate) fn new(all: usize, per_address: usize, overflow: usize, proxies: Proxies) -> Arc<Self> {
        let (all, hasher) = (Arc::new(Semaphore::new(all)), RandomState::new());
        let overflow = [(); 2].map(|()| Arc::new(Semaphore::new(overflow)));
        Arc::new(ConnectionLimiter { all, per_address, overflow, proxies, hasher, counts: Default::default() })
    }

    /// A permit to be told the reason; `None` if the overflow is used up too.
    pub(crate) fn overflow_permit(&self, limit_reached: LimitReached) -> Option<ConnectionPermit> {
        let permit = self.overflow[limit_reached as usize].clone().try_acquire_owned().ok()?;
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
        let permit = self.all.clone().try_acquire_owned().map_err(|_| LimitReached::Total)?;
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
        if *count >= self.per_address {
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
        let limiter = ConnectionLimiter::new(4, 2, 1, Proxies::default());
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
        assert_eq!(limiter.all.available_permits(), 4);
    }
}
