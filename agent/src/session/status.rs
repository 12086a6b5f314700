//! How the session is doing, for the status page and the log.

use crate::capture::Happening;
use jiff::Timestamp;
use postern_api::Error;
use std::time::Duration;
use tokio::sync::{broadcast, watch};

/// The state of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// There is one.
    Online,
    /// It is being made.
    Connecting,
    /// It failed; the next try is scheduled.
    Waiting,
    /// The server does not want this agent; the next try is far away, or comes when the configuration changes.
    Refused,
}

/// Everything the status says about the session.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// The state.
    pub state: SessionState,
    /// Host and port of the server.
    pub server_addr: String,
    /// Why it is not online.
    pub reason: Option<Error>,
    /// When it will be tried again.
    pub next_try: Option<Timestamp>,
    /// Tries since the last success.
    pub attempt: u32,
    /// When this state began.
    pub since: Timestamp,
    /// The server's region.
    pub region: String,
    /// The server's version.
    pub server_version: String,
}

/// Holds the status and tells everybody when it changes.
pub struct StatusBoard {
    status: watch::Sender<SessionStatus>,
    feed: broadcast::Sender<Happening>,
}

impl SessionState {
    /// As the API writes it.
    pub fn word(self) -> &'static str {
        match self {
            SessionState::Online => "online",
            SessionState::Connecting => "connecting",
            SessionState::Waiting => "waiting",
            SessionState::Refused => "refused",
        }
    }

    /// The one word for the agent as a whole.
    pub fn overall(self) -> &'static str {
        match self {
            SessionState::Online => "online",
            SessionState::Connecting => "connecting",
            SessionState::Waiting | SessionState::Refused => "offline",
        }
    }
}

impl StatusBoard {
    /// Not connected yet.
    pub fn new(feed: broadcast::Sender<Happening>) -> Self {
        let status = SessionStatus {
            state: SessionState::Connecting,
            server_addr: String::new(),
            reason: None,
            next_try: None,
            attempt: 0,
            since: Timestamp::now(),
            region: String::new(),
            server_version: String::new(),
        };
        StatusBoard { status: watch::Sender::new(status), feed }
    }

    /// What it is now.
    pub fn now(&self) -> SessionStatus {
        self.status.borrow().clone()
    }

    /// Says whenever it changes.
    pub fn watch(&self) -> watch::Receiver<SessionStatus> {
        self.status.subscribe()
    }

    pub(super) fn connecting(&self, server_addr: String, attempt: u32) {
        // The reason of the last failure stays until it is known whether this try is better.
        self.change(|status| {
            status.enter(SessionState::Connecting);
            status.server_addr = server_addr;
            status.next_try = None;
            status.attempt = attempt;
        });
    }

    pub(super) fn online(&self, server_addr: String, region: String, server_version: String) {
        self.change(|status| {
            status.enter(SessionState::Online);
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
            status.enter(state);
            status.reason = Some(reason);
            status.next_try = Timestamp::now().checked_add(pause).ok();
        });
    }

    /// Not to be tried again until a person wants it.
    pub(super) fn stopped(&self, reason: Error) {
        self.change(|status| {
            status.enter(SessionState::Refused);
            status.reason = Some(reason);
            status.next_try = None;
        });
    }

    fn change(&self, change: impl FnOnce(&mut SessionStatus)) {
        self.status.send_modify(change);
        let _ = self.feed.send(Happening::Status);
    }
}

impl SessionStatus {
    fn enter(&mut self, state: SessionState) {
        if self.state != state {
            self.since = Timestamp::now();
        }
        self.state = state;
    }
}
