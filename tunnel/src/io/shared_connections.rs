//! The server's shared connections: while many requests are in flight, those that are small share a few connections.

use super::{
    pool::Pool,
    shared_driver,
    stream_transport::{ConnectionOwner as _, SharedConnection, SharedStream},
};
use crate::proto::{shared_frame::SharedLimits, shared_start::SharedStart};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{runtime::Handle, time::Instant};

/// Streams with a connection of their own before others share one: with few streams in flight, there is nothing to put
/// together.
const MIN_OWN_CONNECTIONS: usize = 16;
/// Streams with a connection of their own before shared connections are made ready, so that a sudden crowd finds them.
const READY_FROM: usize = 12;
/// Interval between looks for connections that are not used.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest time without any stream.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(20);

/// Shared connections of one session.
pub(crate) struct SharedConnections {
    pool: Arc<Pool>,
    runtime: Handle,
    /// Most connections.
    max_connections: usize,
    /// Of each; `None` if the agent knows no shared connections.
    limits: Option<SharedLimits>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    next_number: u32,
}

struct Member {
    connection: Arc<SharedConnection>,
    /// When it was last seen with streams.
    used: Instant,
}

impl SharedConnections {
    pub(crate) fn new(
        pool: Arc<Pool>,
        max_connections: usize,
        limits: Option<SharedLimits>,
        runtime: &Handle,
    ) -> Arc<Self> {
        Arc::new(SharedConnections { pool, runtime: runtime.clone(), max_connections, limits, state: Mutex::default() })
    }

    /// Opens a stream, if many streams have a connection of their own, or none is idle.
    pub(crate) fn open(&self) -> Option<(SharedStream, Arc<SharedConnection>)> {
        let limits = self.limits.filter(|_| self.max_connections > 0)?;
        let mut state = self.state();
        state.members.retain(|member| !member.connection.is_closed());
        let own = self.pool.counts().1.saturating_sub(state.members.len());
        while own >= READY_FROM && state.members.len() < self.max_connections && self.begin(&mut state, limits) {}
        let has_idle = self.pool.counts().0 > 0;
        if own < MIN_OWN_CONNECTIONS && has_idle {
            return None;
        }
        let member = state.members.iter_mut().min_by_key(|member| member.connection.len())?;
        member.used = Instant::now();
        let connection = member.connection.clone();
        drop(state);
        connection.open().map(|stream| (stream, connection))
    }

    /// Makes an idle data connection a shared one. Returns whether there was one.
    fn begin(&self, state: &mut State, limits: SharedLimits) -> bool {
        let Some(transport) = self.pool.lease() else { return false };
        let number = state.next_number;
        state.next_number = state.next_number.wrapping_add(1);
        let connection = SharedConnection::new(number, limits, Some(self.pool.clone()), &self.runtime);
        let first = SharedStart::Share { connection: number }.encode();
        let pool = self.pool.clone();
        shared_driver::spawn(connection.clone(), transport, first, drop, move || pool.discard());
        state.members.push(Member { connection, used: Instant::now() });
        true
    }

    /// Ends connections that are not used or do not work, periodically.
    pub(crate) async fn maintain(&self) {
        loop {
            tokio::time::sleep(MAINTENANCE_INTERVAL).await;
            let now = Instant::now();
            self.state().members.retain_mut(|Member { connection, used }| {
                if connection.len() > 0 {
                    *used = now;
                }
                connection.check_silence();
                if now - *used >= UNUSED_TIMEOUT {
                    connection.close_if_unused();
                }
                !connection.is_closed()
            });
        }
    }

    /// Number of connections.
    pub(crate) fn len(&self) -> usize {
        self.state().members.iter().filter(|member| !member.connection.is_closed()).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
