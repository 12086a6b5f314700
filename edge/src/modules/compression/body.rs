//! A body that is compressed while it passes.

use super::encoder::Encoder;
use crate::{http::BodyError, upstream::ResponseBody};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::HeaderMap;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::sync::OwnedSemaphorePermit;

/// So much is worth a frame of its own, though more is at hand.
const PIECE: usize = 8 * 1024;
/// So much is read at one go at most, however little becomes of it.
const GO: usize = 512 * 1024;

/// Reads no more of the body than the visitor takes. As soon as the body has nothing more to say at the moment,
/// everything it said goes on its way.
pub(super) struct Compressed {
    state: State,
    trailers: Option<HeaderMap>,
}

enum State {
    Open {
        body: ResponseBody,
        encoder: Encoder,
        /// Something was written that cannot be read by the visitor yet.
        held: bool,
        room: OwnedSemaphorePermit,
    },
    /// The last piece is out; trailers may follow.
    Over,
}

impl Compressed {
    pub(super) fn new(body: ResponseBody, encoder: Encoder, room: OwnedSemaphorePermit) -> Self {
        Compressed { state: State::Open { body, encoder, held: false, room }, trailers: None }
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

    /// The next piece; empty at the end.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, BodyError>> {
        let mut read = 0;
        loop {
            let State::Open { body, encoder, held, .. } = &mut self.state else { return Poll::Ready(Ok(Bytes::new())) };
            match Pin::new(body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => {
                        encoder.write(&bytes)?;
                        *held |= !bytes.is_empty();
                        if encoder.ready() >= PIECE {
                            return Poll::Ready(Ok(encoder.take()));
                        }
                        read += bytes.len();
                        if read >= GO {
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
                    // Without an end of the format the visitor sees that something is missing.
                    self.state = State::Over;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => return Poll::Ready(self.finish()),
                Poll::Pending => {
                    if std::mem::take(held) {
                        encoder.flush()?;
                    }
                    return if encoder.ready() > 0 { Poll::Ready(Ok(encoder.take())) } else { Poll::Pending };
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
        let piece = ready!(this.poll_piece(cx))?;
        if !piece.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
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
