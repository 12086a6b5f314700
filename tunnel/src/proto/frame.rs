//! Frames of a stream: a 4-byte big-endian length, followed by that many bytes. Length 0 ends the direction. With the
//! highest bit set, the length is that of a metadata frame, which describes the stream and is not part of its data.
//!
//! The end marker belongs to the stream, not to the connection below it, so a connection that breaks before the
//! marker is never taken for a stream that ended.

/// Bytes of a frame header.
pub const HEADER: usize = 4;
/// Longest payload in bytes that a reader accepts.
pub const MAX_PAYLOAD: usize = 64 * 1024;
/// Longest payload in bytes that a writer sends. Header, payload and what four TLS records add to them fit the 64 KiB that a
/// network stack sends as one packet over loopback, or hands to the network card at once (45 segments of 1,448 bytes). What
/// exceeds that would be a small packet behind every frame.
pub const MAX_SENT_PAYLOAD: usize = MAX_PAYLOAD - 512;
/// Longest metadata in bytes. With its header it leaves room for payload in a full frame.
pub const MAX_METADATA: usize = 16 * 1024;
const METADATA_FLAG: u32 = 1 << 31;
/// End of a direction.
pub const FIN: [u8; HEADER] = [0; HEADER];

/// Header of a data frame of `length` bytes, 1 to [`MAX_PAYLOAD`].
pub fn header(length: usize) -> [u8; HEADER] {
    debug_assert!((1..=MAX_PAYLOAD).contains(&length), "a frame carries 1 to {MAX_PAYLOAD} bytes");
    (length as u32).to_be_bytes()
}

/// Header of a metadata frame of `length` bytes, 1 to [`MAX_METADATA`].
pub fn metadata_header(length: usize) -> [u8; HEADER] {
    debug_assert!((1..=MAX_METADATA).contains(&length), "a metadata frame has 1 to {MAX_METADATA} bytes");
    (length as u32 | METADATA_FLAG).to_be_bytes()
}

/// A header announces a frame that is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {0} bytes exceeds the limit")]
pub struct FrameTooLong(pub u32);

/// Read position between and within frames. Buffers no payload.
#[derive(Debug, Default)]
pub struct FrameReader {
    header: [u8; HEADER],
    have: u8,
    left: u32,
    /// Whether the remaining bytes belong to a metadata frame.
    metadata: bool,
    ended: bool,
}

/// Bytes that a [`FrameReader`] expects next.
#[derive(Debug, PartialEq, Eq)]
pub enum NextRead<'a> {
    /// Header bytes, into this slice.
    Header(&'a mut [u8]),
    /// Payload, at most this many bytes.
    Payload(usize),
    /// Metadata, at most this many bytes.
    Metadata(usize),
    /// None: the direction has ended.
    End,
}

impl FrameReader {
    /// The next bytes to read. Reading more would consume bytes of the next stream.
    pub fn next_read(&mut self) -> NextRead<'_> {
        if self.ended {
            NextRead::End
        } else if self.left > 0 {
            if self.metadata { NextRead::Metadata(self.left as usize) } else { NextRead::Payload(self.left as usize) }
        } else {
            NextRead::Header(&mut self.header[self.have as usize..])
        }
    }

    /// Records that `bytes` header bytes were read into the slice of [`NextRead::Header`].
    ///
    /// # Errors
    /// [`FrameTooLong`] if the complete header exceeds the limit for its kind of frame.
    pub fn header_filled(&mut self, bytes: usize) -> Result<(), FrameTooLong> {
        self.have += bytes as u8;
        if (self.have as usize) < HEADER {
            return Ok(());
        }
        self.have = 0;
        let length = u32::from_be_bytes(self.header);
        self.metadata = length & METADATA_FLAG != 0;
        match length {
            0 => self.ended = true,
            _ if self.metadata => match length ^ METADATA_FLAG {
                bytes @ 1.. if bytes as usize <= MAX_METADATA => self.left = bytes,
                _ => return Err(FrameTooLong(length)),
            },
            _ if length as usize > MAX_PAYLOAD => return Err(FrameTooLong(length)),
            _ => self.left = length,
        }
        Ok(())
    }

    /// Records that `bytes` bytes of payload or metadata were consumed, at most as many as [`NextRead`] announced.
    pub fn payload_taken(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes as u32);
    }

    /// Whether the end marker has been read.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Consumes `bytes` up to the end marker, passes payload on, discards metadata, and returns the number of bytes used.
    ///
    /// # Errors
    /// [`FrameTooLong`] if a header exceeds the limit.
    pub fn read(&mut self, bytes: &[u8], mut payload: impl FnMut(&[u8])) -> Result<usize, FrameTooLong> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = match self.next_read() {
                NextRead::End => break,
                NextRead::Payload(left) => {
                    let count = left.min(rest.len());
                    payload(&rest[..count]);
                    self.payload_taken(count);
                    count
                }
                NextRead::Metadata(left) => {
                    let count = left.min(rest.len());
                    self.payload_taken(count);
                    count
                }
                NextRead::Header(missing) => {
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
                    wire.extend_from_slice(&metadata_header(frame.len()));
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
            length in prop_oneof![(MAX_PAYLOAD as u32 + 1)..=METADATA_FLAG, (METADATA_FLAG | MAX_METADATA as u32) + 1..=u32::MAX],
        ) {
            let mut reader = FrameReader::default();
            let result = reader.read(&length.to_be_bytes(), |_| panic!("no payload may follow"));
            prop_assert_eq!(result, Err(FrameTooLong(length)));
        }
    }
}
