//! The frames of HTTP/2 in bytes that arrive in pieces (RFC 9113, section 4.1).

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;

/// Of SETTINGS and PING.
pub(super) const ACK: u8 = 1;
/// Of DATA and HEADERS.
pub(super) const END_STREAM: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;
pub(super) const PADDED: u8 = 8;
pub(super) const PRIORITY: u8 = 0x20;

/// What a client sends before its first frame.
pub(super) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(super) const HEAD_BYTES: usize = 9;

/// What precedes the payload of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) length: u32,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
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

    pub(super) fn encode(self) -> [u8; HEAD_BYTES] {
        let ([_, a, b, c], [d, e, f, g]) = (self.length.to_be_bytes(), self.stream.to_be_bytes());
        [a, b, c, self.kind, self.flags, d, e, f, g]
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether this acknowledges SETTINGS. One that is malformed does not: the codec ends the connection.
    pub(super) fn is_settings_ack(self) -> bool {
        self.kind == SETTINGS && self.has(ACK) && self.stream == 0 && self.length == 0
    }
}

/// A frame with this payload.
pub(super) fn encode(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    [&FrameHead { length, kind, flags, stream }.encode()[..], payload].concat()
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned<'a> {
    Head(FrameHead),
    /// The payload of the last head, or a piece of it. The preface counts as the payload of a frame without head.
    Payload(&'a [u8]),
}

/// Finds frames in bytes that arrive in pieces.
#[derive(Debug)]
pub(super) struct FrameScanner {
    /// Bytes of the payload that have not arrived.
    missing: u32,
    head: [u8; HEAD_BYTES],
    /// Bytes that have come of a head that is not complete.
    filled: u8,
    /// Whether a field block goes on in the next frame, which has to be CONTINUATION.
    is_in_block: bool,
}

impl FrameScanner {
    /// For the direction from the server to the client.
    pub(super) fn new() -> Self {
        FrameScanner { missing: 0, head: [0; HEAD_BYTES], filled: 0, is_in_block: false }
    }

    /// For the direction from the client to the server, which begins with a preface.
    pub(super) fn with_preface() -> Self {
        FrameScanner { missing: PREFACE.len() as u32, ..Self::new() }
    }

    /// Takes the next part from the beginning of `bytes`. `None` once all of them are taken.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Option<Scanned<'a>> {
        if bytes.is_empty() {
            return None;
        }
        if self.missing > 0 {
            let (payload, rest) = bytes.split_at(bytes.len().min(self.missing as usize));
            (*bytes, self.missing) = (rest, self.missing - payload.len() as u32);
            return Some(Scanned::Payload(payload));
        }
        let head = match bytes.split_first_chunk() {
            Some((head, rest)) if self.filled == 0 => {
                *bytes = rest;
                FrameHead::parse(*head)
            }
            _ => self.complete_head(bytes)?,
        };
        self.missing = head.length;
        if matches!(head.kind, HEADERS | CONTINUATION) {
            self.is_in_block = !head.has(END_HEADERS);
        }
        Some(Scanned::Head(head))
    }

    /// Takes what is missing of a head.
    fn complete_head(&mut self, bytes: &mut &[u8]) -> Option<FrameHead> {
        let missing = &mut self.head[usize::from(self.filled)..];
        let (taken, rest) = bytes.split_at(bytes.len().min(missing.len()));
        missing[..taken.len()].copy_from_slice(taken);
        let is_complete = taken.len() == missing.len();
        (*bytes, self.filled) = (rest, self.filled + taken.len() as u8);
        if !is_complete {
            return None;
        }
        self.filled = 0;
        Some(FrameHead::parse(self.head))
    }

    /// The bytes that have come of a head that is not complete.
    pub(super) fn in_head(&self) -> usize {
        self.filled.into()
    }

    /// Whether the next byte is the first of a frame, which may be any.
    pub(super) fn is_between_frames(&self) -> bool {
        self.missing == 0 && self.filled == 0 && !self.is_in_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame() -> impl Strategy<Value = (FrameHead, Vec<u8>)> {
        ((0u8..12, any::<u8>()), 0..=0x7fff_ffffu32, proptest::collection::vec(any::<u8>(), 0..40)).prop_map(
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
            let last = frames.iter().rev().find(|(head, _)| matches!(head.kind, HEADERS | CONTINUATION));
            prop_assert_eq!(scanner.is_between_frames(), last.is_none_or(|(head, _)| head.has(END_HEADERS)));
            prop_assert_eq!(found, frames);
        }
    }
}
