//! The status of the session, for the status page and the log.

use crate::capture::AgentEvent;
use jiff::Timestamp;
use postern_api::Error;
pub use postern_api::local::SessionState;
use std::time::Duration;
use tokio::sync::{broadcast, watch};

/// The status of the session.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// The state.
    pub state: SessionState,
    /// Host and port of the server.
    pub server_addr: String,
    /// The reason why it is not online.
    pub reason: Option<Error>,
    /// Time of the next attempt.
    pub next_try: Option<Timestamp>,
    /// Attempts since the last success.
    pub attempt: u32,
    /// Start of this state.
    pub since: Timestamp,
    /// The server's region.
    pub region: String,
    /// The server's version.
    pub server_version: String,
}

/// Holds the status and publishes its changes.
pub struct StatusPublisher {
    status: watch::Sender<SessionStatus>,
    feed: broadcast::Sender<AgentEvent>,
}

impl StatusPublisher {
    /// The status before the first attempt.
    pub fn new(feed: broadcast::Sender<AgentEvent>) -> Self {
        let status = SessionStatus {
            state: SessionState::Connecting,
            server_addr: String::new(),
            reason: None,
            next_try: None,
            attempt: 0,
            since: postern_api::clock::now(),
            region: String::new(),
            server_version: String::new(),
        };
        StatusPublisher { status: watch::Sender::new(status), feed }
    }

    /// The current status.
    pub fn current(&self) -> SessionStatus {
        self.status.borrow().clone()
    }

    /// Subscribes to changes.
    pub fn watch(&self) -> watch::Receiver<SessionStatus> {
        self.status.subscribe()
    }

    pub(super) fn connecting(&self, server_addr: String, attempt: u32) {
        // The reason of the last failure stays until this attempt has succeeded or failed.
        self.change(|status| {
            status.set_state(SessionState::Connecting);
            status.server_addr = server_addr;
            status.next_try = None;
            status.attempt = attempt;
        });
    }

    pub(super) fn online(&self, server_addr: String, region: String, server_version: String) {
        self.change(|status| {
            status.set_state(SessionState::Online);
            status.server_addr = server_addr;
            status.reason = None;
            status.next_try = None;
            status.attempt = 0;
            status.region = region;
            status.server_version = server_version;
        });
    }

    pub(super) fn failed(&self, state: SessionState, reason: Error, pause: Duration) {
        self.change(|status| {
            status.set_state(state);
            status.reason = Some(reason);
            status.next_try = postern_api::clock::now().checked_add(pause).ok();
        });
    }

    /// No more attempts until a person asks for one.
    pub(super) fn stopped(&self, reason: Error) {
        self.change(|status| {
            status.set_state(SessionState::Refused);
            status.reason = Some(reason);
            status.next_try = None;
        });
    }

    fn change(&self, change: impl FnOnce(&mut SessionStatus)) {
        self.status.send_modify(change);
        let _ = self.feed.send(AgentEvent::Status);
    }
}

impl SessionStatus {
    fn set_state(&mut self, state: SessionState) {
        if self.state != state {
            self.since = postern_api::clock::now();
        }
        self.state = state;
    }
}
