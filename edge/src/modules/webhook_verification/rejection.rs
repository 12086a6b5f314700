//! Reasons why a request is not accepted as a provider's. None of them reveals the correct value.

use std::fmt;

/// Reason for refusing a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// A required header is missing.
    MissingHeader(String),
    /// A header is repeated.
    RepeatedHeader(String),
    /// A header does not have the provider's format.
    MalformedHeader(String),
    /// The body does not have the provider's format, or lacks a required value.
    InvalidBody(&'static str),
    /// The timestamp cannot be parsed.
    InvalidTimestamp,
    /// The timestamp differs from the current time by more than this tolerance in seconds.
    StaleTimestamp(u16),
    /// A one-time webhook was received before.
    Replayed,
    /// The secret of the route does not have the provider's format.
    InvalidSecret(&'static str),
    /// The certificate that a message names cannot be used.
    InvalidCertificate(&'static str),
    /// The signature does not match.
    WrongSignature,
    /// A challenge has the wrong format.
    InvalidChallenge,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::MissingHeader(header) => write!(f, "the `{header}` header is missing"),
            Rejection::RepeatedHeader(header) => write!(f, "the `{header}` header appears more than once"),
            Rejection::MalformedHeader(header) => {
                write!(f, "the `{header}` header does not have the format of this provider")
            }
            Rejection::InvalidBody(words) | Rejection::InvalidSecret(words) | Rejection::InvalidCertificate(words) => {
                f.write_str(words)
            }
            Rejection::InvalidTimestamp => f.write_str("its timestamp cannot be parsed"),
            Rejection::StaleTimestamp(tolerance) => {
                write!(f, "its timestamp is more than {tolerance} seconds away from this server's time")
            }
            Rejection::Replayed => f.write_str("it was received before"),
            Rejection::WrongSignature => {
                f.write_str("its signature does not match the request and the secret of the route")
            }
            Rejection::InvalidChallenge => f.write_str("the challenge does not have the format of the provider"),
        }
    }
}
