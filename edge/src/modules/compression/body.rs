//! A body that is compressed while it streams.

use super::encoder::Encoder;
use crate::{http::BodyError, limits::QuotaPermit, upstream::ResponseBody};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::HeaderMap;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Size in bytes from which compressed data is sent without waiting for more.
const MIN_FRAME_BYTES: usize = 8 * 1024;
/// Bytes read in one poll; a well-compressing body must not block the thread.
const MAX_POLL_BYTES: usize = 512 * 1024;

/// Reads only as fast as the client does. When the body is pending, everything it sent is flushed.
pub(super) struct Compressed {
    state: State,
    trailers: Option<HeaderMap>,
}

enum State {
    Open {
        body: ResponseBody,
        encoder: Encoder,
        /// Written data has not been flushed yet.
        unflushed: bool,
        room: QuotaPermit,
    },
    /// The data has ended; trailers may follow.
    Over,
}

impl Compressed {
    pub(super) fn new(body: ResponseBody, encoder: Encoder, room: QuotaPermit) -> Self {
        Compressed { state: State::Open { body, encoder, unflushed: false, room }, trailers: None }
    }

    fn finish(&mut self) -> Result<Bytes, BodyError> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Open { encoder, room, .. } => {
                let last = encoder.finish()?;
                drop(room);
                Ok(last)
            }
            State::Over => Ok(Bytes::new()),
        }
    }

    /// The next chunk; empty at the end.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, BodyError>> {
        let mut read = 0;
        loop {
            let State::Open { body, encoder, unflushed, .. } = &mut self.state else {
                return Poll::Ready(Ok(Bytes::new()));
            };
            match Pin::new(body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => {
                        encoder.write(&bytes)?;
                        *unflushed |= !bytes.is_empty();
                        if encoder.available() >= MIN_FRAME_BYTES {
                            return Poll::Ready(Ok(encoder.take()));
                        }
                        read += bytes.len();
                        if read >= MAX_POLL_BYTES {
                            cx.waker().wake_by_ref();
                            return Poll::Pending;
                        }
                    }
                    Err(frame) => {
                        self.trailers = frame.into_trailers().ok();
                        return Poll::Ready(self.finish());
                    }
                },
                Poll::Ready(Some(Err(error))) => {
                    // Without the end of the encoding, the client notices that data is missing.
                    self.state = State::Over;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => return Poll::Ready(self.finish()),
                Poll::Pending => {
                    if std::mem::take(unflushed) {
                        encoder.flush()?;
                    }
                    return if encoder.available() > 0 { Poll::Ready(Ok(encoder.take())) } else { Poll::Pending };
                }
            }
        }
    }
}

impl Body for Compressed {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let chunk = ready!(this.poll_chunk(cx))?;
        if !chunk.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        Poll::Ready(this.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Over) && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
