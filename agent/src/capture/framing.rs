//! Where the body of an HTTP/1 message ends. Works on any split of the bytes and keeps none of them.

use std::ops::Range;

/// How a body is delimited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// So many bytes are still to come; 0 is a message without a body.
    Length(u64),
    /// Chunks, then trailers.
    Chunked(Chunks),
    /// Until the sender closes.
    UntilClose,
}

/// Where in the chunks the reader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// In the digits of a size.
    Size { value: u64, digits: u8 },
    /// Behind the size: an extension, until the line ends.
    Extension { value: u64 },
    /// In the data of a chunk.
    Data(u64),
    /// At the line end behind the data; whether its CR was seen.
    DataEnd { cr: bool },
    /// In the trailers; how many bytes the line has, CR not counted.
    Trailer { line: u32, total: u32 },
}

/// The body cannot be followed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbage;

/// Trailers longer than this are not followed.
const MAX_TRAILERS: u32 = 64 * 1024;
/// A chunk extension needs no more hexadecimal digits than this.
const MAX_DIGITS: u8 = 16;

impl Framing {
    pub(crate) fn chunked() -> Self {
        Framing::Chunked(Chunks::Size { value: 0, digits: 0 })
    }

    /// Takes bytes; says how many of them belong to the body and whether it ends with them.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(usize, bool), Garbage> {
        self.feed_content(bytes, |_| ())
    }

    /// The same; shows where the content stands in the bytes, without what the transfer coding put around it.
    pub(crate) fn feed_content(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(Range<usize>),
    ) -> Result<(usize, bool), Garbage> {
        match self {
            Framing::Length(left) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= taken as u64;
                content(0..taken);
                Ok((taken, *left == 0))
            }
            Framing::Chunked(chunks) => chunks.feed(bytes, content),
            Framing::UntilClose => {
                content(0..bytes.len());
                Ok((bytes.len(), false))
            }
        }
    }
}

impl Chunks {
    fn feed(&mut self, bytes: &[u8], mut content: impl FnMut(Range<usize>)) -> Result<(usize, bool), Garbage> {
        let mut at = 0;
        while at < bytes.len() {
            if let Chunks::Data(left) = self {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len() - at);
                *left -= taken as u64;
                content(at..at + taken);
                at += taken;
                if *left == 0 {
                    *self = Chunks::DataEnd { cr: false };
                }
                continue;
            }
            let byte = bytes[at];
            at += 1;
            *self = match *self {
                Chunks::Size { value, digits } => match (byte, (byte as char).to_digit(16)) {
                    (_, Some(digit)) if digits < MAX_DIGITS => {
                        Chunks::Size { value: value << 4 | u64::from(digit), digits: digits + 1 }
                    }
                    (b'\n', _) if digits > 0 => after_size(value),
                    (b';' | b' ' | b'\t' | b'\r', _) if digits > 0 => Chunks::Extension { value },
                    _ => return Err(Garbage),
                },
                Chunks::Extension { value } if byte == b'\n' => after_size(value),
                Chunks::Extension { value } => Chunks::Extension { value },
                Chunks::DataEnd { cr: false } if byte == b'\r' => Chunks::DataEnd { cr: true },
                Chunks::DataEnd { .. } if byte == b'\n' => Chunks::Size { value: 0, digits: 0 },
                Chunks::DataEnd { .. } => return Err(Garbage),
                Chunks::Trailer { line: 0, .. } if byte == b'\n' => return Ok((at, true)),
                Chunks::Trailer { total, .. } if total >= MAX_TRAILERS => return Err(Garbage),
                Chunks::Trailer { total, .. } if byte == b'\n' => Chunks::Trailer { line: 0, total: total + 1 },
                Chunks::Trailer { line, total } if byte == b'\r' => Chunks::Trailer { line, total: total + 1 },
                Chunks::Trailer { line, total } => Chunks::Trailer { line: line + 1, total: total + 1 },
                Chunks::Data(left) => Chunks::Data(left),
            };
        }
        Ok((at, false))
    }
}

fn after_size(value: u64) -> Chunks {
    if value == 0 { Chunks::Trailer { line: 0, total: 0 } } else { Chunks::Data(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends_at(bytes: &[u8], step: usize) -> Result<Option<usize>, Garbage> {
        let mut framing = Framing::chunked();
        let mut at = 0;
        for piece in bytes.chunks(step.max(1)) {
            let (taken, done) = framing.feed(piece)?;
            at += taken;
            if done {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    #[test]
    fn chunks_with_extensions_and_trailers_end_where_they_end() {
        let body = b"4;name=\"a\"\r\nWiki\r\n0A \r\n0\r\n\r\n0\r\n\r\n\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n";
        let full = [&body[..], b"next"].concat();
        for step in 1..full.len() {
            assert_eq!(ends_at(&full, step), Ok(Some(body.len())), "step {step}");
        }
    }

    #[test]
    fn data_that_looks_like_the_end_is_data() {
        let body = b"7\r\n0\r\n\r\n12\r\n0\r\n\r\n";
        assert_eq!(ends_at(body, 3), Ok(Some(body.len())));
    }

    #[test]
    fn broken_chunks_are_noticed() {
        for body in [&b"x\r\n"[..], b"\r\n", b"2\r\nabc", b"2\r\nab\rX", b"11111111111111111\r\n", b"-1\r\n"] {
            assert_eq!(ends_at(body, 1), Err(Garbage), "{body:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_split_are_judged_alike(bytes in proptest::collection::vec(any::<u8>(), 0..80), step in 1usize..9) {
            prop_assert_eq!(ends_at(&bytes, step), ends_at(&bytes, 1000));
        }
    }
}
