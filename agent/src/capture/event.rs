//! Events inside the agent, as the live feed and the terminal receive them.

use super::exchange::Exchange;
use std::sync::Arc;

/// A change that listeners are notified of.
#[derive(Clone)]
pub enum AgentEvent {
    /// The session or another part of the status has changed.
    Status,
    /// A tunnel was added, removed, started, stopped or failed.
    Tunnels,
    /// A request was captured, or its exchange has changed.
    Request(Arc<Exchange>),
    /// One captured request was deleted: its id, and the revision of the store after that.
    RequestDeleted(u64, u64),
    /// All captured requests were deleted.
    RequestsDeleted,
}

/// Events that a slow listener may lag behind before it has to resynchronize.
const EVENT_BACKLOG: usize = 1024;

/// Creates the channel of events.
pub fn event_channel() -> tokio::sync::broadcast::Sender<AgentEvent> {
    tokio::sync::broadcast::Sender::new(EVENT_BACKLOG)
}
