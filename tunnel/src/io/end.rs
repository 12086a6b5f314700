//! How a session ends.

use postern_api::Error;

/// Why a session is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    /// The agent left on purpose.
    #[error("the agent said goodbye")]
    Goodbye,
    /// The server ended it and said why.
    #[error("the server ended the session: {0}")]
    Ended(Error),
    /// The handle of the session was dropped at this end.
    #[error("the session was dropped")]
    Dropped,
    /// The peer gave no sign of life.
    #[error("the peer gave no sign of life")]
    Dead,
    /// The control connection broke.
    #[error("the control connection was lost: {0}")]
    Lost(String),
    /// The peer broke the rules.
    #[error("the peer broke the protocol: {0}")]
    Protocol(String),
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// Whether it ended on purpose: the agent said goodbye, or the server ended it.
    pub clean: bool,
    /// Why.
    pub reason: EndReason,
}

impl From<EndReason> for SessionEnd {
    fn from(reason: EndReason) -> Self {
        SessionEnd { clean: matches!(reason, EndReason::Goodbye | EndReason::Ended(_)), reason }
    }
}
