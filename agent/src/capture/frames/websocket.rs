//! One direction of a WebSocket (RFC 6455) on the bytes as they pass, in any division.

use super::{Kind, LONGEST};

/// The bytes are no frames of a WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbage;

/// What a reader has found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// A frame begins; at most so many bytes of its data need to be kept.
    Begin(usize),
    /// Data of the frame, without its mask. The buffer is the reader's own.
    Data(&'a [u8]),
    /// The frame has ended.
    End { kind: Kind, last: bool, compressed: bool },
}

/// Reads frames.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    header: [u8; 14],
    have: usize,
    within: Option<Within>,
    /// The message that is being sent is compressed.
    compressed: bool,
    unmasked: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Within {
    kind: Kind,
    last: bool,
    compressed: bool,
    left: u64,
    mask: [u8; 4],
    at: usize,
}

impl Reader {
    /// Takes bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mut found: impl FnMut(Found<'_>)) -> Result<(), Garbage> {
        loop {
            if let Some(within) = &mut self.within {
                let taken = usize::try_from(within.left).unwrap_or(usize::MAX).min(bytes.len());
                let (data, rest) = bytes.split_at(taken);
                for piece in data.chunks(LONGEST) {
                    self.unmasked.clear();
                    let mask = within.mask.iter().cycle().skip(within.at % 4);
                    self.unmasked.extend(piece.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
                    within.at += piece.len();
                    found(Found::Data(&self.unmasked));
                }
                within.left -= taken as u64;
                bytes = rest;
                if within.left > 0 {
                    return Ok(());
                }
                let Within { kind, last, compressed, .. } = *within;
                self.within = None;
                found(Found::End { kind, last, compressed });
            }
            while self.have < self.needed() {
                let Some((byte, rest)) = bytes.split_first() else { return Ok(()) };
                self.header[self.have] = *byte;
                self.have += 1;
                bytes = rest;
                if self.have == 1 && (kind(*byte).is_none() || byte & 0x30 != 0) {
                    return Err(Garbage);
                }
            }
            let within = self.begin()?;
            found(Found::Begin(usize::try_from(within.left).unwrap_or(usize::MAX).min(LONGEST)));
            self.within = Some(within);
            self.have = 0;
        }
    }

    /// Bytes of the header, as far as that is known.
    fn needed(&self) -> usize {
        if self.have < 2 {
            return 2;
        }
        let length = match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + length + if self.header[1] & 0x80 == 0 { 0 } else { 4 }
    }

    fn begin(&mut self) -> Result<Within, Garbage> {
        let [first, second, ..] = self.header;
        let kind = kind(first).ok_or(Garbage)?;
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
            Kind::Text | Kind::Binary => {
                self.compressed = first & 0x40 != 0;
                self.compressed
            }
            Kind::Continuation => self.compressed,
            _ => false,
        };
        Ok(Within { kind, last: first & 0x80 != 0, compressed, left, mask, at: 0 })
    }
}

fn kind(first: u8) -> Option<Kind> {
    Some(match first & 0x0f {
        0 => Kind::Continuation,
        1 => Kind::Text,
        2 => Kind::Binary,
        8 => Kind::Close,
        9 => Kind::Ping,
        10 => Kind::Pong,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Seen = Vec<(Kind, bool, bool, Vec<u8>)>;

    fn read(bytes: &[u8], step: usize) -> Result<Seen, Garbage> {
        let (mut reader, mut seen, mut data) = (Reader::default(), Seen::new(), Vec::new());
        for piece in bytes.chunks(step) {
            reader.feed(piece, |found| match found {
                Found::Begin(_) => data.clear(),
                Found::Data(more) => data.extend_from_slice(more),
                Found::End { kind, last, compressed } => seen.push((kind, last, compressed, data.clone())),
            })?;
        }
        Ok(seen)
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
    fn the_examples_of_the_standard_are_read() {
        assert_eq!(read(b"\x81\x05Hello", 1), Ok(vec![(Kind::Text, true, false, b"Hello".to_vec())]));
        let masked = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
        assert_eq!(read(masked, 3), Ok(vec![(Kind::Text, true, false, b"Hello".to_vec())]));
        let parts = b"\x01\x03Hel\x80\x02lo\x89\x00";
        let seen = read(parts, 2).expect("frames");
        assert_eq!(
            seen.iter().map(|one| (one.0, one.1)).collect::<Vec<_>>(),
            [(Kind::Text, false), (Kind::Continuation, true), (Kind::Ping, true)]
        );
        let compressed = read(b"\x41\x01a\x00\x01b\x80\x01c\x81\x01d", 100).expect("frames");
        assert_eq!(compressed.iter().map(|one| one.2).collect::<Vec<_>>(), [true, true, true, false]);
        assert_eq!(read(b"GET / HTTP/1.1\r\n", 1), Err(Garbage));
    }

    proptest! {
        #[test]
        fn any_division_gives_the_same_frames(frames in prop::collection::vec((any::<bool>(), any::<Option<[u8; 4]>>(), prop_oneof![0usize..10, 120usize..140, 65530usize..65540]), 1..4), step in 1usize..3000) {
            let expected: Seen = frames.iter().map(|(text, _, length)| {
                let data = (0..*length).map(|at| at as u8).collect();
                (if *text { Kind::Text } else { Kind::Binary }, true, false, data)
            }).collect();
            let bytes: Vec<u8> = frames.iter().zip(&expected).flat_map(|((text, mask, _), one)| frame(if *text { 0x81 } else { 0x82 }, *mask, &one.3)).collect();
            prop_assert_eq!(read(&bytes, step), Ok(expected));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), step in 1usize..20) {
            prop_assert_eq!(read(&bytes, step), read(&bytes, 1000));
        }
    }
}
