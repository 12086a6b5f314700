//! What the attempts to connect have in common.

use super::{address_cache::AddressCache, network_events::ReconnectTriggers, reconnect_backoff::ReconnectBackoff};
use postern_api::Error;
use std::time::Duration;
use tokio::time::Instant;

/// State that is carried from one connection attempt to the next.
pub(super) struct ReconnectState {
    pub(super) backoff: ReconnectBackoff,
    start: Instant,
    /// Index of the server that is tried first.
    pub(super) first_server: usize,
    /// Consecutive attempts in which a server did not respond in time.
    pub(super) timeouts: u32,
    pub(super) addresses: AddressCache,
    pub(super) triggers: ReconnectTriggers,
    /// The reason that was logged last.
    pub(super) logged: Option<Error>,
    /// Id of a session that was let go, until another one of this agent takes its place at the same server.
    pub(super) replaces: String,
}

impl ReconnectState {
    pub(super) fn new() -> Self {
        let triggers = ReconnectTriggers::start();
        ReconnectState {
            backoff: ReconnectBackoff::default(),
            start: Instant::now(),
            first_server: 0,
            timeouts: 0,
            addresses: AddressCache::default(),
            triggers,
            logged: None,
            replaces: String::new(),
        }
    }

    /// The delay after an attempt that began at `attempt_start`.
    pub(super) fn delay(&mut self, attempt_start: Instant) -> Duration {
        let since = |instant: Instant| instant.duration_since(self.start);
        self.backoff.next_delay(since(attempt_start), since(Instant::now()))
    }

    /// Logs why an attempt failed: as a warning when the reason is a new one.
    pub(super) fn log(&mut self, error: &Error, delay: Duration) {
        let next_try = format!("{:.1}s", delay.as_secs_f64());
        if self.logged.as_ref() == Some(error) {
            return tracing::debug!(code = %error.code, next_try, "{}", error.message);
        }
        tracing::warn!(code = %error.code, next_try, "{}", error.message);
        self.logged = Some(error.clone());
    }
}
