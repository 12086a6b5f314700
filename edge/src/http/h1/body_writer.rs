//! The body of a message as it is written (RFC 9112, sections 6 and 7).

use super::{output::Output, spelling::write_name};
use bytes::Bytes;
use hyper::{HeaderMap, header::HeaderName};
use std::io::Write;

/// The body is shorter than its `Content-Length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body ended {0} bytes before the length that was announced")]
pub(super) struct BodyTooShort(u64);

/// Frames a body.
#[derive(Debug)]
pub(super) enum BodyWriter {
    /// So many bytes are left; more are not written.
    Length(u64),
    /// Chunks; trailers of these names may follow.
    Chunked(Vec<HeaderName>),
    /// The end of the connection is the end of the body.
    UntilClose,
}

impl BodyWriter {
    pub(super) fn none() -> Self {
        BodyWriter::Length(0)
    }

    pub(super) fn length(length: u64) -> Self {
        BodyWriter::Length(length)
    }

    pub(super) fn chunked(announced: Vec<HeaderName>) -> Self {
        BodyWriter::Chunked(announced)
    }

    /// Whether nothing more is written.
    pub(super) fn is_ended(&self) -> bool {
        matches!(self, BodyWriter::Length(0))
    }

    pub(super) fn ends_connection(&self) -> bool {
        matches!(self, BodyWriter::UntilClose)
    }

    /// Writes a piece of the body.
    pub(super) fn write(&mut self, mut data: Bytes, output: &mut Output) {
        if data.is_empty() {
            return;
        }
        match self {
            BodyWriter::Length(left) => {
                data.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= data.len() as u64;
                output.push(data);
            }
            BodyWriter::Chunked(_) => {
                let _ = write!(output.head(), "{:X}\r\n", data.len());
                output.push(data);
                output.head().extend_from_slice(b"\r\n");
            }
            BodyWriter::UntilClose => output.push(data),
        }
    }

    /// Writes the end of the body, with trailers that were announced.
    ///
    /// # Errors
    /// If the body is shorter than was announced.
    pub(super) fn end(self, trailers: Option<&HeaderMap>, output: &mut Output) -> Result<(), BodyTooShort> {
        match self {
            BodyWriter::Length(0) | BodyWriter::UntilClose => Ok(()),
            BodyWriter::Length(left) => Err(BodyTooShort(left)),
            BodyWriter::Chunked(announced) => {
                let head = output.head();
                head.extend_from_slice(b"0\r\n");
                for (name, value) in trailers.into_iter().flatten().filter(|(name, _)| announced.contains(name)) {
                    write_name(head, name.as_str(), None);
                    head.extend_from_slice(b": ");
                    head.extend_from_slice(value.as_bytes());
                    head.extend_from_slice(b"\r\n");
                }
                head.extend_from_slice(b"\r\n");
                Ok(())
            }
        }
    }
}
