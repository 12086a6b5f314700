//! The connections of the management port: a limit for all of them and for each address. Idle ones make room for new ones.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Most open connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// In all.
    pub(crate) total: usize,
    /// Of one address. Loopback is not counted: a reverse proxy on this machine connects for many callers.
    pub(crate) per_address: usize,
}

/// All open connections.
#[derive(Debug)]
pub(crate) struct ApiConnections {
    limits: ConnectionLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next_key: u64,
    open: HashMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    address: IpAddr,
    requests: usize,
    /// Start of the time without a request.
    idle_since: Instant,
    close: CancellationToken,
}

/// One connection; unregistered when the last clone is dropped.
#[derive(Debug)]
pub(crate) struct ApiConnection {
    connections: Arc<ApiConnections>,
    key: u64,
    close: CancellationToken,
}

/// A request that is being served.
#[derive(Debug)]
pub(crate) struct OpenRequest(Arc<ApiConnection>);

impl ApiConnections {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<ApiConnections> {
        Arc::new(ApiConnections { limits, state: Mutex::default() })
    }

    /// Registers a connection. At a limit, the one that has been idle for the longest time is closed; `None` if there is
    /// none.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Arc<ApiConnection>> {
        let mut state = self.state();
        let is_counted = !address.is_loopback();
        let of_address = || state.open.values().filter(|entry| entry.address == address).count();
        let is_address_full = is_counted && of_address() >= self.limits.per_address;
        if is_address_full || state.open.len() >= self.limits.total {
            let replaced = state.longest_idle(is_address_full.then_some(address))?;
            if let Some(entry) = state.open.remove(&replaced) {
                entry.close.cancel();
            }
        }
        let (key, close) = (state.next_key, CancellationToken::new());
        state.next_key += 1;
        state.open.insert(key, Entry { address, requests: 0, idle_since: Instant::now(), close: close.clone() });
        Some(Arc::new(ApiConnection { connections: self.clone(), key, close }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn longest_idle(&self, address: Option<IpAddr>) -> Option<u64> {
        let candidates = self.open.iter().filter(|(_, entry)| address.is_none_or(|address| entry.address == address));
        let idle = candidates.filter(|(_, entry)| entry.requests == 0);
        idle.min_by_key(|(key, entry)| (entry.idle_since, **key)).map(|(key, _)| *key)
    }
}

impl ApiConnection {
    /// Counts a request until the returned value is dropped.
    pub(crate) fn request(self: &Arc<Self>) -> OpenRequest {
        if let Some(entry) = self.connections.state().open.get_mut(&self.key) {
            entry.requests += 1;
        }
        OpenRequest(self.clone())
    }

    /// The start of the time without a request; `None` while there is one.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.connections.state();
        state.open.get(&self.key).filter(|entry| entry.requests == 0).map(|entry| entry.idle_since)
    }

    /// Resolves when the connection must make room for another.
    pub(crate) async fn replaced(&self) {
        self.close.cancelled().await;
    }
}

impl Drop for ApiConnection {
    fn drop(&mut self) {
        self.connections.state().open.remove(&self.key);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(entry) = self.0.connections.state().open.get_mut(&self.0.key) {
            entry.requests -= 1;
            entry.idle_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, last])
    }

    fn is_replaced(connection: &ApiConnection) -> bool {
        connection.close.is_cancelled()
    }

    #[test]
    fn the_longest_idle_connection_makes_room() {
        let connections = ApiConnections::new(ConnectionLimits { total: 2, per_address: 9 });
        let first = connections.admit(address(1)).expect("room");
        let second = connections.admit(address(2)).expect("room");
        let busy = first.request();
        let third = connections.admit(address(3)).expect("room is made");
        assert!(is_replaced(&second) && !is_replaced(&first), "a busy one stays");
        let also_busy = third.request();
        assert!(connections.admit(address(4)).is_none(), "all are busy");
        drop((busy, also_busy));
        assert!(connections.admit(address(4)).is_some());
    }

    #[test]
    fn an_address_at_its_limit_loses_its_own_connections_only() {
        let connections = ApiConnections::new(ConnectionLimits { total: 9, per_address: 2 });
        let other = connections.admit(address(2)).expect("room");
        let own: Vec<_> = (0..3).map(|_| connections.admit(address(1)).expect("room is made")).collect();
        assert_eq!(own.iter().map(|own| is_replaced(own)).collect::<Vec<_>>(), [true, false, false]);
        assert!(!is_replaced(&other));
        let local: Vec<_> = (0..4).map(|_| connections.admit([127, 0, 0, 1].into()).expect("room")).collect();
        assert!(local.iter().all(|local| !is_replaced(local)), "loopback is not counted");
        drop((own, other, local));
        assert!(connections.state().open.is_empty(), "nothing is left behind");
    }
}
