//! The codings, and encoders that can be asked for everything they hold at any moment.

use brotli::CompressorWriter;
use bytes::Bytes;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{self, Write};

/// A balance of speed, size and memory for answers that are made while somebody waits.
const LEVEL: flate2::Compression = flate2::Compression::new(5);
const BROTLI_QUALITY: u32 = 4;
/// 2^18 bytes of history. Twice as much would cost half a megabyte more for each visitor and save next to nothing.
const BROTLI_WINDOW: u32 = 18;

/// A coding of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
    /// The format of zlib: that is what HTTP calls deflate.
    Deflate,
}

impl Coding {
    /// The better ones first.
    pub(super) const ALL: [Coding; 3] = [Coding::Brotli, Coding::Gzip, Coding::Deflate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
        }
    }

    /// Whether a visitor means this one.
    pub(super) fn is(self, name: &[u8]) -> bool {
        name.eq_ignore_ascii_case(self.name().as_bytes())
            || (self == Coding::Gzip && name.eq_ignore_ascii_case(b"x-gzip"))
    }

    /// The memory of an encoder in pieces of 64 KiB, as measured.
    pub(super) fn cost(self) -> u32 {
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

    fn made(&mut self) -> &mut Vec<u8> {
        match self {
            Encoder::Brotli(encoder) => encoder.get_mut(),
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Deflate(encoder) => encoder.get_mut(),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer().write_all(bytes)
    }

    /// From here on everything written so far can be read by the visitor.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }

    /// How much lies ready.
    pub(super) fn ready(&mut self) -> usize {
        self.made().len()
    }

    /// What lies ready.
    pub(super) fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(self.made()))
    }

    /// The rest, with the end of the format.
    pub(super) fn finish(self) -> io::Result<Bytes> {
        let rest = match self {
            Encoder::Brotli(encoder) => encoder.into_inner(),
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Deflate(encoder) => encoder.finish()?,
        };
        Ok(Bytes::from(rest))
    }
}
