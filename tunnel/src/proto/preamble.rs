//! The first bytes of a connection: what protocol it speaks and what it is for.
//!
//! ```text
//! "POSTERN" | version u8 | kind u8                                         a control connection (kind 1)
//! "POSTERN" | version u8 | kind u8 | n u8 | m u8 | session n | secret m    a data connection (kind 2)
//! ```
//! The version is that of the bytes on the wire; versions of messages are negotiated in the greeting.

use postern_api::Secret;
use zeroize::Zeroizing;

const MAGIC: &[u8; 7] = b"POSTERN";
const WIRE_VERSION: u8 = 1;
const CONTROL: u8 = 1;
const DATA: u8 = 2;
const FIXED: usize = MAGIC.len() + 2;
const LENGTHS: usize = FIXED + 2;

/// The longest preamble there can be.
pub const MAX_PREAMBLE: usize = LENGTHS + 2 * u8::MAX as usize;

/// What a connection is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preamble {
    /// It carries a session.
    Control,
    /// It joins a session.
    Data {
        /// Which one.
        session: String,
        /// The secret the session handed out.
        secret: Secret,
    },
}

/// How far a preamble has been read.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// The preamble is at least so many bytes long altogether.
    Needs(usize),
    /// All there.
    Complete(Preamble),
}

/// The bytes are no preamble this build understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedPreamble {
    /// Something else speaks.
    #[error("the peer does not speak this protocol")]
    Foreign,
    /// The wire format is of another version.
    #[error("the peer speaks wire version {0}, this end speaks {WIRE_VERSION}")]
    Version(u8),
    /// The kind is unknown or a field is not text.
    #[error("the preamble is malformed")]
    Malformed,
}

impl Preamble {
    /// The bytes to send; wiped from memory after use. Session and secret are at most 255 bytes.
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

    /// Reads the beginning of a connection. Foreign bytes are refused as early as they can be told.
    pub fn decode(bytes: &[u8]) -> Result<Progress, MalformedPreamble> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(MalformedPreamble::Foreign);
        }
        if let Some(&version) = bytes.get(MAGIC.len())
            && version != WIRE_VERSION
        {
            return Err(MalformedPreamble::Version(version));
        }
        let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED>() else { return Ok(Progress::Needs(FIXED)) };
        match fixed[FIXED - 1] {
            CONTROL => Ok(Progress::Complete(Preamble::Control)),
            DATA => {
                let Some((&[session, secret], rest)) = rest.split_first_chunk::<2>() else {
                    return Ok(Progress::Needs(LENGTHS));
                };
                let (session, secret) = (session as usize, secret as usize);
                if rest.len() < session + secret {
                    return Ok(Progress::Needs(LENGTHS + session + secret));
                }
                let text = |part: &[u8]| {
                    std::str::from_utf8(part).map(str::to_owned).map_err(|_| MalformedPreamble::Malformed)
                };
                Ok(Progress::Complete(Preamble::Data {
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

    fn read_as_asked(wire: &[u8]) -> Result<(Preamble, usize), MalformedPreamble> {
        let mut have = 0;
        loop {
            match Preamble::decode(&wire[..have])? {
                Progress::Complete(preamble) => return Ok((preamble, have)),
                Progress::Needs(total) => {
                    assert!(total > have && total <= MAX_PREAMBLE, "reading always goes on and stays bounded");
                    have = total;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn reading_what_is_asked_for_never_takes_a_byte_too_many(
            session in "[ -~]{0,255}", secret in "[ -~]{0,255}", after in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            for preamble in [Preamble::Control, Preamble::Data { session, secret: Secret::new(secret) }] {
                let mut wire = preamble.encode().to_vec();
                let own = wire.len();
                wire.extend_from_slice(&after);
                prop_assert_eq!(read_as_asked(&wire), Ok((preamble, own)));
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
