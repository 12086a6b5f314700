//! Transport of a stream: a data connection of its own, a share of one, or a yamux stream on the control connection.

mod own_connection;
mod shared_connection;
mod shared_stream;

pub(crate) use self::{
    own_connection::OwnConnection,
    shared_connection::{SharedConnection, SpareConnections},
    shared_stream::SharedStream,
};

use super::{cancellation::StreamCancellation, overflow_credit::StreamCredit, transport::BoxedTransport};
use futures::io::{AsyncRead as _, AsyncWrite as _};
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    runtime::Handle,
};

/// Bytes that one read takes from an overflow stream. The reader's buffer is filled with zeros up to here for each.
const MAX_OVERFLOW_READ_BYTES: usize = 16 * 1024;

/// Owner of data connections, to which they return when their stream ends.
pub(crate) trait ConnectionOwner: Send + Sync {
    /// Returns a connection whose stream ended properly, for the next stream.
    fn release(&self, transport: StreamTransport);
    /// Records the loss of a connection.
    fn discard(&self);
    /// Runtime for the work that a dropped stream leaves.
    fn runtime(&self) -> &Handle;
}

/// Byte stream between the two ends that fails when the session ends.
pub(crate) struct StreamTransport {
    kind: TransportKind,
    cancellation: StreamCancellation,
}

enum TransportKind {
    Connection(BoxedTransport),
    Overflow(yamux::Stream, Option<StreamCredit>),
    Shared(SharedStream),
}

impl StreamTransport {
    pub(crate) fn connection(transport: BoxedTransport, cancellation: StreamCancellation) -> Self {
        StreamTransport { kind: TransportKind::Connection(transport), cancellation }
    }

    /// `credit` is missing if the peer does not know the flow control of overflow streams.
    pub(crate) fn overflow(
        stream: yamux::Stream,
        credit: Option<StreamCredit>,
        cancellation: StreamCancellation,
    ) -> Self {
        StreamTransport { kind: TransportKind::Overflow(stream, credit), cancellation }
    }

    pub(crate) fn shared(stream: SharedStream, cancellation: StreamCancellation) -> Self {
        StreamTransport { kind: TransportKind::Shared(stream), cancellation }
    }

    /// Whether other streams share its connection.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(&self.kind, TransportKind::Shared(stream) if stream.is_shared())
    }

    /// Ends a stream of a shared connection whose directions have both ended.
    fn complete(self) {
        if let TransportKind::Shared(stream) = self.kind {
            stream.complete();
        }
    }

    /// How many bytes may be written now, so that a caller need not keep what would not be taken.
    pub(crate) fn poll_write_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let room = match &mut self.kind {
            TransportKind::Connection(_) | TransportKind::Overflow(_, None) => return Poll::Ready(Ok(usize::MAX)),
            TransportKind::Overflow(_, Some(credit)) => credit.poll_room(cx).map(Ok),
            TransportKind::Shared(stream) => stream.poll_room(cx),
        };
        if room.is_pending() && self.cancellation.is_cancelled_or_register_writer(cx) {
            return Poll::Ready(Err(session_over()));
        }
        room
    }

    /// Higher than those of the session's earlier connections and streams.
    pub(crate) fn number(&self) -> u64 {
        self.cancellation.number()
    }

    /// Whether the session has ended.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Whether an idle connection is usable: no data, end or error has arrived on it.
    pub(crate) fn is_usable(&mut self) -> bool {
        let mut byte = [0; 1];
        let mut cx = Context::from_waker(std::task::Waker::noop());
        !self.is_cancelled() && Pin::new(self).poll_read(&mut cx, &mut ReadBuf::new(&mut byte)).is_pending()
    }
}

fn session_over() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the session has ended")
}

impl AsyncRead for StreamTransport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = match &mut this.kind {
            TransportKind::Connection(transport) => Pin::new(transport).poll_read(cx, buf),
            TransportKind::Shared(stream) => stream.poll_read(cx, buf),
            TransportKind::Overflow(stream, credit) => {
                let length = buf.remaining().min(MAX_OVERFLOW_READ_BYTES);
                match Pin::new(stream).poll_read(cx, buf.initialize_unfilled_to(length)) {
                    Poll::Ready(Ok(count)) => {
                        buf.advance(count);
                        if let Some(credit) = credit {
                            credit.received(count);
                        }
                        Poll::Ready(Ok(()))
                    }
                    Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                    Poll::Pending => {
                        if let Some(credit) = credit {
                            credit.waiting();
                        }
                        Poll::Pending
                    }
                }
            }
        };
        if poll.is_pending() && this.cancellation.is_cancelled_or_register_reader(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }
}

impl AsyncWrite for StreamTransport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let poll = match &mut this.kind {
            TransportKind::Connection(transport) => Pin::new(transport).poll_write_vectored(cx, slices),
            TransportKind::Shared(stream) => stream.poll_write(cx, slices),
            TransportKind::Overflow(stream, None) => Pin::new(stream).poll_write_vectored(cx, slices),
            TransportKind::Overflow(stream, Some(credit)) => {
                let bytes = slices.iter().find(|slice| !slice.is_empty()).map_or(&[][..], |slice| slice);
                match credit.poll_room(cx) {
                    Poll::Pending => Poll::Pending,
                    Poll::Ready(room) => {
                        let written = Pin::new(stream).poll_write(cx, &bytes[..bytes.len().min(room)]);
                        if let Poll::Ready(Ok(count)) = written {
                            credit.sent(count);
                        }
                        written
                    }
                }
            }
        };
        if poll.is_pending() && this.cancellation.is_cancelled_or_register_writer(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }

    fn is_write_vectored(&self) -> bool {
        match &self.kind {
            TransportKind::Connection(transport) => transport.is_write_vectored(),
            TransportKind::Overflow(..) => false,
            TransportKind::Shared(_) => true,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = match &mut this.kind {
            TransportKind::Connection(transport) => Pin::new(transport).poll_flush(cx),
            TransportKind::Shared(stream) => stream.poll_flush(cx),
            TransportKind::Overflow(stream, _) => Pin::new(stream).poll_flush(cx),
        };
        if poll.is_pending() && this.cancellation.is_cancelled_or_register_writer(cx) {
            return Poll::Ready(Err(session_over()));
        }
        poll
    }

    /// Closes an overflow stream. A data connection stays open for the next stream.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(cx))?;
        match &mut self.get_mut().kind {
            TransportKind::Connection(_) | TransportKind::Shared(_) => Poll::Ready(Ok(())),
            TransportKind::Overflow(stream, _) => Pin::new(stream).poll_close(cx),
        }
    }
}
