//! The server's warm data connections: the most recently used one is taken first.

use super::carrier::Carrier;
use super::session::Core;
use super::stream::Home;
use crate::proto::message::FromServer;
use crate::proto::pool::Accounting;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::Instant;

/// How often idle connections are looked after.
const ROUND: Duration = Duration::from_secs(5);

/// The data connections of one session.
pub(crate) struct Pool {
    core: Arc<Core<FromServer>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The longest unused first.
    idle: Vec<Idle>,
    accounting: Accounting,
    closed: bool,
}

struct Idle {
    carrier: Carrier,
    since: Instant,
}

impl Pool {
    /// An empty pool; the agent is asked to fill it.
    pub(crate) fn new(core: Arc<Core<FromServer>>) -> Arc<Self> {
        let mut state = State::default();
        core.send(FromServer::Pool { connections: state.accounting.first_ask() });
        Arc::new(Pool { core, state: Mutex::new(state) })
    }

    /// A connection for one stream, if one is idle. Those that broke meanwhile are thrown away.
    pub(crate) fn lease(&self) -> Option<Carrier> {
        loop {
            let mut state = self.state();
            let Some(Idle { mut carrier, .. }) = state.idle.pop() else {
                let ask = state.accounting.overflowed();
                drop(state);
                self.ask(ask);
                return None;
            };
            let idle = state.idle.len();
            let ask = state.accounting.leased(idle);
            drop(state);
            self.ask(ask);
            if carrier.is_silent() {
                return Some(carrier);
            }
            self.state().accounting.released();
        }
    }

    /// Whether one more connection has a place.
    pub(crate) fn has_room(&self) -> bool {
        let state = self.state();
        state.accounting.has_room(state.idle.len())
    }

    /// Takes in a new connection, unless there is no place for it.
    pub(crate) fn adopt(&self, carrier: Carrier) -> bool {
        let mut state = self.state();
        let has_room = !state.closed && state.accounting.has_room(state.idle.len());
        if has_room {
            state.put(carrier);
        }
        has_room
    }

    /// Throws away broken and surplus connections, again and again.
    pub(crate) async fn look_after(&self) {
        let mut leaving: Vec<Idle> = Vec::new();
        loop {
            tokio::time::sleep(ROUND).await;
            leaving.clear();
            let now = Instant::now();
            let mut state = self.state();
            state.idle.retain_mut(|idle| idle.carrier.is_silent());
            let surplus = state.accounting.surplus(state.idle.iter().map(|idle| now - idle.since));
            let ask = (surplus > 0).then(|| {
                let left = state.idle.len() - surplus;
                state.accounting.shrunk(left)
            });
            // They are closed in the next round, when the agent knows that it need not replace them.
            leaving.extend(state.idle.drain(..surplus));
            drop(state);
            self.ask(ask);
        }
    }

    /// Closes what is idle, for good.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
    }

    /// How many connections are idle and how many carry a stream.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.idle.len(), state.accounting.busy())
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
    fn put(&mut self, carrier: Carrier) {
        self.idle.push(Idle { carrier, since: Instant::now() });
        self.accounting.idle_grew(self.idle.len());
    }
}

impl Home for Pool {
    fn come_back(&self, carrier: Carrier) {
        let mut state = self.state();
        state.accounting.released();
        if !state.closed {
            state.put(carrier);
        }
    }

    fn lost(&self) {
        self.state().accounting.released();
    }

    fn runtime(&self) -> &Handle {
        &self.core.runtime
    }
}
