//! The content codings, and encoders whose output can be flushed at any time.

use brotli::CompressorWriter;
use bytes::Bytes;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{self, Write};

/// A balance of speed, size and memory for streamed responses.
const LEVEL: flate2::Compression = flate2::Compression::new(5);
const BROTLI_QUALITY: u32 = 4;
/// A history of 2^18 bytes. Twice as much would cost half a megabyte more per response for almost no gain.
const BROTLI_WINDOW: u32 = 18;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    Deflate,
}

impl Coding {
    /// All codings, the best first.
    pub(super) const ALL: [Coding; 3] = [Coding::Brotli, Coding::Gzip, Coding::Deflate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
        }
    }

    /// Whether a name in `Accept-Encoding` is this coding.
    pub(super) fn is(self, name: &[u8]) -> bool {
        name.eq_ignore_ascii_case(self.name().as_bytes())
            || (self == Coding::Gzip && name.eq_ignore_ascii_case(b"x-gzip"))
    }

    /// The measured memory of an encoder, in units of 64 KiB.
    pub(super) fn cost(self) -> usize {
        match self {
            Coding::Brotli => 21,
            Coding::Gzip | Coding::Deflate => 7,
        }
    }
}

/// An encoder that writes into memory.
pub(super) enum Encoder {
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Deflate(Box<ZlibEncoder<Vec<u8>>>),
}

impl Encoder {
    pub(super) fn new(coding: Coding) -> Self {
        match coding {
            Coding::Brotli => {
                Encoder::Brotli(Box::new(CompressorWriter::new(Vec::new(), 4096, BROTLI_QUALITY, BROTLI_WINDOW)))
            }
            Coding::Gzip => Encoder::Gzip(Box::new(GzEncoder::new(Vec::new(), LEVEL))),
            Coding::Deflate => Encoder::Deflate(Box::new(ZlibEncoder::new(Vec::new(), LEVEL))),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Brotli(encoder) => encoder,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Deflate(encoder) => encoder,
        }
    }

    fn output(&mut self) -> &mut Vec<u8> {
        match self {
            Encoder::Brotli(encoder) => encoder.get_mut(),
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Deflate(encoder) => encoder.get_mut(),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer().write_all(bytes)
    }

    /// Makes everything written so far available.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }

    /// Bytes available.
    pub(super) fn available(&mut self) -> usize {
        self.output().len()
    }

    /// Takes the available bytes.
    pub(super) fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(self.output()))
    }

    /// Finishes the encoding and returns the rest.
    pub(super) fn finish(self) -> io::Result<Bytes> {
        let rest = match self {
            Encoder::Brotli(encoder) => encoder.into_inner(),
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Deflate(encoder) => encoder.finish()?,
        };
        Ok(Bytes::from(rest))
    }
}
