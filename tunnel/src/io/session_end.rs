//! End of a session.

use postern_api::Error;

/// Reason for the end of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    /// The agent ended the session on purpose.
    #[error("the agent said goodbye")]
    Goodbye,
    /// The server ended the session and sent the reason.
    #[error("the server ended the session: {0}")]
    Ended(Error),
    /// The last handle of the session was dropped at this end.
    #[error("the session was dropped")]
    Dropped,
    /// The peer missed its heartbeats.
    #[error("heartbeat timeout: the peer sent nothing")]
    Dead,
    /// The control connection broke.
    #[error("the control connection was lost: {0}")]
    Lost(String),
    /// The peer violated the protocol.
    #[error("the peer violated the protocol: {0}")]
    Protocol(String),
}

/// End of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// Whether the session ended on purpose: the agent said goodbye, or the server ended it.
    pub clean: bool,
    /// Reason.
    pub reason: EndReason,
}

impl From<EndReason> for SessionEnd {
    fn from(reason: EndReason) -> Self {
        SessionEnd { clean: matches!(reason, EndReason::Goodbye | EndReason::Ended(_)), reason }
    }
}
