//! Messages to name servers (RFC 1035): a question, what belongs to it, and the exchange over UDP and TCP. What an answer means
//! is up to the callers.

mod exchange;
mod question;

pub use exchange::{MAX_DATAGRAM_BYTES, Retransmission, over_tcp, over_udp};
pub use question::{question, response_to};
