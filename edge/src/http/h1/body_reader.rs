//! The body of a message as it is read (RFC 9112, sections 6 and 7).

use bytes::{Bytes, BytesMut};
use hyper::{
    HeaderMap,
    header::{HeaderName, HeaderValue},
};

/// Bytes of the size line of a chunk, and of all chunk extensions of a body.
const MAX_EXTENSION_BYTES: usize = 16 * 1024;
/// Bytes of a trailer section.
const MAX_TRAILER_BYTES: usize = 16 * 1024;
/// Lines of a trailer section.
const MAX_TRAILERS: usize = 100;

/// Why a body cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FramingError {
    #[error("the connection ended before the body did")]
    Incomplete,
    #[error("a chunk of the body is malformed")]
    Chunk,
    #[error("the trailers of the body are malformed")]
    Trailers,
}

/// Follows a body, however it is split.
#[derive(Debug)]
pub(super) enum BodyReader {
    /// So many bytes are left.
    Length(u64),
    Chunked(ChunkedReader),
    /// The end of the connection is the end of the body.
    UntilClose,
    Ended,
    /// It cannot be read any further.
    Broken(FramingError),
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyPart {
    Data(Bytes),
    Trailers(HeaderMap),
    End,
    /// More bytes are needed.
    Incomplete,
}

#[derive(Debug)]
pub(super) struct ChunkedReader {
    state: ChunkState,
    /// Bytes of the extensions so far.
    extension_bytes: usize,
    /// Bytes of the line, or of the trailers, in which no end was found.
    searched: usize,
}

#[derive(Clone, Copy, Debug)]
enum ChunkState {
    SizeLine,
    Data(u64),
    /// The line end behind the data.
    DataEnd,
    Trailers,
}

impl BodyReader {
    pub(super) fn length(length: u64) -> Self {
        if length == 0 { BodyReader::Ended } else { BodyReader::Length(length) }
    }

    pub(super) fn chunked() -> Self {
        BodyReader::Chunked(ChunkedReader { state: ChunkState::SizeLine, extension_bytes: 0, searched: 0 })
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self, BodyReader::Ended)
    }

    /// The bytes that are left, if they are known.
    pub(super) fn exact(&self) -> Option<u64> {
        match self {
            BodyReader::Length(left) => Some(*left),
            BodyReader::Ended => Some(0),
            BodyReader::Chunked(_) | BodyReader::UntilClose | BodyReader::Broken(_) => None,
        }
    }

    /// Takes the next part out of the input: at most `limit` bytes of data, and at least one.
    ///
    /// # Errors
    /// If the body is malformed, from then on each time.
    pub(super) fn read(&mut self, input: &mut BytesMut, limit: usize) -> Result<BodyPart, FramingError> {
        self.next_part(input, limit.max(1)).inspect_err(|error| *self = BodyReader::Broken(*error))
    }

    fn next_part(&mut self, input: &mut BytesMut, limit: usize) -> Result<BodyPart, FramingError> {
        let part = match self {
            BodyReader::Ended => BodyPart::End,
            BodyReader::Broken(error) => return Err(*error),
            _ if input.is_empty() => BodyPart::Incomplete,
            BodyReader::Length(left) => {
                let data = take_data(input, left, limit);
                if *left == 0 {
                    *self = BodyReader::Ended;
                }
                BodyPart::Data(data)
            }
            BodyReader::UntilClose => BodyPart::Data(input.split_to(input.len().min(limit)).freeze()),
            BodyReader::Chunked(chunks) => chunks.read(input, limit)?,
        };
        if matches!(part, BodyPart::Trailers(_) | BodyPart::End) {
            *self = BodyReader::Ended;
        }
        Ok(part)
    }

    /// Takes the end of the connection in.
    ///
    /// # Errors
    /// If more of the body should have come.
    pub(super) fn end_of_input(&mut self) -> Result<(), FramingError> {
        match self {
            BodyReader::Ended | BodyReader::UntilClose => {
                *self = BodyReader::Ended;
                Ok(())
            }
            BodyReader::Length(_) | BodyReader::Chunked(_) => Err(FramingError::Incomplete),
            BodyReader::Broken(error) => Err(*error),
        }
    }
}

fn take_data(input: &mut BytesMut, left: &mut u64, limit: usize) -> Bytes {
    let size = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len()).min(limit);
    *left -= size as u64;
    input.split_to(size).freeze()
}

