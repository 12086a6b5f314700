//! How many connections there may be: altogether, and from one address.

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
    hasher: RandomState,
    counts: [Mutex<HashMap<IpAddr, usize>>; SHARDS],
}

/// The place of one connection, free again when dropped.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    counted: Option<(Arc<Crowd>, IpAddr)>,
}

impl Crowd {
    pub(crate) fn new(all: usize, per_address: usize) -> Arc<Self> {
        let (all, hasher) = (Arc::new(Semaphore::new(all)), RandomState::new());
        Arc::new(Crowd { all, per_address, hasher, counts: Default::default() })
    }

    /// Waits until there is a place for anybody.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        self.all.clone().acquire_owned().await.ok()
    }

    /// A place for this address, unless it has too many. Loopback is not counted: a reverse proxy on this
    /// machine speaks for everybody.
    pub(super) fn admit(self: &Arc<Self>, permit: OwnedSemaphorePermit, address: IpAddr) -> Option<Place> {
        if address.is_loopback() {
            return Some(Place { _permit: permit, counted: None });
        }
        let mut counts = self.counts(address);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Place { _permit: permit, counted: Some((self.clone(), address)) })
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

    #[tokio::test]
    async fn one_address_cannot_take_every_place() {
        let crowd = Crowd::new(10, 2);
        let address: IpAddr = "203.0.113.9".parse().expect("an address");
        let place = async |address| crowd.admit(crowd.permit().await.expect("a permit"), address);
        let (first, second) = (place(address).await, place(address).await);
        assert!(first.is_some() && second.is_some() && place(address).await.is_none());
        assert!(place("203.0.113.10".parse().expect("an address")).await.is_some());
        drop(first);
        assert!(place(address).await.is_some(), "a place that was left is free again");
        let local: Vec<_> = [place([127, 0, 0, 1].into()).await, place([127, 0, 0, 1].into()).await].into();
        assert!(local.iter().all(Option::is_some));
        drop((second, local));
        assert!(crowd.counts.iter().all(|counts| counts.lock().expect("sound").is_empty()), "nothing is left behind");
        assert_eq!(crowd.all.available_permits(), 10);
    }
}
