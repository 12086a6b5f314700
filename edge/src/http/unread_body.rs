//! What remains of a request body over HTTP/2 when the response is complete.
//!
//! A server that has responded may reset the stream instead of reading on (RFC 9113, section 8.1). Clients that were still
//! sending may take this as an error and drop the response, such as curl before 8.0. So a body that is about to end is
//! read to its end.

use super::lazy_timer::LazyTimer;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{runtime::Handle, time::Instant};

/// Maximum number of bytes that are read without a use for them: what a client may send before it is asked for more.
const MAX_UNREAD_BYTES: u64 = 1024 * 1024;
/// Time in which a body must end that nothing needs.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// A request body over HTTP/2. If it is dropped before its end, the rest is read in the background, within limits; then
/// the stream is reset.
#[derive(Debug)]
pub(super) struct Http2Body(Option<Incoming>);

impl Http2Body {
    pub(super) fn new(incoming: Incoming) -> Self {
        Http2Body((!incoming.is_end_stream()).then_some(incoming))
    }

    pub(super) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let Some(body) = &mut self.0 else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    pub(super) fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    pub(super) fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Http2Body {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else { return };
        if body.size_hint().lower() <= MAX_UNREAD_BYTES
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(read_to_end(body));
        }
    }
}

/// Reads a body to its end, unless it is too long or takes too long.
async fn read_to_end<B>(mut body: B)
where
    B: Body<Data = Bytes> + Unpin,
{
    let (mut timer, due, mut unread) = (LazyTimer::default(), Instant::now() + UNREAD_TIMEOUT, 0);
    poll_fn(|cx| {
        while unread <= MAX_UNREAD_BYTES {
            match Pin::new(&mut body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => unread += frame.data_ref().map_or(0, Bytes::len) as u64,
                Poll::Ready(Some(Err(_)) | None) => break,
                Poll::Pending => return timer.poll(due, cx),
            }
        }
        Poll::Ready(())
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    /// A body of this many pieces; one without an end goes silent after them.
    struct Pieces {
        left: u64,
        ends: bool,
        taken: Arc<AtomicU64>,
    }

    const PIECE_BYTES: u64 = 16 * 1024;

    impl Body for Pieces {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            if self.left == 0 {
                return if self.ends { Poll::Ready(None) } else { Poll::Pending };
            }
            self.left -= 1;
            self.taken.fetch_add(PIECE_BYTES, Ordering::Relaxed);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; PIECE_BYTES as usize])))))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unread_body_is_read_within_limits() {
        for (pieces, ends, bytes, seconds) in [
            (0, true, 0, 0),
            (3, true, 3 * PIECE_BYTES, 0),
            (3, false, 3 * PIECE_BYTES, 5),
            (u64::MAX, true, MAX_UNREAD_BYTES + PIECE_BYTES, 0),
        ] {
            let (began, taken) = (Instant::now(), Arc::default());
            read_to_end(Pieces { left: pieces, ends, taken: Arc::clone(&taken) }).await;
            assert_eq!((taken.load(Ordering::Relaxed), began.elapsed().as_secs()), (bytes, seconds), "{pieces} pieces");
        }
    }
}