impl ChunkedReader {
    fn read(&mut self, input: &mut BytesMut, limit: usize) -> Result<BodyPart, FramingError> {
        loop {
            match &mut self.state {
                ChunkState::SizeLine => {
                    let Some(end) = memchr::memchr(b'\n', &input[self.searched..]) else {
                        self.searched = input.len();
                        let is_long = self.searched + self.extension_bytes > MAX_EXTENSION_BYTES;
                        return if is_long { Err(FramingError::Chunk) } else { Ok(BodyPart::Incomplete) };
                    };
                    let line = input.split_to(self.searched + end + 1);
                    self.searched = 0;
                    self.state = match self.chunk_size(&line)? {
                        0 => ChunkState::Trailers,
                        size => ChunkState::Data(size),
                    };
                }
                ChunkState::Data(left) => {
                    if input.is_empty() {
                        return Ok(BodyPart::Incomplete);
                    }
                    let data = take_data(input, left, limit);
                    if *left == 0 {
                        self.state = ChunkState::DataEnd;
                    }
                    return Ok(BodyPart::Data(data));
                }
                ChunkState::DataEnd => {
                    if !b"\r\n".starts_with(&input[..input.len().min(2)]) {
                        return Err(FramingError::Chunk);
                    }
                    if input.len() < 2 {
                        return Ok(BodyPart::Incomplete);
                    }
                    let _ = input.split_to(2);
                    self.state = ChunkState::SizeLine;
                }
                ChunkState::Trailers => return self.trailers(input),
            }
        }
    }

    /// The size that a line gives; its extensions are dropped.
    fn chunk_size(&mut self, line: &[u8]) -> Result<u64, FramingError> {
        let line = line.strip_suffix(b"\r\n").ok_or(FramingError::Chunk)?;
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let (size, rest) = line.split_at(digits);
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let behind_blanks = &rest[blanks..];
        self.extension_bytes += behind_blanks.len();
        let has_only_extensions = matches!(behind_blanks, [] | [b';', ..]) && !behind_blanks.contains(&b'\r');
        if !has_only_extensions || self.extension_bytes > MAX_EXTENSION_BYTES {
            return Err(FramingError::Chunk);
        }
        let size = std::str::from_utf8(size).map_err(|_| FramingError::Chunk)?;
        u64::from_str_radix(size, 16).map_err(|_| FramingError::Chunk)
    }

    fn trailers(&mut self, input: &mut BytesMut) -> Result<BodyPart, FramingError> {
        if input.starts_with(b"\r\n") {
            let _ = input.split_to(2);
            return Ok(BodyPart::End);
        }
        let Some(end) = memchr::memmem::find(&input[self.searched.saturating_sub(3)..], b"\r\n\r\n") else {
            self.searched = input.len();
            return if self.searched > MAX_TRAILER_BYTES {
                Err(FramingError::Trailers)
            } else {
                Ok(BodyPart::Incomplete)
            };
        };
        let section = input.split_to(std::mem::take(&mut self.searched).saturating_sub(3) + end + 4).freeze();
        parse_trailers(&section).map(BodyPart::Trailers)
    }
}

