//! Frames of a stream: a 4-byte big-endian length and so many bytes; the length 0 ends the direction. With its
//! highest bit set the length is that of a note, which is about the stream and no part of its bytes.
//!
//! The end marker belongs to the stream, not to the connection below it. A connection that breaks off before it
//! is told apart from a stream that ended.

/// Bytes of a frame's header.
pub const HEADER: usize = 4;
/// The longest payload a reader accepts.
pub const MAX_PAYLOAD: usize = 64 * 1024;
/// The longest payload a writer sends: with its header it fills four TLS records exactly.
pub const FULL_PAYLOAD: usize = MAX_PAYLOAD - HEADER;
/// The longest note. With its header it leaves room for payload in a full frame.
pub const MAX_NOTE: usize = 16 * 1024;
const NOTE: u32 = 1 << 31;
/// The end of a direction.
pub const FIN: [u8; HEADER] = [0; HEADER];

/// The header of a frame; `length` is at most [`MAX_PAYLOAD`].
pub fn header(length: usize) -> [u8; HEADER] {
    debug_assert!((1..=MAX_PAYLOAD).contains(&length), "a frame carries 1 to {MAX_PAYLOAD} bytes");
    (length as u32).to_be_bytes()
}

/// The header of a note; `length` is at most [`MAX_NOTE`].
pub fn note_header(length: usize) -> [u8; HEADER] {
    debug_assert!((1..=MAX_NOTE).contains(&length), "a note has 1 to {MAX_NOTE} bytes");
    (length as u32 | NOTE).to_be_bytes()
}

/// A length that no frame can have: the bytes are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {0} bytes is longer than allowed")]
pub struct FrameTooLong(pub u32);

/// Where a reader stands between and within frames. It holds no payload.
#[derive(Debug, Default)]
pub struct FrameReader {
    header: [u8; HEADER],
    have: u8,
    left: u32,
    /// What is left belongs to a note.
    note: bool,
    ended: bool,
}

/// What a [`FrameReader`] needs next.
#[derive(Debug, PartialEq, Eq)]
pub enum Wants<'a> {
    /// Bytes of a header, into this slice.
    Header(&'a mut [u8]),
    /// Payload, at most so many bytes.
    Payload(usize),
    /// Bytes of a note, at most so many.
    Note(usize),
    /// Nothing: the direction has ended.
    Nothing,
}

impl FrameReader {
    /// What to read next. Reading more would take bytes that belong to somebody else.
    pub fn wants(&mut self) -> Wants<'_> {
        if self.ended {
            Wants::Nothing
        } else if self.left > 0 {
            if self.note { Wants::Note(self.left as usize) } else { Wants::Payload(self.left as usize) }
        } else {
            Wants::Header(&mut self.header[self.have as usize..])
        }
    }

    /// So many bytes of the header have arrived in the slice handed out.
    pub fn header_filled(&mut self, bytes: usize) -> Result<(), FrameTooLong> {
        self.have += bytes as u8;
        if (self.have as usize) < HEADER {
            return Ok(());
        }
        self.have = 0;
        let length = u32::from_be_bytes(self.header);
        self.note = length & NOTE != 0;
        match length {
            0 => self.ended = true,
            _ if self.note => match length ^ NOTE {
                bytes @ 1.. if bytes as usize <= MAX_NOTE => self.left = bytes,
                _ => return Err(FrameTooLong(length)),
            },
            _ if length as usize > MAX_PAYLOAD => return Err(FrameTooLong(length)),
            _ => self.left = length,
        }
        Ok(())
    }

    /// So many bytes of payload or of a note were taken, no more than was wanted.
    pub fn payload_taken(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes as u32);
    }

    /// Whether the end marker was read.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Takes what it can from `bytes`, throws notes away, and returns the number of bytes used, up to the end marker.
    pub fn read(&mut self, bytes: &[u8], mut payload: impl FnMut(&[u8])) -> Result<usize, FrameTooLong> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = match self.wants() {
                Wants::Nothing => break,
                Wants::Payload(left) => {
                    let count = left.min(rest.len());
                    payload(&rest[..count]);
                    self.payload_taken(count);
                    count
                }
                Wants::Note(left) => {
                    let count = left.min(rest.len());
                    self.payload_taken(count);
                    count
                }
                Wants::Header(missing) => {
                    let count = missing.len().min(rest.len());
                    missing[..count].copy_from_slice(&rest[..count]);
                    self.header_filled(count)?;
                    count
                }
            };
            rest = &rest[count..];
        }
        Ok(bytes.len() - rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_split_of_the_bytes_gives_the_same_payload_and_stops_at_the_end(
            frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..200), 0..8),
            after in prop::collection::vec(any::<u8>(), 0..20),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut wire = Vec::new();
            for frame in &frames {
                if frame.len() % 3 == 0 {
                    wire.extend_from_slice(&note_header(frame.len()));
                    wire.extend(frame.iter().rev());
                }
                wire.extend_from_slice(&header(frame.len()));
                wire.extend_from_slice(frame);
            }
            wire.extend_from_slice(&FIN);
            let own = wire.len();
            wire.extend_from_slice(&after);

            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len())).collect();
            cuts.extend([0, wire.len()]);
            cuts.sort_unstable();
            let mut reader = FrameReader::default();
            let (mut payload, mut used) = (Vec::new(), 0);
            for piece in cuts.windows(2) {
                used += reader.read(&wire[piece[0]..piece[1]], |bytes| payload.extend_from_slice(bytes)).unwrap();
            }
            prop_assert!(reader.ended());
            prop_assert_eq!(payload, frames.concat());
            prop_assert_eq!(used, own, "what follows the end belongs to the next stream");
        }

        #[test]
        fn a_hostile_length_is_refused_before_any_payload(
            length in prop_oneof![(MAX_PAYLOAD as u32 + 1)..=NOTE, (NOTE | MAX_NOTE as u32) + 1..=u32::MAX],
        ) {
            let mut reader = FrameReader::default();
            let verdict = reader.read(&length.to_be_bytes(), |_| panic!("no payload may follow"));
            prop_assert_eq!(verdict, Err(FrameTooLong(length)));
        }
    }
}
