//! Why a request is not taken for a provider's: said without telling what would have been right.

use std::fmt;

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A header that every webhook of the provider has is missing.
    Missing(String),
    /// It stands there more than once.
    Twice(String),
    /// It is not written as the provider writes it.
    Unreadable(String),
    /// The body is not what the provider sends, or does not say what is needed; the words tell what.
    Body(&'static str),
    /// The timestamp cannot be read.
    Time,
    /// The timestamp is too far from now, by this tolerance in seconds.
    Stale(u16),
    /// A webhook that may be used once was used before.
    Used,
    /// The secret that the route has cannot be one of the provider's; the words tell why.
    Secret(&'static str),
    /// The certificate that a message names cannot be used; the words tell why.
    Certificate(&'static str),
    /// Everything is there, and does not fit.
    Wrong,
    /// A request to prove that the endpoint is what it seems cannot be answered.
    Challenge,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Missing(header) => write!(f, "the `{header}` header is missing"),
            Reason::Twice(header) => write!(f, "the `{header}` header stands there more than once"),
            Reason::Unreadable(header) => {
                write!(f, "the `{header}` header is not written as this provider writes it")
            }
            Reason::Body(words) | Reason::Secret(words) | Reason::Certificate(words) => f.write_str(words),
            Reason::Time => f.write_str("its timestamp cannot be read"),
            Reason::Stale(tolerance) => {
                write!(f, "its timestamp is more than {tolerance} seconds away from the time of this server")
            }
            Reason::Used => f.write_str("it was received before"),
            Reason::Wrong => f.write_str("its signature does not fit what was received and the secret of the route"),
            Reason::Challenge => f.write_str("the challenge is not one that the provider would send"),
        }
    }
}
