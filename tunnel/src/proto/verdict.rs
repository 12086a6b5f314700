//! What the agent answers to the start of a stream, in front of its frames.
//!
//! ```text
//! 0                      taken: the stream has arrived, the verdict follows (on the control connection only)
//! 1                      accepted: frames follow
//! 2 | length u16 | JSON  refused, with the error: nothing follows
//! ```

use postern_api::Error;

/// The stream has arrived. Sent on overflow streams at once, because a yamux peer may leave only so many streams
/// without any answer.
pub const TAKEN: u8 = 0;
/// The stream is served.
pub const ACCEPTED: u8 = 1;
/// The stream is not served.
pub const REFUSED: u8 = 2;

/// The longest error a reader accepts.
pub const MAX_ERROR: usize = 8 * 1024;

/// The agent's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Frames follow.
    Accepted,
    /// Nothing follows.
    Refused(Error),
}

/// The bytes are no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer to a stream is malformed")]
pub struct MalformedVerdict;

/// The bytes of a refusal. An error too long to send loses its particulars.
pub fn encode_refusal(error: &Error) -> Vec<u8> {
    let encode = |error: &Error| serde_json::to_vec(error).unwrap_or_default();
    let mut body = encode(error);
    if body.len() > MAX_ERROR {
        body = encode(&Error::from(error.code));
    }
    let mut bytes = Vec::with_capacity(3 + body.len());
    bytes.push(REFUSED);
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// Reads a verdict and not a byte more.
#[derive(Debug)]
pub enum VerdictReader {
    /// Waits for the first byte, or the one after [`TAKEN`].
    First {
        /// The byte.
        byte: [u8; 1],
        /// Whether [`TAKEN`] was read.
        taken: bool,
    },
    /// Reads the length of the error.
    Length {
        /// The length.
        bytes: [u8; 2],
        /// How much of it has arrived.
        have: usize,
    },
    /// Reads the error.
    Body {
        /// The text.
        bytes: Vec<u8>,
        /// How much of it has arrived.
        have: usize,
    },
}

impl Default for VerdictReader {
    fn default() -> Self {
        VerdictReader::First { byte: [0], taken: false }
    }
}

impl VerdictReader {
    /// Where the next bytes go.
    pub fn missing(&mut self) -> &mut [u8] {
        match self {
            VerdictReader::First { byte, .. } => byte,
            VerdictReader::Length { bytes, have } => &mut bytes[*have..],
            VerdictReader::Body { bytes, have } => &mut bytes[*have..],
        }
    }

    /// So many bytes have arrived in the slice handed out.
    pub fn filled(&mut self, count: usize) -> Result<Option<Verdict>, MalformedVerdict> {
        match self {
            VerdictReader::First { byte: [first], taken } => match (*first, *taken) {
                (TAKEN, false) => *taken = true,
                (ACCEPTED, _) => return Ok(Some(Verdict::Accepted)),
                (REFUSED, _) => *self = VerdictReader::Length { bytes: [0; 2], have: 0 },
                _ => return Err(MalformedVerdict),
            },
            VerdictReader::Length { bytes, have } => {
                *have += count;
                if *have == 2 {
                    let length = u16::from_be_bytes(*bytes) as usize;
                    if length == 0 || length > MAX_ERROR {
                        return Err(MalformedVerdict);
                    }
                    *self = VerdictReader::Body { bytes: vec![0; length], have: 0 };
                }
            }
            VerdictReader::Body { bytes, have } => {
                *have += count;
                if *have == bytes.len() {
                    let error = serde_json::from_slice(bytes).map_err(|_| MalformedVerdict)?;
                    return Ok(Some(Verdict::Refused(error)));
                }
            }
        }
        Ok(None)
    }

    /// Takes what belongs to the verdict from `bytes`; returns it with the number of bytes used.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(Option<Verdict>, usize), MalformedVerdict> {
        let mut used = 0;
        while used < bytes.len() {
            let missing = self.missing();
            let count = missing.len().min(bytes.len() - used);
            missing[..count].copy_from_slice(&bytes[used..used + count]);
            used += count;
            if let Some(verdict) = self.filled(count)? {
                return Ok((Some(verdict), used));
            }
        }
        Ok((None, used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::Code;
    use proptest::prelude::*;

    fn read_in_pieces(wire: &[u8], size: usize) -> Result<(Option<Verdict>, usize), MalformedVerdict> {
        let mut reader = VerdictReader::default();
        let mut used = 0;
        for piece in wire.chunks(size) {
            let (verdict, count) = reader.read(piece)?;
            used += count;
            if verdict.is_some() {
                return Ok((verdict, used));
            }
        }
        Ok((None, used))
    }

    proptest! {
        #[test]
        fn a_refusal_arrives_whole_in_any_pieces(text in ".{0,300}", size in 1usize..40, taken in any::<bool>()) {
            let error = Error::new(Code::ServiceUnreachable, text).with("address", "localhost:1");
            let mut wire = if taken { vec![TAKEN] } else { Vec::new() };
            wire.extend(encode_refusal(&error));
            let own = wire.len();
            wire.extend_from_slice(b"next");
            prop_assert_eq!(read_in_pieces(&wire, size), Ok((Some(Verdict::Refused(error)), own)));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = VerdictReader::default().read(&bytes);
        }
    }

    #[test]
    fn taken_is_said_at_most_once() {
        assert_eq!(read_in_pieces(&[TAKEN, ACCEPTED, 9], 1), Ok((Some(Verdict::Accepted), 2)));
        assert_eq!(read_in_pieces(&[TAKEN, TAKEN], 2), Err(MalformedVerdict));
        assert_eq!(read_in_pieces(&[7], 1), Err(MalformedVerdict));
    }

    #[test]
    fn an_error_of_hostile_length_is_refused() {
        assert_eq!(read_in_pieces(&[REFUSED, 0xff, 0xff], 1), Err(MalformedVerdict));
        assert_eq!(read_in_pieces(&[REFUSED, 0, 0], 1), Err(MalformedVerdict));
    }

    #[test]
    fn an_error_too_long_to_send_keeps_its_code() {
        let wire = encode_refusal(&Error::new(Code::TunnelLoop, "x".repeat(MAX_ERROR)));
        let (verdict, _) = read_in_pieces(&wire, 100).unwrap();
        assert_eq!(verdict, Some(Verdict::Refused(Error::from(Code::TunnelLoop))));
    }
}
