//! Events that wait for one destination: their keys, in the order in which they are sent.

use crate::store::Revision;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Keys of a backlog at most. Further events are read again from the log.
const MAX_WAITING_EVENTS: usize = 10_000;

/// An event that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WaitingEvent {
    pub(super) key: Arc<str>,
    pub(super) revision: Revision,
}

/// Events that wait, oldest first.
#[derive(Default)]
pub(super) struct Backlog {
    queue: Mutex<Queue>,
    arrived: Notify,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<WaitingEvent>,
    /// Later events are in the log only.
    is_cut: bool,
}

impl Backlog {
    /// A backlog of events in order, of which the first are kept.
    pub(super) fn new(mut events: VecDeque<WaitingEvent>) -> Self {
        let is_cut = events.len() > MAX_WAITING_EVENTS;
        events.truncate(MAX_WAITING_EVENTS);
        events.shrink_to_fit();
        Backlog { queue: Mutex::new(Queue { events, is_cut }), arrived: Notify::new() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a later event.
    pub(super) fn push(&self, event: WaitingEvent) {
        let mut queue = self.queue();
        if queue.is_cut || queue.events.len() >= MAX_WAITING_EVENTS {
            queue.is_cut = true;
            return;
        }
        queue.events.push_back(event);
        drop(queue);
        self.arrived.notify_one();
    }

    /// Waits for the next event; it stays in the backlog. `None` if it must be read from the log.
    pub(super) async fn next(&self) -> Option<WaitingEvent> {
        loop {
            let arrived = self.arrived.notified();
            {
                let queue = self.queue();
                if let Some(event) = queue.events.front() {
                    return Some(event.clone());
                }
                if queue.is_cut {
                    return None;
                }
            }
            arrived.await;
        }
    }

    /// Removes the event that was next.
    pub(super) fn pop(&self) {
        self.queue().events.pop_front();
    }

    /// Whether no event waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue().events.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn event(number: usize) -> WaitingEvent {
        WaitingEvent { key: format!("events/{number:05}").into(), revision: 1 }
    }

    #[tokio::test]
    async fn what_finds_no_room_is_read_from_the_log_later() {
        let backlog = Backlog::new((0..MAX_WAITING_EVENTS - 1).map(event).collect());
        backlog.push(event(MAX_WAITING_EVENTS - 1));
        backlog.push(event(MAX_WAITING_EVENTS));
        for number in 0..MAX_WAITING_EVENTS {
            assert_eq!(backlog.next().await, Some(event(number)));
            backlog.pop();
            // An event must not overtake those that are in the log only.
            backlog.push(event(MAX_WAITING_EVENTS + 1));
        }
        assert_eq!(backlog.next().await, None);
        let cut = Backlog::new((0..MAX_WAITING_EVENTS + 1).map(event).collect());
        assert!(cut.queue().is_cut && cut.queue().events.len() == MAX_WAITING_EVENTS);
    }

    #[tokio::test]
    async fn an_empty_backlog_waits() {
        let backlog = Backlog::default();
        let next = backlog.next();
        let mut next = std::pin::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        backlog.push(event(1));
        assert_eq!(next.await, Some(event(1)));
        backlog.pop();
        assert!(backlog.is_empty());
    }
}
