//! The data connection that a stream of a shared connection has moved to.

use super::{ConnectionOwner, StreamTransport};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes of the number that the agent sends first.
const TOTAL_BYTES: usize = 4;

/// The connection. Lost for its owner when it is dropped, unless it was given back.
pub(crate) struct OwnConnection {
    /// `None` only while it is given back or dropped.
    transport: Option<Box<StreamTransport>>,
    owner: Arc<dyn ConnectionOwner>,
    /// How many bytes the peer has sent on the shared connection, modulo 2^32, and how many bytes of that number are known.
    peer_sent: [u8; TOTAL_BYTES],
    known: usize,
    /// Whether the transport may still buffer the first bytes.
    unflushed: bool,
}

impl OwnConnection {
    /// At the server, which still waits for the number of bytes that the agent has sent on the shared connection.
    pub(super) fn opened(transport: StreamTransport, owner: Arc<dyn ConnectionOwner>) -> Self {
        OwnConnection {
            transport: Some(Box::new(transport)),
            owner,
            peer_sent: [0; TOTAL_BYTES],
            known: 0,
            unflushed: false,
        }
    }

    /// At the agent: the server has sent so many bytes on the shared connection.
    pub(crate) fn accepted(transport: StreamTransport, owner: Arc<dyn ConnectionOwner>, peer_sent: u32) -> Self {
        let peer_sent = peer_sent.to_be_bytes();
        OwnConnection { transport: Some(Box::new(transport)), owner, peer_sent, known: TOTAL_BYTES, unflushed: false }
    }

    pub(super) fn transport(&mut self) -> Pin<&mut StreamTransport> {
        Pin::new(self.transport.as_mut().expect("taken only at the end"))
    }

    /// Writes a few bytes at once. A connection that does not take them is not usable.
    pub(super) fn write_now(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> io::Result<()> {
        match self.transport().poll_write(cx, bytes) {
            Poll::Ready(Ok(count)) if count == bytes.len() => {}
            Poll::Ready(Err(error)) => return Err(error),
            _ => return Err(io::ErrorKind::WriteZero.into()),
        }
        self.unflushed = true;
        self.flush_first(cx)
    }

    /// Flushes the first bytes, if they are still buffered.
    fn flush_first(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if !self.unflushed {
            return Ok(());
        }
        match self.transport().poll_flush(cx) {
            Poll::Ready(flushed) => {
                self.unflushed = false;
                flushed
            }
            Poll::Pending => Ok(()),
        }
    }

    /// Reads what the peer sends here.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.flush_first(cx)?;
        self.transport().poll_read(cx, buf)
    }

    /// How many bytes the peer has sent on the shared connection; `None` if that is not known yet.
    pub(super) fn peer_sent(&self) -> Option<u32> {
        (self.known == TOTAL_BYTES).then(|| u32::from_be_bytes(self.peer_sent))
    }

    /// Reads that number.
    pub(super) fn poll_peer_sent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flush_first(cx)?;
        while self.known < TOTAL_BYTES {
            let mut bytes = [0; TOTAL_BYTES];
            let mut buf = ReadBuf::new(&mut bytes[self.known..]);
            ready!(self.transport().poll_read(cx, &mut buf))?;
            let filled = buf.filled();
            if filled.is_empty() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            let count = filled.len();
            self.peer_sent[self.known..self.known + count].copy_from_slice(filled);
            self.known += count;
        }
        Poll::Ready(Ok(()))
    }

    /// Returns the connection, for the next stream.
    pub(super) fn give_back(mut self) {
        if let Some(transport) = self.transport.take() {
            self.owner.release(*transport);
        }
    }
}

impl Drop for OwnConnection {
    fn drop(&mut self) {
        if let Some(transport) = self.transport.take() {
            drop(transport);
            self.owner.discard();
        }
    }
}
