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

/// Addresses are spread over so many counters, so that listeners seldom wait for one another.
const SHARDS: usize = 16;
/// When to try again if there is no place.
const PAUSE: Duration = Duration::from_secs(1);

/// The places of one listener.
pub(crate) struct ConnectionLimiter {
    all: Arc<Semaphore>,
    per_address: usize,
    /// Places at the door, for those who find none because of their address, and for those who find none at all: one
    /// address cannot keep all the others from hearing why.
    door: [Arc<Semaphore>; 2],
    /// Who speaks for others.
    pub(crate) proxies: Proxies,
    hasher: RandomState,
    counts: [Mutex<HashMap<IpAddr, usize>>; SHARDS],
}

/// The place of one connection, free again when dropped.
pub(crate) struct ConnectionPermit {
    _permit: OwnedSemaphorePermit,
    counted: Option<(Arc<ConnectionLimiter>, IpAddr)>,
    /// Why it is one at the door only.
    full: Option<LimitReached>,
}

impl ConnectionPermit {
    /// Why it is one at the door only, where one is told that there is no other.
    pub(crate) fn limit_reached(&self) -> Option<LimitReached> {
        self.full
    }
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitReached {
    /// This address has as many connections as it may.
    ThisAddress,
    /// There are as many connections as there may be.
    Everywhere,
}

impl LimitReached {
    /// In a word, for the log and the metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LimitReached::ThisAddress => "address",
            LimitReached::Everywhere => "all",
        }
    }

    /// What a visitor is told.
    pub(crate) fn refusal(self) -> Refusal {
        let (code, message) = match self {
            LimitReached::ThisAddress => {
                (Code::AddressBusy, "Your address has as many connections open as it may. Close some, or try again.")
            }
            LimitReached::Everywhere => (
                Code::EdgeBusy,
                "The server has as many connections open as it can at the moment. Try again in a moment.",
            ),
        };
        Refusal::new(Fault::Us, Error::new(code, message)).retry_after(PAUSE)
    }
}

impl ConnectionLimiter {
    /// `door` is how many at a time are told that they find no place, for each of both reasons.
    pub(crate) fn new(all: usize, per_address: usize, door: usize, proxies: Proxies) -> Arc<Self> {
        let (all, hasher) = (Arc::new(Semaphore::new(all)), RandomState::new());
        let door = [(); 2].map(|()| Arc::new(Semaphore::new(door)));
        Arc::new(ConnectionLimiter { all, per_address, door, proxies, hasher, counts: Default::default() })
    }

    /// A place to be told why there is none; or none even for that.
    pub(crate) fn at_the_door(&self, full: LimitReached) -> Option<ConnectionPermit> {
        let permit = self.door[full as usize].clone().try_acquire_owned().ok()?;
        Some(ConnectionPermit { _permit: permit, counted: None, full: Some(full) })
    }

    /// A place for this address, unless it has too many or there is none for anybody. Loopback is not counted: a
    /// reverse proxy on this machine speaks for everybody.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, LimitReached> {
        let mut place = self.admit_anybody()?;
        self.count(&mut place, address)?;
        Ok(place)
    }

    /// A place for somebody whose address is not known yet.
    pub(crate) fn admit_anybody(&self) -> Result<ConnectionPermit, LimitReached> {
        let permit = self.all.clone().try_acquire_owned().map_err(|_| LimitReached::Everywhere)?;
        Ok(ConnectionPermit { _permit: permit, counted: None, full: None })
    }

    /// Says whose place it is, unless they have too many.
    pub(crate) fn count(self: &Arc<Self>, place: &mut ConnectionPermit, address: IpAddr) -> Result<(), LimitReached> {
        if address.is_loopback() {
            return Ok(());
        }
        let mut counts = self.counts(address);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address {
            return Err(LimitReached::ThisAddress);
        }
        *count += 1;
        drop(counts);
        place.counted = Some((self.clone(), address));
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
        let (first, second) = (limiter.admit(address), limiter.admit(address));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(limiter.admit(address).err(), Some(LimitReached::ThisAddress));
        assert!(limiter.admit("203.0.113.10".parse().expect("an address")).is_ok());
        drop(first);
        let first = limiter.admit(address);
        assert!(first.is_ok(), "a place that was left is free again");
        let local = [(); 3].map(|()| limiter.admit([127, 0, 0, 1].into()));
        assert!(local[0].is_ok() && local[1].is_ok(), "loopback is not counted");
        assert_eq!(local[2].as_ref().err(), Some(&LimitReached::Everywhere));
        let door = limiter.at_the_door(LimitReached::ThisAddress);
        assert_eq!(door.as_ref().and_then(ConnectionPermit::limit_reached), Some(LimitReached::ThisAddress));
        assert!(limiter.at_the_door(LimitReached::ThisAddress).is_none(), "there is one for each reason");
        assert!(limiter.at_the_door(LimitReached::Everywhere).is_some());
        drop(door);
        assert!(limiter.at_the_door(LimitReached::ThisAddress).is_some());
        drop((first, second, local));
        assert!(limiter.counts.iter().all(|counts| counts.lock().expect("sound").is_empty()), "nothing is left behind");
        assert_eq!(limiter.all.available_permits(), 4);
    }
}
