//! The agent's reply to the start of a stream, sent before its frames.
//!
//! ```text
//! 0                      received: the stream has arrived, the reply follows (on the control connection; on a link between
//!                        nodes on every connection, once the stream has a connection to the agent)
//! 1                      accepted: frames follow
//! 2 | length u16 | JSON  refused, with the error; nothing follows
//! ```

use postern_api::Error;

/// The stream has arrived. Sent at once on overflow streams, because yamux limits the number of streams that a peer
/// has not acknowledged.
/// On links between nodes it is sent on every stream, once the agent's node has a connection to the agent.
pub const RECEIVED: u8 = 0;
/// The agent serves the stream.
pub const ACCEPTED: u8 = 1;
/// The agent does not serve the stream.
pub const REFUSED: u8 = 2;

/// Longest JSON error in bytes that a reader accepts.
pub const MAX_ERROR_BYTES: usize = 8 * 1024;

/// Reply to the start of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamReply {
    /// The agent serves the stream; frames follow.
    Accepted,
    /// The agent does not serve the stream; nothing follows.
    Refused(Error),
}

/// The bytes are not a stream reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reply to a stream is malformed")]
pub struct MalformedStreamReply;

/// Encodes a refusal. An error that is too long is reduced to its code.
pub fn encode_refusal(error: &Error) -> Vec<u8> {
    let encode = |error: &Error| serde_json::to_vec(error).unwrap_or_default();
    let mut body = encode(error);
    if body.len() > MAX_ERROR_BYTES {
        body = encode(&Error::from(error.code));
    }
    let mut bytes = Vec::with_capacity(3 + body.len());
    bytes.push(REFUSED);
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// Reads a stream reply without consuming bytes after it.
#[derive(Debug)]
pub enum StreamReplyReader {
    /// Expects the first byte, or the one after [`RECEIVED`].
    First {
        /// The byte.
        byte: [u8; 1],
        /// Whether [`RECEIVED`] was read.
        received: bool,
    },
    /// Reads the length of the error.
    Length {
        /// Big-endian length.
        bytes: [u8; 2],
        /// Number of bytes read.
        have: usize,
    },
    /// Reads the error.
    Body {
        /// JSON of the error.
        bytes: Vec<u8>,
        /// Number of bytes read.
        have: usize,
    },
}

impl Default for StreamReplyReader {
    fn default() -> Self {
        StreamReplyReader::First { byte: [0], received: false }
    }
}

impl StreamReplyReader {
    /// Whether the peer has told that the stream has arrived, and nothing of its reply so far.
    pub fn is_received(&self) -> bool {
        matches!(self, StreamReplyReader::First { received: true, .. })
    }

    /// Buffer for the next bytes.
    pub fn missing(&mut self) -> &mut [u8] {
        match self {
            StreamReplyReader::First { byte, .. } => byte,
            StreamReplyReader::Length { bytes, have } => &mut bytes[*have..],
            StreamReplyReader::Body { bytes, have } => &mut bytes[*have..],
        }
    }

    /// Records that `count` bytes were read into [`missing`](Self::missing). Returns the reply once it is complete.
    ///
    /// # Errors
    /// [`MalformedStreamReply`] if the bytes are not a reply.
    pub fn filled(&mut self, count: usize) -> Result<Option<StreamReply>, MalformedStreamReply> {
        match self {
            StreamReplyReader::First { byte: [first], received } => match (*first, *received) {
                (RECEIVED, false) => *received = true,
                (ACCEPTED, _) => return Ok(Some(StreamReply::Accepted)),
                (REFUSED, _) => *self = StreamReplyReader::Length { bytes: [0; 2], have: 0 },
                _ => return Err(MalformedStreamReply),
            },
            StreamReplyReader::Length { bytes, have } => {
                *have += count;
                if *have == 2 {
                    let length = u16::from_be_bytes(*bytes) as usize;
                    if length == 0 || length > MAX_ERROR_BYTES {
                        return Err(MalformedStreamReply);
                    }
                    *self = StreamReplyReader::Body { bytes: vec![0; length], have: 0 };
                }
            }
            StreamReplyReader::Body { bytes, have } => {
                *have += count;
                if *have == bytes.len() {
                    let error = serde_json::from_slice(bytes).map_err(|_| MalformedStreamReply)?;
                    return Ok(Some(StreamReply::Refused(error)));
                }
            }
        }
        Ok(None)
    }

    /// Consumes the reply's part of `bytes`. Returns the reply once it is complete, and the number of bytes used.
    ///
    /// # Errors
    /// [`MalformedStreamReply`] if the bytes are not a reply.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(Option<StreamReply>, usize), MalformedStreamReply> {
        let mut used = 0;
        while used < bytes.len() {
            let missing = self.missing();
            let count = missing.len().min(bytes.len() - used);
            missing[..count].copy_from_slice(&bytes[used..used + count]);
            used += count;
            if let Some(reply) = self.filled(count)? {
                return Ok((Some(reply), used));
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

    fn read_in_pieces(wire: &[u8], size: usize) -> Result<(Option<StreamReply>, usize), MalformedStreamReply> {
        let mut reader = StreamReplyReader::default();
        let mut used = 0;
        for piece in wire.chunks(size) {
            let (reply, count) = reader.read(piece)?;
            used += count;
            if reply.is_some() {
                return Ok((reply, used));
            }
        }
        Ok((None, used))
    }

    proptest! {
        #[test]
        fn a_refusal_is_read_whole_from_any_pieces(text in ".{0,300}", size in 1usize..40, received in any::<bool>()) {
            let error = Error::new(Code::ServiceUnreachable, text).with("address", "localhost:1");
            let mut wire = if received { vec![RECEIVED] } else { Vec::new() };
            wire.extend(encode_refusal(&error));
            let own = wire.len();
            wire.extend_from_slice(b"next");
            prop_assert_eq!(read_in_pieces(&wire, size), Ok((Some(StreamReply::Refused(error)), own)));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = StreamReplyReader::default().read(&bytes);
        }
    }

    #[test]
    fn received_is_sent_at_most_once() {
        assert_eq!(read_in_pieces(&[RECEIVED, ACCEPTED, 9], 1), Ok((Some(StreamReply::Accepted), 2)));
        assert_eq!(read_in_pieces(&[RECEIVED, RECEIVED], 2), Err(MalformedStreamReply));
        assert_eq!(read_in_pieces(&[7], 1), Err(MalformedStreamReply));
    }

    #[test]
    fn an_error_of_hostile_length_is_refused() {
        assert_eq!(read_in_pieces(&[REFUSED, 0xff, 0xff], 1), Err(MalformedStreamReply));
        assert_eq!(read_in_pieces(&[REFUSED, 0, 0], 1), Err(MalformedStreamReply));
    }

    #[test]
    fn an_error_that_is_too_long_keeps_its_code() {
        let wire = encode_refusal(&Error::new(Code::TunnelLoop, "x".repeat(MAX_ERROR_BYTES)));
        let (reply, _) = read_in_pieces(&wire, 100).unwrap();
        assert_eq!(reply, Some(StreamReply::Refused(Error::from(Code::TunnelLoop))));
    }
}
