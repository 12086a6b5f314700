//! Frames of a shared connection, which carries small messages of many streams.
//!
//! ```text
//! stream u32 | read u32 | length u16 | payload
//! ```
//! Numbers are big-endian. `read` is how many bytes of the stream the sender has read so far, modulo 2^32; its peer may
//! have sent [`WINDOW`] bytes more. Bit 15 of the length opens a stream. Some lengths have a meaning of their own: `0x7fff`
//! breaks the stream off, `0x7ffe` asks for a connection of its own, `0x7ffd` asks whether the connection works, and
//! `0x7ffc` is the answer.

/// Bytes of a frame header.
pub const HEADER: usize = 10;
/// Unread bytes that a stream may have in each direction, and the longest payload.
pub const WINDOW: usize = 16 * 1024;
const OPEN: u16 = 1 << 15;
const RESET: u16 = OPEN - 1;
const MOVE: u16 = OPEN - 2;
const PING: u16 = OPEN - 3;
const PONG: u16 = OPEN - 4;

/// Streams beyond which an end sends less of further ones, so that many whose readers are slow cost little memory.
const CROWDED_FROM: usize = 512;

/// What both ends keep to on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLimits {
    /// Most streams of the opener; its peer allows twice as many, because it may learn late that one has ended.
    pub max_streams: usize,
    /// Unread bytes that a stream of a crowded connection may have. A reader tells that it has read so many, or half of [`WINDOW`].
    pub crowded_window: usize,
}

impl SharedLimits {
    /// Of this build.
    pub const CURRENT: SharedLimits = SharedLimits { max_streams: 4096, crowded_window: 5 * 1024 };
    /// In sessions of version 6.
    pub const FORMER: SharedLimits = SharedLimits { max_streams: 512, crowded_window: WINDOW };

    /// Unread bytes that one of so many streams may have.
    pub fn window(self, streams: usize) -> usize {
        if streams > CROWDED_FROM { self.crowded_window } else { WINDOW }
    }

    /// Bytes after which a reader tells that it has read them.
    pub fn told_after(self) -> usize {
        self.crowded_window.min(WINDOW / 2)
    }
}

/// What a frame does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Carries the first bytes of a stream.
    Open,
    /// Carries further bytes, or only tells how many were read.
    Data,
    /// Breaks the stream off.
    Reset,
    /// Asks for a connection of its own, because the stream has more to send than the window takes.
    Move,
    /// Asks whether the connection works. Of no stream.
    Ping,
    /// Answers a ping. Of no stream.
    Pong,
}

/// Header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// Number of the stream.
    pub stream: u32,
    /// Bytes of the stream that the sender has read, modulo 2^32.
    pub read: u32,
    /// What the frame does.
    pub kind: FrameKind,
    /// Length of the payload in bytes, [`WINDOW`] at most.
    pub length: usize,
}

/// A header announces a payload that is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {0} bytes exceeds the window of a stream")]
pub struct PayloadTooLong(pub usize);

impl FrameHeader {
    /// The header as bytes.
    pub fn encode(self) -> [u8; HEADER] {
        debug_assert!(self.length <= WINDOW, "a frame carries {WINDOW} bytes at most");
        let length = match self.kind {
            FrameKind::Open => self.length as u16 | OPEN,
            FrameKind::Data => self.length as u16,
            FrameKind::Reset => RESET,
            FrameKind::Move => MOVE,
            FrameKind::Ping => PING,
            FrameKind::Pong => PONG,
        };
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&self.stream.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.read.to_be_bytes());
        bytes[8..].copy_from_slice(&length.to_be_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// [`PayloadTooLong`] if the payload is longer than [`WINDOW`].
    pub fn decode(bytes: &[u8; HEADER]) -> Result<Self, PayloadTooLong> {
        let [a, b, c, d, e, f, g, h, high, low] = *bytes;
        let (kind, length) = match u16::from_be_bytes([high, low]) {
            RESET => (FrameKind::Reset, 0),
            MOVE => (FrameKind::Move, 0),
            PING => (FrameKind::Ping, 0),
            PONG => (FrameKind::Pong, 0),
            length if length & OPEN != 0 => (FrameKind::Open, usize::from(length ^ OPEN)),
            length => (FrameKind::Data, usize::from(length)),
        };
        if length > WINDOW {
            return Err(PayloadTooLong(length));
        }
        let (stream, read) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        Ok(FrameHeader { stream, read, kind, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back(stream: u32, read: u32, length in 0..=WINDOW) {
            let empty = [FrameKind::Reset, FrameKind::Move, FrameKind::Ping, FrameKind::Pong].map(|kind| (kind, 0));
            for (kind, length) in [(FrameKind::Open, length), (FrameKind::Data, length)].into_iter().chain(empty) {
                let header = FrameHeader { stream, read, kind, length };
                prop_assert_eq!(FrameHeader::decode(&header.encode()), Ok(header));
            }
        }

        #[test]
        fn no_header_announces_more_than_a_window(bytes: [u8; HEADER]) {
            match FrameHeader::decode(&bytes) {
                Ok(header) => prop_assert!(header.length <= WINDOW && header.encode() == bytes),
                Err(PayloadTooLong(length)) => prop_assert!(length > WINDOW),
            }
        }
    }
}
