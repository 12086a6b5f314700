//! TLS connections whose idle ones hold no buffer: rustls does the handshake and owns the secrets, and the records that
//! follow are decrypted in a buffer that the thread lends.
//!
//! rustls' own stream keeps a read buffer for each connection and copies each record between two more of its buffers. Here the cipher of
//! rustls decrypts a record where it was received, and what it encrypts is what the socket takes.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod handshake;
mod incoming;
mod keys;
mod messages;
mod outgoing;
mod post_handshake;
mod stream;
#[cfg(test)]
mod tests;

pub use handshake::{Negotiated, accept, connect};
pub use stream::TlsStream;

use rustls::{Error, InvalidMessage};
use std::io;

/// The most plaintext of one record (RFC 8446, section 5.1).
const MAX_PLAINTEXT: usize = 16 * 1024;
/// The most that a record may be longer than its plaintext (RFC 5246, section 6.2.3).
const MAX_EXPANSION: usize = 2048;
/// Content type, version and length.
const HEADER_LENGTH: usize = 5;

/// The length of the record that these bytes begin, with its header; `None` until the header is there.
fn record_length(bytes: &[u8]) -> Result<Option<usize>, Error> {
    let Some(&[_, major, _, high, low]) = bytes.first_chunk::<HEADER_LENGTH>() else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes([high, low]));
    if major != 3 {
        return Err(InvalidMessage::UnknownProtocolVersion.into());
    }
    if length > MAX_PLAINTEXT + MAX_EXPANSION {
        return Err(InvalidMessage::MessageTooLarge.into());
    }
    Ok(Some(HEADER_LENGTH + length))
}

/// An error of rustls, as its own streams return it.
fn invalid_data(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
