//! Preamble of a connection: its protocol and its purpose.
//!
//! ```text
//! "POSTERN" | version u8 | kind u8                                         a control connection (kind 1)
//! "POSTERN" | version u8 | kind u8 | n u8 | m u8 | session n | secret m    a data connection (kind 2)
//! ```
//! The version is that of the wire format; message versions are negotiated in the handshake.

use postern_api::Secret;
use zeroize::Zeroizing;

const MAGIC: &[u8; 7] = b"POSTERN";
const WIRE_VERSION: u8 = 1;
const CONTROL: u8 = 1;
const DATA: u8 = 2;
/// Bytes of the part that every preamble has.
const FIXED: usize = MAGIC.len() + 2;
const LENGTHS: usize = FIXED + 2;

/// Longest preamble in bytes.
pub const MAX_PREAMBLE: usize = LENGTHS + 2 * u8::MAX as usize;

/// Purpose of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preamble {
    /// A control connection, which carries a session.
    Control,
    /// A data connection, which joins a session.
    Data {
        /// Session id.
        session: String,
        /// Data secret of the session, from its [`Welcome`](super::message::Welcome).
        secret: Secret,
    },
}

/// Result of decoding the bytes received so far.
#[derive(Debug, PartialEq, Eq)]
pub enum PreambleProgress {
    /// More bytes are needed: the whole preamble is at least this long.
    Incomplete(usize),
    /// The preamble is complete.
    Complete(Preamble),
}

/// The bytes are not a preamble that this build understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedPreamble {
    /// The peer speaks another protocol.
    #[error("the peer does not speak this protocol")]
    Foreign,
    /// The wire format has another version.
    #[error("the peer speaks wire version {0}, this end speaks {WIRE_VERSION}")]
    Version(u8),
    /// The kind is unknown or a field is not text.
    #[error("the preamble is malformed")]
    Malformed,
}

impl Preamble {
    /// Encodes the preamble; the bytes are wiped from memory on drop. Session and secret have at most 255 bytes each.
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_PREAMBLE));
        bytes.extend_from_slice(MAGIC);
        bytes.push(WIRE_VERSION);
        match self {
            Preamble::Control => bytes.push(CONTROL),
            Preamble::Data { session, secret } => {
                debug_assert!(session.len() <= 255 && secret.reveal().len() <= 255, "checked when welcoming");
                bytes.push(DATA);
                bytes.push(session.len() as u8);
                bytes.push(secret.reveal().len() as u8);
                bytes.extend_from_slice(session.as_bytes());
                bytes.extend_from_slice(secret.reveal().as_bytes());
            }
        }
        bytes
    }

    /// Decodes the first bytes of a connection. Another protocol is refused at the first byte that differs.
    ///
    /// # Errors
    /// [`MalformedPreamble`] if no further bytes can make this a preamble.
    pub fn decode(bytes: &[u8]) -> Result<PreambleProgress, MalformedPreamble> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(MalformedPreamble::Foreign);
        }
        if let Some(&version) = bytes.get(MAGIC.len())
            && version != WIRE_VERSION
        {
            return Err(MalformedPreamble::Version(version));
        }
        let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED>() else {
            return Ok(PreambleProgress::Incomplete(FIXED));
        };
        match fixed[FIXED - 1] {
            CONTROL => Ok(PreambleProgress::Complete(Preamble::Control)),
            DATA => {
                let Some((&[session, secret], rest)) = rest.split_first_chunk::<2>() else {
                    return Ok(PreambleProgress::Incomplete(LENGTHS));
                };
                let (session, secret) = (session as usize, secret as usize);
                if rest.len() < session + secret {
                    return Ok(PreambleProgress::Incomplete(LENGTHS + session + secret));
                }
                let text = |part: &[u8]| {
                    std::str::from_utf8(part).map(str::to_owned).map_err(|_| MalformedPreamble::Malformed)
                };
                Ok(PreambleProgress::Complete(Preamble::Data {
                    session: text(&rest[..session])?,
                    secret: Secret::new(text(&rest[session..session + secret])?),
                }))
            }
            _ => Err(MalformedPreamble::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_as_needed(wire: &[u8]) -> Result<(Preamble, usize), MalformedPreamble> {
        let mut have = 0;
        loop {
            match Preamble::decode(&wire[..have])? {
                PreambleProgress::Complete(preamble) => return Ok((preamble, have)),
                PreambleProgress::Incomplete(total) => {
                    assert!(total > have && total <= MAX_PREAMBLE, "reading always goes on and stays bounded");
                    have = total;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn reading_the_needed_bytes_never_consumes_too_many(
            session in "[ -~]{0,255}", secret in "[ -~]{0,255}", after in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            for preamble in [Preamble::Control, Preamble::Data { session, secret: Secret::new(secret) }] {
                let mut wire = preamble.encode().to_vec();
                let own = wire.len();
                wire.extend_from_slice(&after);
                prop_assert_eq!(read_as_needed(&wire), Ok((preamble, own)));
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = Preamble::decode(&bytes);
        }
    }

    #[test]
    fn foreign_bytes_are_refused_at_once() {
        assert_eq!(Preamble::decode(b"G"), Err(MalformedPreamble::Foreign));
        assert_eq!(Preamble::decode(b"POSTERN\x02"), Err(MalformedPreamble::Version(2)));
        assert_eq!(Preamble::decode(b"POSTERN\x01\x09"), Err(MalformedPreamble::Malformed));
        assert_eq!(Preamble::decode(b"POSTERN\x01\x02\x01\x00\xff"), Err(MalformedPreamble::Malformed));
    }
}
