//! The frames of HTTP/2 in bytes that arrive in pieces (RFC 9113, section 4.1).

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

/// Of SETTINGS and PING.
pub(crate) const ACK: u8 = 1;
/// Of DATA and HEADERS.
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;
pub(crate) const PRIORITY: u8 = 0x20;

/// What a client sends before its first frame.
pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD_BYTES: usize = 9;

/// What precedes the payload of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameHead {
    pub(crate) length: u32,
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
}

impl FrameHead {
    fn parse(bytes: [u8; HEAD_BYTES]) -> Self {
        let [a, b, c, kind, flags, stream @ ..] = bytes;
        FrameHead {
            length: u32::from_be_bytes([0, a, b, c]),
            kind,
            flags,
            // The highest bit is reserved.
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
        }
    }

    pub(crate) fn encode(self) -> [u8; HEAD_BYTES] {
        let ([_, a, b, c], [d, e, f, g]) = (self.length.to_be_bytes(), self.stream.to_be_bytes());
        [a, b, c, self.kind, self.flags, d, e, f, g]
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether this acknowledges SETTINGS.
    pub(crate) fn is_settings_ack(self) -> bool {
        self.kind == SETTINGS && self.has(ACK)
    }
}

/// A frame with this payload.
pub(crate) fn encode(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    [&FrameHead { length, kind, flags, stream }.encode()[..], payload].concat()
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scanned<'a> {
    Head(FrameHead),
    /// The payload of the last head, or a piece of it. The preface counts as the payload of a frame without head.
    Payload(&'a [u8]),
}

/// Finds frames in bytes that arrive in pieces.
#[derive(Debug)]
pub(crate) struct FrameScanner {
    /// Bytes of the payload that have not arrived.
    missing: u32,
    head: [u8; HEAD_BYTES],
    filled: usize,
}

impl FrameScanner {
    /// For the direction from the server to the client.
    pub(crate) fn new() -> Self {
        FrameScanner { missing: 0, head: [0; HEAD_BYTES], filled: 0 }
    }

    /// For the direction from the client to the server, which begins with a preface.
    pub(crate) fn with_preface() -> Self {
        FrameScanner { missing: PREFACE.len() as u32, ..Self::new() }
    }

    /// Takes the next part from the beginning of `bytes`. `None` once all of them are taken.
    pub(crate) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Option<Scanned<'a>> {
        if self.missing > 0 && !bytes.is_empty() {
            let (payload, rest) = bytes.split_at(bytes.len().min(self.missing as usize));
            (*bytes, self.missing) = (rest, self.missing - payload.len() as u32);
            return Some(Scanned::Payload(payload));
        }
        let (taken, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.filled));
        self.head[self.filled..self.filled + taken.len()].copy_from_slice(taken);
        (*bytes, self.filled) = (rest, self.filled + taken.len());
        if self.filled < HEAD_BYTES {
            return None;
        }
        let head = FrameHead::parse(self.head);
        (self.filled, self.missing) = (0, head.length);
        Some(Scanned::Head(head))
    }

    /// The bytes that have come of a head that is not complete.
    pub(crate) fn in_head(&self) -> usize {
        self.filled
    }

    /// Whether the next byte is the first of a frame.
    pub(crate) fn is_between_frames(&self) -> bool {
        self.missing == 0 && self.filled == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame() -> impl Strategy<Value = (FrameHead, Vec<u8>)> {
        (any::<(u8, u8)>(), 0..=0x7fff_ffffu32, proptest::collection::vec(any::<u8>(), 0..40)).prop_map(
            |((kind, flags), stream, payload)| {
                (FrameHead { length: payload.len() as u32, kind, flags, stream }, payload)
            },
        )
    }

    proptest! {
        /// However bytes are split, the same frames are found.
        #[test]
        fn frames_are_found_in_pieces(frames in proptest::collection::vec(frame(), 0..8), piece in 1usize..30) {
            let mut bytes = PREFACE.to_vec();
            for (head, payload) in &frames {
                bytes.extend(encode(head.kind, head.flags, head.stream, payload));
            }
            let (mut scanner, mut found) = (FrameScanner::with_preface(), Vec::<(FrameHead, Vec<u8>)>::new());
            for mut piece in bytes.chunks(piece) {
                while let Some(part) = scanner.next(&mut piece) {
                    match part {
                        Scanned::Head(head) => found.push((head, Vec::new())),
                        Scanned::Payload(payload) => {
                            if let Some((_, found)) = found.last_mut() {
                                found.extend_from_slice(payload);
                            }
                        }
                    }
                }
            }
            prop_assert!(scanner.is_between_frames());
            prop_assert_eq!(found, frames);
        }
    }
}
