//! A request that was forwarded and got no response.

use std::time::Duration;

/// The state of a connection that ended without a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingResponse {
    /// The few bytes that the local service sent instead.
    pub first_bytes: Vec<u8>,
    /// Time between the request and the end of the connection.
    pub waited: Duration,
    /// Time since the last byte of the request; `None` if the request was not whole.
    pub since_request: Option<Duration>,
}
