//! How many connections there may be: altogether, and from one address.

use super::Proxies;
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Addresses are spread over so many counters, so that listeners seldom wait for one another.
const SHARDS: usize = 16;

/// The places of one listener.
pub(crate) struct Crowd {
    all: Arc<Semaphore>,
    per_address: usize,
    /// Who speaks for others.
    pub(super) proxies: Proxies,
    hasher: RandomState,
    counts: [Mutex<HashMap<IpAddr, usize>>; SHARDS],
}

/// The place of one connection, free again when dropped.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    counted: Option<(Arc<Crowd>, IpAddr)>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// This address has as many connections as it may.
    ThisAddress,
    /// There are as many connections as there may be.
    Everywhere,
}

impl Full {
    /// In a word, for the log and the metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Full::ThisAddress => "address",
            Full::Everywhere => "all",
        }
    }
}

impl Crowd {
    pub(crate) fn new(all: usize, per_address: usize, proxies: Proxies) -> Arc<Self> {
        let (all, hasher) = (Arc::new(Semaphore::new(all)), RandomState::new());
        Arc::new(Crowd { all, per_address, proxies, hasher, counts: Default::default() })
    }

    /// A place for this address, unless it has too many or there is none for anybody. Loopback is not counted: a
    /// reverse proxy on this machine speaks for everybody.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<Place, Full> {
        let mut place = self.admit_anybody()?;
        self.count(&mut place, address)?;
        Ok(place)
    }

    /// A place for somebody whose address is not known yet.
    pub(super) fn admit_anybody(&self) -> Result<Place, Full> {
        let permit = self.all.clone().try_acquire_owned().map_err(|_| Full::Everywhere)?;
        Ok(Place { _permit: permit, counted: None })
    }

    /// Says whose place it is, unless they have too many.
    pub(super) fn count(self: &Arc<Self>, place: &mut Place, address: IpAddr) -> Result<(), Full> {
        if address.is_loopback() {
            return Ok(());
        }
        let mut counts = self.counts(address);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address {
            return Err(Full::ThisAddress);
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

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((crowd, address)) = self.counted.take() {
            let mut counts = crowd.counts(address);
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
        let crowd = Crowd::new(4, 2, Proxies::default());
        let address: IpAddr = "203.0.113.9".parse().expect("an address");
        let (first, second) = (crowd.admit(address), crowd.admit(address));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(crowd.admit(address).err(), Some(Full::ThisAddress));
        assert!(crowd.admit("203.0.113.10".parse().expect("an address")).is_ok());
        drop(first);
        let first = crowd.admit(address);
        assert!(first.is_ok(), "a place that was left is free again");
        let local = [(); 3].map(|()| crowd.admit([127, 0, 0, 1].into()));
        assert!(local[0].is_ok() && local[1].is_ok(), "loopback is not counted");
        assert_eq!(local[2].as_ref().err(), Some(&Full::Everywhere));
        drop((first, second, local));
        assert!(crowd.counts.iter().all(|counts| counts.lock().expect("sound").is_empty()), "nothing is left behind");
        assert_eq!(crowd.all.available_permits(), 4);
    }
}
