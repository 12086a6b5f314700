//! Framing of HTTP/1 bodies (RFC 9112 section 6, chunked coding in section 7.1). Works on any split of the bytes and
//! keeps none of them.

use std::ops::Range;

/// The way a body is delimited (RFC 9112 section 6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyFraming {
    /// The number of bytes still to come; 0 for a message without a body.
    Length(u64),
    /// ChunkState, then trailers.
    Chunked(ChunkState),
    /// Until the sender closes the connection.
    UntilClose,
}

/// The position inside a chunked body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// In the hexadecimal digits of a chunk size.
    Size { value: u64, digits: u8 },
    /// In a chunk extension, after the size.
    Extension { value: u64 },
    /// In the data of a chunk; the number of bytes left.
    Data(u64),
    /// At the line ending after the data; `cr` once its CR has passed.
    DataEnd { cr: bool },
    /// In the trailer section; `line` counts the bytes of the current line without CR.
    Trailer { line: u32, total: u32 },
}

/// The bytes are not well-formed HTTP/1 and cannot be followed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramingError;

/// Longer trailer sections are not followed.
const MAX_TRAILER_BYTES: u32 = 64 * 1024;
/// Longer chunk sizes do not fit into 64 bits.
const MAX_SIZE_DIGITS: u8 = 16;

impl BodyFraming {
    pub(crate) fn chunked() -> Self {
        BodyFraming::Chunked(ChunkState::Size { value: 0, digits: 0 })
    }

    /// Takes bytes. Returns how many of them belong to the body and whether it ends with them.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(usize, bool), FramingError> {
        self.feed_content(bytes, |_| ())
    }

    /// Like [`feed`](Self::feed); calls `content` with the ranges of the content, without the transfer coding.
    pub(crate) fn feed_content(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(Range<usize>),
    ) -> Result<(usize, bool), FramingError> {
        match self {
            BodyFraming::Length(left) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= taken as u64;
                content(0..taken);
                Ok((taken, *left == 0))
            }
            BodyFraming::Chunked(chunks) => chunks.feed(bytes, content),
            BodyFraming::UntilClose => {
                content(0..bytes.len());
                Ok((bytes.len(), false))
            }
        }
    }
}

impl ChunkState {
    fn feed(&mut self, bytes: &[u8], mut content: impl FnMut(Range<usize>)) -> Result<(usize, bool), FramingError> {
        let mut at = 0;
        while at < bytes.len() {
            if let ChunkState::Data(left) = self {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len() - at);
                *left -= taken as u64;
                content(at..at + taken);
                at += taken;
                if *left == 0 {
                    *self = ChunkState::DataEnd { cr: false };
                }
                continue;
            }
            let byte = bytes[at];
            at += 1;
            *self = match *self {
                ChunkState::Size { value, digits } => match (byte, (byte as char).to_digit(16)) {
                    (_, Some(digit)) if digits < MAX_SIZE_DIGITS => {
                        ChunkState::Size { value: value << 4 | u64::from(digit), digits: digits + 1 }
                    }
                    (b'\n', _) if digits > 0 => after_size(value),
                    (b';' | b' ' | b'\t' | b'\r', _) if digits > 0 => ChunkState::Extension { value },
                    _ => return Err(FramingError),
                },
                ChunkState::Extension { value } if byte == b'\n' => after_size(value),
                ChunkState::Extension { value } => ChunkState::Extension { value },
                ChunkState::DataEnd { cr: false } if byte == b'\r' => ChunkState::DataEnd { cr: true },
                ChunkState::DataEnd { .. } if byte == b'\n' => ChunkState::Size { value: 0, digits: 0 },
                ChunkState::DataEnd { .. } => return Err(FramingError),
                ChunkState::Trailer { line: 0, .. } if byte == b'\n' => return Ok((at, true)),
                ChunkState::Trailer { total, .. } if total >= MAX_TRAILER_BYTES => return Err(FramingError),
                ChunkState::Trailer { total, .. } if byte == b'\n' => ChunkState::Trailer { line: 0, total: total + 1 },
                ChunkState::Trailer { line, total } if byte == b'\r' => ChunkState::Trailer { line, total: total + 1 },
                ChunkState::Trailer { line, total } => ChunkState::Trailer { line: line + 1, total: total + 1 },
                ChunkState::Data(left) => ChunkState::Data(left),
            };
        }
        Ok((at, false))
    }
}

fn after_size(value: u64) -> ChunkState {
    if value == 0 { ChunkState::Trailer { line: 0, total: 0 } } else { ChunkState::Data(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends_at(bytes: &[u8], step: usize) -> Result<Option<usize>, FramingError> {
        let mut framing = BodyFraming::chunked();
        let mut at = 0;
        for piece in bytes.chunks(step.max(1)) {
            let (taken, is_done) = framing.feed(piece)?;
            at += taken;
            if is_done {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    #[test]
    fn chunks_with_extensions_and_trailers_end_at_the_right_byte() {
        let body = b"4;name=\"a\"\r\nWiki\r\n0A \r\n0\r\n\r\n0\r\n\r\n\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n";
        let full = [&body[..], b"next"].concat();
        for step in 1..full.len() {
            assert_eq!(ends_at(&full, step), Ok(Some(body.len())), "step {step}");
        }
    }

    #[test]
    fn data_that_looks_like_the_last_chunk_is_data() {
        let body = b"7\r\n0\r\n\r\n12\r\n0\r\n\r\n";
        assert_eq!(ends_at(body, 3), Ok(Some(body.len())));
    }

    #[test]
    fn malformed_chunks_are_rejected() {
        for body in [&b"x\r\n"[..], b"\r\n", b"2\r\nabc", b"2\r\nab\rX", b"11111111111111111\r\n", b"-1\r\n"] {
            assert_eq!(ends_at(body, 1), Err(FramingError), "{body:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end_at_the_same_place_in_any_split(bytes in proptest::collection::vec(any::<u8>(), 0..80), step in 1usize..9) {
            prop_assert_eq!(ends_at(&bytes, step), ends_at(&bytes, 1000));
        }
    }
}
