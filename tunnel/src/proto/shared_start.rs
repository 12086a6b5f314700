//! First bytes of a data connection that streams share, or that a stream of a shared connection moves to.
//!
//! ```text
//! 0 | 0 | connection u32                             streams share the connection from now on
//! 0 | 1 | connection u32 | stream u32 | sent u32     the stream continues here; `sent` is how many bytes of it its opener
//!                                                    has sent on the shared connection, modulo 2^32
//! ```
//! Numbers are big-endian. The first byte would be the length of a [`StreamStart`](super::stream_start::StreamStart), which is
//! never empty. To a stream that continues, the peer replies with the number of bytes that it has sent itself, as `u32`.

const SHARE: u8 = 0;
const CONTINUE: u8 = 1;

/// First bytes of such a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedStart {
    /// Streams share the connection.
    Share {
        /// Number of the connection in its session.
        connection: u32,
    },
    /// A stream continues here.
    Continue {
        /// Number of the shared connection.
        connection: u32,
        /// Number of the stream there.
        stream: u32,
        /// Bytes of it that its opener has sent there.
        sent: u32,
    },
}

/// The bytes are not a [`SharedStart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the start of a shared connection is malformed")]
pub struct MalformedSharedStart;

impl SharedStart {
    /// Most bytes after the second one.
    pub const MAX_LENGTH: usize = 12;

    /// The bytes, the leading zero included.
    pub fn encode(self) -> Vec<u8> {
        let mut bytes = vec![0];
        match self {
            SharedStart::Share { connection } => {
                bytes.push(SHARE);
                bytes.extend_from_slice(&connection.to_be_bytes());
            }
            SharedStart::Continue { connection, stream, sent } => {
                bytes.push(CONTINUE);
                for number in [connection, stream, sent] {
                    bytes.extend_from_slice(&number.to_be_bytes());
                }
            }
        }
        bytes
    }

    /// How many bytes follow the second one.
    ///
    /// # Errors
    /// [`MalformedSharedStart`] if the second byte is unknown.
    pub fn length(second: u8) -> Result<usize, MalformedSharedStart> {
        match second {
            SHARE => Ok(4),
            CONTINUE => Ok(12),
            _ => Err(MalformedSharedStart),
        }
    }

    /// Decodes the second byte and those that follow it.
    ///
    /// # Errors
    /// [`MalformedSharedStart`] if the second byte is unknown, or their number is another one.
    pub fn decode(second: u8, bytes: &[u8]) -> Result<Self, MalformedSharedStart> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        let numbers: Vec<u32> = numbers.iter().map(|number| u32::from_be_bytes(*number)).collect();
        match (second, numbers.as_slice(), rest) {
            (SHARE, &[connection], []) => Ok(SharedStart::Share { connection }),
            (CONTINUE, &[connection, stream, sent], []) => Ok(SharedStart::Continue { connection, stream, sent }),
            _ => Err(MalformedSharedStart),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back(connection: u32, stream: u32, sent: u32) {
            for start in [SharedStart::Share { connection }, SharedStart::Continue { connection, stream, sent }] {
                let bytes = start.encode();
                prop_assert_eq!(bytes[0], 0);
                prop_assert_eq!(SharedStart::length(bytes[1]), Ok(bytes.len() - 2));
                prop_assert_eq!(SharedStart::decode(bytes[1], &bytes[2..]), Ok(start));
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(second: u8, bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            if let Ok(start) = SharedStart::decode(second, &bytes) {
                prop_assert_eq!(&start.encode()[2..], &bytes[..]);
            }
        }
    }
}