fn parse_trailers(section: &Bytes) -> Result<HeaderMap, FramingError> {
    // Every line ends with CR LF, so that no program sees other lines.
    let has_only_lines = memchr::memchr2_iter(b'\r', b'\n', section).all(|at| {
        if section[at] == b'\r' { section.get(at + 1) == Some(&b'\n') } else { at > 0 && section[at - 1] == b'\r' }
    });
    if section.len() > MAX_TRAILER_BYTES || !has_only_lines {
        return Err(FramingError::Trailers);
    }
    let mut room = [httparse::EMPTY_HEADER; MAX_TRAILERS];
    let Ok(httparse::Status::Complete((size, fields))) = httparse::parse_headers(section, &mut room) else {
        return Err(FramingError::Trailers);
    };
    if size != section.len() {
        return Err(FramingError::Trailers);
    }
    let mut trailers = HeaderMap::with_capacity(fields.len());
    for field in fields {
        let name = HeaderName::from_bytes(field.name.as_bytes()).map_err(|_| FramingError::Trailers)?;
        let value = HeaderValue::from_bytes(field.value).map_err(|_| FramingError::Trailers)?;
        trailers.append(name, value);
    }
    Ok(trailers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: usize = 7;

    /// Everything that a body gives, read in pieces of `size` bytes, and what is left behind it.
    fn read(mut reader: BodyReader, bytes: &[u8], size: usize) -> Result<(Vec<u8>, HeaderMap, Vec<u8>), FramingError> {
        let (mut data, mut trailers, mut input) = (Vec::new(), HeaderMap::new(), BytesMut::new());
        let mut pieces = bytes.chunks(size);
        loop {
            match reader.read(&mut input, LIMIT)? {
                BodyPart::Data(piece) => {
                    assert!((1..=LIMIT).contains(&piece.len()), "{} bytes", piece.len());
                    data.extend_from_slice(&piece);
                }
                BodyPart::Trailers(fields) => trailers = fields,
                BodyPart::End => break,
                BodyPart::Incomplete => match pieces.next() {
                    Some(piece) => input.extend_from_slice(piece),
                    None => {
                        reader.end_of_input()?;
                    }
                },
            }
        }
        Ok((data, trailers, [&input[..], &pieces.flatten().copied().collect::<Vec<u8>>()].concat()))
    }

    #[test]
    fn bodies_end_where_their_framing_says() {
        for size in 1..40 {
            let body = |reader, bytes: &str| read(reader, bytes.as_bytes(), size).map(|(data, _, rest)| (data, rest));
            let expected = |data: &str, rest: &str| Ok((data.as_bytes().to_vec(), rest.as_bytes().to_vec()));
            assert_eq!(body(BodyReader::length(3), "abcGET"), expected("abc", "GET"));
            assert_eq!(body(BodyReader::length(0), "GET"), expected("", "GET"));
            assert_eq!(body(BodyReader::UntilClose, "abc"), expected("abc", ""));
            assert_eq!(
                body(BodyReader::chunked(), "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nGET"),
                expected("abc0123456789", "GET")
            );
            assert_eq!(body(BodyReader::chunked(), "3 \t;x\r\nabc\r\n0\r\n\r\n"), expected("abc", ""));
        }
    }

    #[test]
    fn trailers_follow_the_last_chunk() {
        for size in 1..40 {
            let (data, trailers, rest) =
                read(BodyReader::chunked(), b"1\r\na\r\n0\r\nX-A: 1\r\nX-a: 2\r\n\r\nrest", size).expect("a body");
            assert_eq!((data.as_slice(), rest.as_slice()), (&b"a"[..], &b"rest"[..]));
            assert_eq!(trailers.get_all("x-a").iter().collect::<Vec<_>>(), ["1", "2"]);
        }
    }

    #[test]
    fn malformed_and_incomplete_bodies_are_errors() {
        for (bytes, expected) in [
            ("x\r\n", FramingError::Chunk),
            ("\r\n", FramingError::Chunk),
            ("3\nabc\r\n0\r\n\r\n", FramingError::Chunk),
            ("3\r\nabcd\r\n", FramingError::Chunk),
            ("3\r\nabc\n0\r\n\r\n", FramingError::Chunk),
            ("3 4\r\nabc", FramingError::Chunk),
            ("3;a\rb\r\nabc", FramingError::Chunk),
            ("10000000000000000\r\na", FramingError::Chunk),
            ("0\r\nno colon\r\n\r\n", FramingError::Trailers),
            ("0\r\nA: b\nC: d\r\n\r\n", FramingError::Trailers),
            ("3\r\nab", FramingError::Incomplete),
            ("3\r\nabc\r\n0\r\n", FramingError::Incomplete),
        ] {
            for size in 1..40 {
                assert_eq!(read(BodyReader::chunked(), bytes.as_bytes(), size).err(), Some(expected), "{bytes:?}");
            }
        }
        assert_eq!(read(BodyReader::length(4), b"abc", 9).err(), Some(FramingError::Incomplete));
    }

    #[test]
    fn a_broken_body_stays_broken() {
        for bytes in ["0\r\nX: y\r\nno colon\r\n\r\n", "x\r\n", "3\r\nabcd\r\n"] {
            let (mut reader, mut input) = (BodyReader::chunked(), BytesMut::new());
            let mut errors = Vec::new();
            for byte in bytes.bytes().chain(*b"0\r\n\r\n") {
                input.extend_from_slice(&[byte]);
                errors.extend(reader.read(&mut input, LIMIT).err());
            }
            assert!(errors.len() >= 5 && errors.iter().all(|error| *error == errors[0]), "{bytes:?} {errors:?}");
            assert!(!reader.is_ended() && reader.end_of_input() == Err(errors[0]));
        }
    }

    #[test]
    fn what_precedes_and_follows_the_data_is_bounded() {
        let long_line = format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(MAX_EXTENSION_BYTES));
        let many = "1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\na\r\n".repeat(MAX_EXTENSION_BYTES / 32 + 1);
        let trailers = format!("0\r\nX: {}\r\n\r\n", "x".repeat(MAX_TRAILER_BYTES));
        let lines = format!("0\r\n{}\r\n", "X: y\r\n".repeat(MAX_TRAILERS + 1));
        for (bytes, expected) in [
            (long_line, FramingError::Chunk),
            (many, FramingError::Chunk),
            (trailers, FramingError::Trailers),
            (lines, FramingError::Trailers),
        ] {
            for size in [1000, usize::MAX] {
                assert_eq!(read(BodyReader::chunked(), bytes.as_bytes(), size).err(), Some(expected));
            }
        }
    }

    proptest! {
        #[test]
        fn chunks_are_read_as_they_were_written(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..8),
            size in 1_usize..64,
        ) {
            let mut bytes = Vec::new();
            for piece in &pieces {
                bytes.extend_from_slice(format!("{:X}\r\n", piece.len()).as_bytes());
                bytes.extend_from_slice(piece);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\nnext");
            let (data, _, rest) = read(BodyReader::chunked(), &bytes, size).expect("a body");
            prop_assert_eq!(data, pieces.concat());
            prop_assert_eq!(rest, b"next".to_vec());
        }

        #[test]
        fn any_bytes_are_read_alike_however_they_are_split(bytes in prop::collection::vec(any::<u8>(), 0..80), size in 1_usize..80) {
            prop_assert_eq!(read(BodyReader::chunked(), &bytes, size).ok(), read(BodyReader::chunked(), &bytes, 80).ok());
        }
    }
}
