//! The server's shared connections: while many requests are in flight, those that are small share a few connections.

use super::{
    pool::Pool,
    shared_driver,
    stream_transport::{ConnectionOwner as _, SharedConnection, SharedStream},
};
use crate::proto::shared_start::SharedStart;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{runtime::Handle, time::Instant};

/// Streams with a connection of their own before others share one: with few streams in flight, there is nothing to put
/// together.
const MIN_OWN_CONNECTIONS: usize = 16;
/// Interval between looks for connections that are not used.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest time without any stream.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(20);

/// Shared connections of one session.
pub(crate) struct SharedConnections {
    pool: Arc<Pool>,
    runtime: Handle,
    /// Most connections.
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connections: Vec<Arc<SharedConnection>>,
    /// When a connection was last seen with streams, by its number.
    used: Vec<(u32, Instant)>,
    next_number: u32,
}

impl SharedConnections {
    pub(crate) fn new(pool: Arc<Pool>, limit: usize, runtime: &Handle) -> Arc<Self> {
        Arc::new(SharedConnections { pool, runtime: runtime.clone(), limit, state: Mutex::default() })
    }

    /// Opens a stream, if many streams have a connection of their own.
    pub(crate) fn open(&self) -> Option<(SharedStream, Arc<SharedConnection>)> {
        if self.limit == 0 {
            return None;
        }
        let mut state = self.state();
        state.connections.retain(|connection| !connection.is_closed());
        if self.pool.counts().1 < MIN_OWN_CONNECTIONS + state.connections.len() {
            return None;
        }
        if state.connections.len() < self.limit {
            self.begin(&mut state);
        }
        let connection = state.connections.iter().min_by_key(|connection| connection.len())?.clone();
        drop(state);
        connection.open().map(|stream| (stream, connection))
    }

    /// Makes an idle data connection a shared one.
    fn begin(&self, state: &mut State) {
        let Some(transport) = self.pool.lease() else { return };
        let number = state.next_number;
        state.next_number = state.next_number.wrapping_add(1);
        let connection = SharedConnection::new(number, Some(self.pool.clone()), &self.runtime);
        let first = SharedStart::Share { connection: number }.encode();
        let pool = self.pool.clone();
        let driving = shared_driver::drive(connection.clone(), transport, first, drop);
        shared_driver::spawn(&self.runtime, driving, move || pool.discard());
        state.used.push((number, Instant::now()));
        state.connections.push(connection);
    }

    /// Ends connections that are not used, periodically.
    pub(crate) async fn maintain(&self) {
        loop {
            tokio::time::sleep(MAINTENANCE_INTERVAL).await;
            let now = Instant::now();
            let mut state = self.state();
            let State { connections, used, .. } = &mut *state;
            connections.retain(|connection| {
                let Some((_, since)) = used.iter_mut().find(|(number, _)| *number == connection.number()) else {
                    return !connection.is_closed();
                };
                if connection.len() > 0 {
                    *since = now;
                }
                let is_over = connection.is_closed() || now - *since >= UNUSED_TIMEOUT && connection.close_if_unused();
                !is_over
            });
            used.retain(|(number, _)| connections.iter().any(|connection| connection.number() == *number));
        }
    }

    /// Number of connections.
    pub(crate) fn len(&self) -> usize {
        self.state().connections.iter().filter(|connection| !connection.is_closed()).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
