//! Flow control of overflow streams above yamux: the bytes that a peer may have sent and this end has not read shrink with
//! the number of streams.
//!
//! Yamux lets a peer send 256 KiB on each stream, read or not. Thousands of visitors that do not read would cost
//! gigabytes. So each end sends only as much as the other has granted; grants travel as messages, never behind the data
//! of a stream.

use super::shrinking::shrink;
use futures::task::AtomicWaker;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};
use tokio::sync::Notify;

/// Bytes that a stream may send before the first grant. Together with the head of a message they fit into a page.
const INITIAL_WINDOW_BYTES: usize = 4 * 1024;
/// The smallest window.
const MIN_WINDOW_BYTES: usize = 8 * 1024;
/// The largest window: that of yamux.
const MAX_WINDOW_BYTES: usize = 256 * 1024;
/// Unread bytes of all streams of a session, as long as that is more than the smallest window for each.
const SESSION_WINDOW_BYTES: usize = 32 * 1024 * 1024;
/// Windows below this size are granted only to readers that wait for more, so that a response which is not read costs one
/// window and not two.
const CROWDED_WINDOW_BYTES: usize = 64 * 1024;
/// Most grants in one message.
const MAX_GRANTS: usize = 1024;

/// Additional bytes that a stream may send, by its yamux id.
pub(crate) type Grants = Vec<(u32, u32)>;

/// The overflow streams of a session at one end.
#[derive(Default)]
pub(crate) struct OverflowCredits {
    state: Mutex<State>,
    /// Notified when there are grants to send.
    granted: Notify,
    open: AtomicUsize,
}

#[derive(Default)]
struct State {
    streams: HashMap<u32, Arc<SendCredit>>,
    /// Grants that have not been sent to the peer.
    grants: HashMap<u32, u32>,
}

/// What this end may still send on a stream.
struct SendCredit {
    bytes: AtomicUsize,
    writer: AtomicWaker,
}

/// Credit of one stream in both directions; unregistered when dropped.
pub(crate) struct StreamCredit {
    credits: Arc<OverflowCredits>,
    id: u32,
    send: Arc<SendCredit>,
    received: u64,
    /// Bytes that the peer may send in all.
    granted: u64,
    /// The window at the last grant.
    window: u64,
}

impl OverflowCredits {
    /// Registers a stream.
    pub(crate) fn stream(self: &Arc<Self>, id: u32) -> StreamCredit {
        let send = Arc::new(SendCredit { bytes: AtomicUsize::new(INITIAL_WINDOW_BYTES), writer: AtomicWaker::new() });
        self.open.fetch_add(1, Ordering::Relaxed);
        self.state().streams.insert(id, send.clone());
        let window = INITIAL_WINDOW_BYTES as u64;
        StreamCredit { credits: self.clone(), id, send, received: 0, granted: window, window }
    }

    /// Adds grants of the peer. Those for streams that have ended are ignored.
    pub(crate) fn add(&self, grants: &[(u32, u32)]) {
        for (id, bytes) in grants {
            let send = self.state().streams.get(id).cloned();
            let Some(send) = send else { continue };
            let more = |credit: usize| Some(credit.saturating_add(*bytes as usize));
            let _ = send.bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
            send.writer.wake();
        }
    }

    /// Waits for grants to send to the peer.
    pub(crate) async fn grants(&self) -> Grants {
        loop {
            let notified = self.granted.notified();
            let grants: Grants = {
                let mut state = self.state();
                let ids: Vec<u32> = state.grants.keys().take(MAX_GRANTS).copied().collect();
                ids.into_iter().filter_map(|id| Some((id, state.grants.remove(&id)?))).collect()
            };
            if !grants.is_empty() {
                return grants;
            }
            notified.await;
        }
    }

    fn grant(&self, id: u32, bytes: u32) {
        let mut state = self.state();
        let grant = state.grants.entry(id).or_default();
        *grant = grant.saturating_add(bytes);
        drop(state);
        self.granted.notify_one();
    }

