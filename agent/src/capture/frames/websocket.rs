//! One direction of a WebSocket (RFC 6455 section 5) read from its bytes in any split.

use super::{FrameKind, MAX_FRAME_BYTES};

/// The bytes are not valid WebSocket frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WebSocketError;

/// A part of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WebSocketPart<'a> {
    /// A frame begins; at most this many bytes of its data are kept.
    Begin(usize),
    /// Unmasked data of the frame, in a buffer of the reader.
    Data(&'a [u8]),
    /// The frame has ended.
    End { kind: FrameKind, last: bool, compressed: bool },
}

/// Reads frames.
#[derive(Debug, Default)]
pub(crate) struct WebSocketReader {
    header: [u8; 14],
    header_length: usize,
    frame: Option<FrameHeader>,
    /// The message in progress is compressed (RFC 7692).
    compressed: bool,
    unmasked: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct FrameHeader {
    kind: FrameKind,
    last: bool,
    compressed: bool,
    left: u64,
    mask: [u8; 4],
    at: usize,
}

impl WebSocketReader {
    /// Takes bytes.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut emit: impl FnMut(WebSocketPart<'_>),
    ) -> Result<(), WebSocketError> {
        loop {
            if let Some(frame) = &mut self.frame {
                let taken = usize::try_from(frame.left).unwrap_or(usize::MAX).min(bytes.len());
                let (data, rest) = bytes.split_at(taken);
                for piece in data.chunks(MAX_FRAME_BYTES) {
                    self.unmasked.clear();
                    let mask = frame.mask.iter().cycle().skip(frame.at % 4);
                    self.unmasked.extend(piece.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
                    frame.at += piece.len();
                    emit(WebSocketPart::Data(&self.unmasked));
                }
                frame.left -= taken as u64;
                bytes = rest;
                if frame.left > 0 {
                    return Ok(());
                }
                let FrameHeader { kind, last, compressed, .. } = *frame;
                self.frame = None;
                emit(WebSocketPart::End { kind, last, compressed });
            }
            while self.header_length < self.expected_header_length() {
                let Some((byte, rest)) = bytes.split_first() else { return Ok(()) };
                self.header[self.header_length] = *byte;
                self.header_length += 1;
                bytes = rest;
                if self.header_length == 1 && (kind(*byte).is_none() || byte & 0x30 != 0) {
                    return Err(WebSocketError);
                }
            }
            let frame = self.begin()?;
            emit(WebSocketPart::Begin(usize::try_from(frame.left).unwrap_or(usize::MAX).min(MAX_FRAME_BYTES)));
            self.frame = Some(frame);
            self.header_length = 0;
        }
    }

    /// The length of the header, as far as it is known.
    fn expected_header_length(&self) -> usize {
        if self.header_length < 2 {
            return 2;
        }
        let length = match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + length + if self.header[1] & 0x80 == 0 { 0 } else { 4 }
    }

    fn begin(&mut self) -> Result<FrameHeader, WebSocketError> {
        let [first, second, ..] = self.header;
        let kind = kind(first).ok_or(WebSocketError)?;
        let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let (left, masked_at) = match second & 0x7f {
            126 => (number(&self.header[2..4]), 4),
            127 => (number(&self.header[2..10]), 10),
            short => (u64::from(short), 2),
        };
        let mut mask = [0; 4];
        if second & 0x80 != 0 {
            mask.copy_from_slice(&self.header[masked_at..masked_at + 4]);
        }
        let compressed = match kind {
            FrameKind::Text | FrameKind::Binary => {
                self.compressed = first & 0x40 != 0;
                self.compressed
            }
            FrameKind::Continuation => self.compressed,
            _ => false,
        };
        Ok(FrameHeader { kind, last: first & 0x80 != 0, compressed, left, mask, at: 0 })
    }
}

fn kind(first: u8) -> Option<FrameKind> {
    Some(match first & 0x0f {
        0 => FrameKind::Continuation,
        1 => FrameKind::Text,
        2 => FrameKind::Binary,
        8 => FrameKind::Close,
        9 => FrameKind::Ping,
        10 => FrameKind::Pong,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Frames = Vec<(FrameKind, bool, bool, Vec<u8>)>;

    fn read(bytes: &[u8], step: usize) -> Result<Frames, WebSocketError> {
        let (mut reader, mut frames, mut data) = (WebSocketReader::default(), Frames::new(), Vec::new());
        for piece in bytes.chunks(step) {
            reader.feed(piece, |part| match part {
                WebSocketPart::Begin(_) => data.clear(),
                WebSocketPart::Data(more) => data.extend_from_slice(more),
                WebSocketPart::End { kind, last, compressed } => frames.push((kind, last, compressed, data.clone())),
            })?;
        }
        Ok(frames)
    }

    fn frame(first: u8, mask: Option<[u8; 4]>, data: &[u8]) -> Vec<u8> {
        let masked = if mask.is_some() { 0x80 } else { 0 };
        let mut bytes = vec![first];
        match data.len() {
            length @ 0..=125 => bytes.push(masked | length as u8),
            length @ 126..=65535 => {
                bytes.push(masked | 126);
                bytes.extend((length as u16).to_be_bytes());
            }
            length => {
                bytes.push(masked | 127);
                bytes.extend((length as u64).to_be_bytes());
            }
        }
        let key = mask.unwrap_or_default();
        bytes.extend(mask.into_iter().flatten());
        bytes.extend(data.iter().enumerate().map(|(at, byte)| byte ^ key[at % 4]));
        bytes
    }

    #[test]
    fn the_examples_of_rfc_6455_are_read() {
        assert_eq!(read(b"\x81\x05Hello", 1), Ok(vec![(FrameKind::Text, true, false, b"Hello".to_vec())]));
        let masked = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
        assert_eq!(read(masked, 3), Ok(vec![(FrameKind::Text, true, false, b"Hello".to_vec())]));
        let parts = b"\x01\x03Hel\x80\x02lo\x89\x00";
        let frames = read(parts, 2).expect("frames");
        assert_eq!(
            frames.iter().map(|one| (one.0, one.1)).collect::<Vec<_>>(),
            [(FrameKind::Text, false), (FrameKind::Continuation, true), (FrameKind::Ping, true)]
        );
        let compressed = read(b"\x41\x01a\x00\x01b\x80\x01c\x81\x01d", 100).expect("frames");
        assert_eq!(compressed.iter().map(|one| one.2).collect::<Vec<_>>(), [true, true, true, false]);
        assert_eq!(read(b"GET / HTTP/1.1\r\n", 1), Err(WebSocketError));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(frames in prop::collection::vec((any::<bool>(), any::<Option<[u8; 4]>>(), prop_oneof![0usize..10, 120usize..140, 65530usize..65540]), 1..4), step in 1usize..3000) {
            let expected: Frames = frames.iter().map(|(text, _, length)| {
                let data = (0..*length).map(|at| at as u8).collect();
                (if *text { FrameKind::Text } else { FrameKind::Binary }, true, false, data)
            }).collect();
            let bytes: Vec<u8> = frames.iter().zip(&expected).flat_map(|((text, mask, _), one)| frame(if *text { 0x81 } else { 0x82 }, *mask, &one.3)).collect();
            prop_assert_eq!(read(&bytes, step), Ok(expected));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), step in 1usize..20) {
            prop_assert_eq!(read(&bytes, step), read(&bytes, 1000));
        }
    }
}
