//! What a stream travels on: a data connection of its own, or a yamux stream on the control connection.

use super::life::Pulse;
use super::transport::BoxedTransport;
use futures::io::{AsyncRead as _, AsyncWrite as _};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One way between the two ends, and the news of the session's end.
pub(crate) struct Carrier {
    way: Way,
    pulse: Pulse,
}

enum Way {
    Connection(BoxedTransport),
    Overflow(yamux::Stream),
}

impl Carrier {
    pub(crate) fn connection(transport: BoxedTransport, pulse: Pulse) -> Self {
        Carrier { way: Way::Connection(transport), pulse }
    }

    pub(crate) fn overflow(stream: yamux::Stream, pulse: Pulse) -> Self {
        Carrier { way: Way::Overflow(stream), pulse }
    }

    /// Whether the session is over.
    pub(crate) fn ended(&self) -> bool {
        self.pulse.ended()
    }

    /// Whether nothing has happened on a connection that should be silent: no data, no end, no error.
    pub(crate) fn is_silent(&mut self) -> bool {
        let mut byte = [0; 1];
        let mut cx = Context::from_waker(std::task::Waker::noop());
        !self.ended() && Pin::new(self).poll_read(&mut cx, &mut ReadBuf::new(&mut byte)).is_pending()
    }
}

fn session_over() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the session is over")
}

impl AsyncRead for Carrier {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = match &mut this.way {
            Way::Connection(transport) => Pin::new(transport).poll_read(cx, buf),
            Way::Overflow(stream) => match Pin::new(stream).poll_read(cx, buf.initialize_unfilled()) {
                Poll::Ready(Ok(count)) => {
                    buf.advance(count);
                    Poll::Ready(Ok(()))
                }
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Pending => Poll::Pending,
            },
        };
        if poll.is_pending() && this.pulse.ended_while_reading(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }
}

impl AsyncWrite for Carrier {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let poll = match &mut this.way {
            Way::Connection(transport) => Pin::new(transport).poll_write_vectored(cx, slices),
            Way::Overflow(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        };
        if poll.is_pending() && this.pulse.ended_while_writing(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }

    fn is_write_vectored(&self) -> bool {
        match &self.way {
            Way::Connection(transport) => transport.is_write_vectored(),
            Way::Overflow(_) => false,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = match &mut this.way {
            Way::Connection(transport) => Pin::new(transport).poll_flush(cx),
            Way::Overflow(stream) => Pin::new(stream).poll_flush(cx),
        };
        if poll.is_pending() && this.pulse.ended_while_writing(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }

    /// Ends an overflow stream; a connection stays open for the next stream.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(cx))?;
        match &mut self.get_mut().way {
            Way::Connection(_) => Poll::Ready(Ok(())),
            Way::Overflow(stream) => Pin::new(stream).poll_close(cx),
        }
    }
}