    /// Unread bytes that one stream may have now.
    fn window(&self) -> usize {
        let open = self.open.load(Ordering::Relaxed).max(1);
        (SESSION_WINDOW_BYTES / open).clamp(MIN_WINDOW_BYTES, MAX_WINDOW_BYTES)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamCredit {
    /// How many bytes may be sent now; waits until there is at least one.
    pub(crate) fn poll_room(&self, cx: &mut Context<'_>) -> Poll<usize> {
        let room = || self.send.bytes.load(Ordering::Acquire);
        if room() == 0 {
            self.send.writer.register(cx.waker());
        }
        match room() {
            0 => Poll::Pending,
            bytes => Poll::Ready(bytes),
        }
    }

    /// Records that bytes were sent.
    pub(crate) fn sent(&self, bytes: usize) {
        let less = |credit: usize| Some(credit.saturating_sub(bytes));
        let _ = self.send.bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    /// Records that bytes were read, and grants more once half of the window is used. Short streams need no grant.
    pub(crate) fn received(&mut self, bytes: usize) {
        self.received += bytes as u64;
        if self.credits.window() >= CROWDED_WINDOW_BYTES {
            self.grant_used();
        }
    }

    /// Records that the reader waits for more.
    pub(crate) fn waiting(&mut self) {
        self.grant_used();
    }

    fn grant_used(&mut self) {
        if 2 * self.granted.saturating_sub(self.received) > self.window {
            return;
        }
        self.window = self.credits.window() as u64;
        let more = (self.received + self.window).saturating_sub(self.granted).min(u32::MAX.into());
        if more > 0 {
            self.granted += more;
            self.credits.grant(self.id, more as u32);
        }
    }
}

impl Drop for StreamCredit {
    fn drop(&mut self) {
        self.credits.open.fetch_sub(1, Ordering::Relaxed);
        let mut state = self.credits.state();
        state.streams.remove(&self.id);
        shrink(&mut state.streams);
        state.grants.remove(&self.id);
        shrink(&mut state.grants);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn room(credit: &StreamCredit) -> Option<usize> {
        match credit.poll_room(&mut Context::from_waker(std::task::Waker::noop())) {
            Poll::Ready(room) => Some(room),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_sender_waits_for_grants() {
        let credits = Arc::new(OverflowCredits::default());
        let stream = credits.stream(1);
        assert_eq!(room(&stream), Some(INITIAL_WINDOW_BYTES));
        stream.sent(INITIAL_WINDOW_BYTES);
        assert_eq!(room(&stream), None);
        credits.add(&[(1, 10), (2, 10), (1, u32::MAX), (1, u32::MAX)]);
        assert!(room(&stream).is_some_and(|room| room >= u32::MAX as usize));
    }

    #[test]
    fn the_window_shrinks_with_the_number_of_streams() {
        let credits = Arc::new(OverflowCredits::default());
        let mut first = credits.stream(1);
        first.received(1);
        assert_eq!(credits.grants().now_or_never(), None, "a short stream needs no grant");
        first.received(INITIAL_WINDOW_BYTES / 2 - 1);
        let rest = MAX_WINDOW_BYTES - INITIAL_WINDOW_BYTES / 2;
        assert_eq!(credits.grants().now_or_never(), Some(vec![(1, rest as u32)]));
        first.received(1000);
        assert_eq!(credits.grants().now_or_never(), None, "most of the window is free");
        let mut others: Vec<_> = (2..=8_000).map(|id| credits.stream(id)).collect();
        let last = others.last_mut().expect("many");
        last.received(100);
        last.waiting();
        assert_eq!(credits.grants().now_or_never(), None, "the first window is the smallest already");
        last.received(MIN_WINDOW_BYTES);
        assert_eq!(credits.grants().now_or_never(), None, "what was read may be all that its reader takes");
        last.waiting();
        let granted = credits.grants().now_or_never().expect("a grant");
        assert_eq!(granted, [(8_000, (2 * MIN_WINDOW_BYTES - INITIAL_WINDOW_BYTES + 100) as u32)]);
        drop((first, others));
        assert_eq!(credits.open.load(Ordering::Relaxed), 0);
        assert!(credits.state().streams.is_empty(), "nothing is left behind");
    }
}
