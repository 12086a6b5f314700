//! The body of a message as it is written (RFC 9112, sections 6 and 7).

use super::{output::Output, spelling::write_field};
use crate::http::BodyError;
use bytes::Bytes;
use http_body::Body;
use hyper::{HeaderMap, header::HeaderName};
use std::{
    io::Write,
    pin::Pin,
    task::{Context, Poll},
};

/// The body is shorter than its `Content-Length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body ended {0} bytes before the length that was announced")]
struct BodyTooShort(u64);

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
    fn write(&mut self, mut data: Bytes, output: &mut Output) {
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
    fn end(self, trailers: Option<&HeaderMap>, output: &mut Output) -> Result<(), BodyTooShort> {
        match self {
            BodyWriter::Length(0) | BodyWriter::UntilClose => Ok(()),
            BodyWriter::Length(left) => Err(BodyTooShort(left)),
            BodyWriter::Chunked(announced) => {
                let head = output.head();
                head.extend_from_slice(b"0\r\n");
                for (name, value) in trailers.into_iter().flatten().filter(|(name, _)| announced.contains(name)) {
                    write_field(head, name, value, None);
                }
                head.extend_from_slice(b"\r\n");
                Ok(())
            }
        }
    }
}

/// A body that is being written.
pub(super) struct OutgoingBody<B> {
    body: B,
    writer: BodyWriter,
}

/// What could be written of a body.
#[derive(Debug, Default)]
pub(super) struct Filled {
    /// The body gives nothing more at the moment.
    pub(super) is_waiting: bool,
    /// Something was taken from the body.
    pub(super) took_frame: bool,
}

impl<B> OutgoingBody<B> {
    pub(super) fn new(body: B, writer: BodyWriter) -> Self {
        OutgoingBody { body, writer }
    }

    pub(super) fn into_body(self) -> B {
        self.body
    }
}

impl<B> OutgoingBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BodyError>,
{
    /// Writes as much of the body as there is room for, and its end. The body is dropped as soon as it has given
    /// everything.
    ///
    /// # Errors
    /// If the body breaks off, or is shorter than was announced.
    pub(super) fn fill(
        slot: &mut Option<Self>,
        output: &mut Output,
        cx: &mut Context<'_>,
    ) -> Result<Filled, BodyError> {
        let mut filled = Filled::default();
        while let Some(OutgoingBody { body, writer }) = slot
            && output.has_room()
        {
            let polled = Pin::new(&mut *body).poll_frame(cx);
            filled.took_frame |= matches!(polled, Poll::Ready(Some(Ok(_))));
            let trailers = match polled {
                Poll::Pending => {
                    filled.is_waiting = true;
                    break;
                }
                Poll::Ready(None) => None,
                Poll::Ready(Some(frame)) => match frame.map_err(Into::into)?.into_data() {
                    Ok(data) => {
                        writer.write(data, output);
                        if !body.is_end_stream() && !writer.is_ended() {
                            continue;
                        }
                        None
                    }
                    Err(frame) => frame.into_trailers().ok(),
                },
            };
            if let Some(ended) = slot.take() {
                ended.writer.end(trailers.as_ref(), output)?;
            }
        }
        Ok(filled)
    }
}
