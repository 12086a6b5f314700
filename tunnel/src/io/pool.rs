//! The server's pool of idle data connections. The oldest is used first, so that those which a crowd needed stay idle and are
//! closed, and memory from before the crowd is in use rather than theirs.

use super::{
    session::SessionCore,
    stream_transport::{ConnectionOwner, SpareConnections, StreamTransport},
};
use crate::proto::{
    message::FromServer,
    pool_sizing::{PoolLimits, PoolSizing},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{runtime::Handle, time::Instant};

/// Interval between checks of the idle connections.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// Data connections of one session.
pub(crate) struct Pool {
    core: Arc<SessionCore<FromServer>>,
    state: Mutex<State>,
}

struct State {
    /// Newest first.
    idle: Vec<Idle>,
    sizing: PoolSizing,
    closed: bool,
}

struct Idle {
    transport: StreamTransport,
    since: Instant,
}

impl Pool {
    /// An empty pool. Asks the agent to fill it.
    pub(crate) fn new(core: Arc<SessionCore<FromServer>>, limits: PoolLimits) -> Arc<Self> {
        let mut state = State { idle: Vec::new(), sizing: PoolSizing::new(limits), closed: false };
        core.send(FromServer::Pool { connections: state.sizing.initial_target() });
        Arc::new(Pool { core, state: Mutex::new(state) })
    }

    /// Leases an idle connection for one stream, if there is one. Discards connections that broke while idle.
    pub(crate) fn lease(&self) -> Option<StreamTransport> {
        loop {
            let mut state = self.state();
            let Some(Idle { mut transport, .. }) = state.idle.pop() else {
                let ask = state.sizing.missed();
                drop(state);
                self.ask(ask);
                return None;
            };
            let idle = state.idle.len();
            let ask = state.sizing.leased(idle);
            drop(state);
            self.ask(ask);
            if transport.is_usable() {
                return Some(transport);
            }
            self.state().sizing.released();
        }
    }

    /// Whether the pool accepts one more connection.
    pub(crate) fn has_room(&self) -> bool {
        let state = self.state();
        state.sizing.has_room(state.idle.len())
    }

    /// Adds a new connection. Returns false if the pool is full or closed.
    pub(crate) fn adopt(&self, transport: StreamTransport) -> bool {
        let mut state = self.state();
        let has_room = !state.closed && state.sizing.has_room(state.idle.len());
        if has_room {
            state.put(transport);
        }
        has_room
    }

    /// Discards broken and surplus connections, periodically.
    pub(crate) async fn maintain(&self) {
        let mut leaving: Vec<Idle> = Vec::new();
        loop {
            tokio::time::sleep(MAINTENANCE_INTERVAL).await;
            leaving.clear();
            let now = Instant::now();
            let mut state = self.state();
            state.idle.retain_mut(|idle| idle.transport.is_usable());
            let surplus = state.sizing.surplus(state.idle.iter().map(|idle| now - idle.since));
            let ask = (surplus > 0).then(|| {
                let left = state.idle.len() - surplus;
                state.sizing.shrink_to(left)
            });
            // They are closed in the next round, when the agent knows that it must not replace them.
            leaving.extend(state.idle.drain(..surplus));
            drop(state);
            self.ask(ask);
        }
    }

    /// Closes the pool and its idle connections.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
    }

    /// Number of idle connections, and number of connections that carry a stream.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.idle.len(), state.sizing.busy())
    }

    fn ask(&self, connections: Option<u16>) {
        if let Some(connections) = connections {
            self.core.send(FromServer::Pool { connections });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, transport: StreamTransport) {
        let at = self.idle.partition_point(|other| other.transport.number() > transport.number());
        self.idle.insert(at, Idle { transport, since: Instant::now() });
        self.sizing.idle_added(self.idle.len());
    }
}

impl ConnectionOwner for Pool {
    fn release(&self, transport: StreamTransport) {
        let mut state = self.state();
        state.sizing.released();
        if !state.closed {
            state.put(transport);
        }
    }

    fn discard(&self) {
        self.state().sizing.released();
    }

    fn runtime(&self) -> &Handle {
        &self.core.runtime
    }
}

impl SpareConnections for Pool {
    fn lease(&self) -> Option<StreamTransport> {
        Pool::lease(self)
    }

    fn has_idle(&self) -> bool {
        self.counts().0 > 0
    }
}
