//! What happens inside the agent, told to everybody who listens on the live feed.

use super::exchange::Exchange;
use std::sync::Arc;

/// Something that pages and apps want to know at once.
#[derive(Clone)]
pub enum Happening {
    /// The session or something else of the status has changed.
    Status,
    /// A tunnel was added, removed, started, stopped or failed.
    Tunnels,
    /// A request was captured, or its response is complete.
    Request(Arc<Exchange>),
    /// One captured request was deleted: its number, and the store's count of changes then.
    RequestDeleted(u64, u64),
    /// All captured requests were deleted.
    RequestsDeleted,
}

/// How many happenings a slow listener may lag behind before it is told to look afresh.
const BACKLOG: usize = 1024;

/// A new feed.
pub fn feed() -> tokio::sync::broadcast::Sender<Happening> {
    tokio::sync::broadcast::Sender::new(BACKLOG)
}
