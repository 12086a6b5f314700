//! A TLS connection as a byte stream.

use super::{MAX_PLAINTEXT, incoming::Incoming, outgoing::Outgoing, post_handshake::Session};
use crate::proto::frame::MAX_PAYLOAD;
use rustls::crypto::cipher::OutboundChunks;
use smallvec::SmallVec;
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Encrypted bytes that may wait for the socket: a frame takes a single write, and a peer that does not read costs little more.
const MAX_OUTGOING: usize = MAX_PAYLOAD;

/// An established TLS connection over `S`.
///
/// As with rustls' own streams, what was written may wait until it is flushed, and an end without `close_notify` is an error.
pub struct TlsStream<S> {
    io: S,
    session: Box<Session>,
    incoming: Incoming,
    outgoing: Outgoing,
}

impl<S> TlsStream<S> {
    pub(super) fn new(io: S, session: Session, incoming: Incoming) -> Self {
        TlsStream { io, session: Box::new(session), incoming, outgoing: Outgoing::default() }
    }

    #[cfg(test)]
    pub(super) fn session(&mut self) -> (&mut Session, &mut Outgoing) {
        (&mut self.session, &mut self.outgoing)
    }

    #[cfg(test)]
    pub(super) fn io(&mut self) -> &mut S {
        &mut self.io
    }

    #[cfg(test)]
    pub(super) fn held(&mut self) -> usize {
        self.incoming.held()
    }
}

impl<S> std::fmt::Debug for TlsStream<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsStream")
    }
}

impl<S: AsyncWrite + Unpin> TlsStream<S> {
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.outgoing.poll_write(&mut self.io, cx)
    }

    /// Decrypts what was received. A key update that answers it is sent before the next data, an alert at once as far as the socket
    /// takes it.
    fn decrypt_received(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let decrypted = self.session.decrypt_next(&mut self.incoming, &mut self.outgoing);
        if decrypted.is_err() {
            let _ = self.poll_send(cx);
        }
        decrypted
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let filled = buf.filled().len();
        loop {
            if this.incoming.has_plaintext() {
                this.incoming.read(buf);
            }
            if buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            // An error is returned by the next call if there are bytes to return.
            let decrypted = this.decrypt_received(cx);
            if decrypted.is_ok() && this.incoming.has_plaintext() {
                continue;
            }
            if buf.filled().len() > filled {
                return Poll::Ready(Ok(()));
            }
            decrypted?;
            if this.session.is_read_closed {
                return Poll::Ready(Ok(()));
            }
            if ready!(this.incoming.poll_receive(&mut this.io, cx))? == 0 {
                let message = "the peer closed the connection without close_notify";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, message)));
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // What waits goes first; it may have all the room.
        if this.poll_send(cx)?.is_pending() && this.outgoing.len() >= MAX_OUTGOING {
            return Poll::Pending;
        }
        let slices: SmallVec<[&[u8]; 8]> = slices.iter().map(|slice| &**slice).collect();
        let chunks = OutboundChunks::new(&slices);
        let (mut rest, _) = chunks.split_at(chunks.len().min(MAX_OUTGOING - this.outgoing.len()));
        let count = rest.len();
        while !rest.is_empty() {
            let (record, after) = rest.split_at(rest.len().min(MAX_PLAINTEXT));
            this.session.send(record, &mut this.outgoing)?;
            rest = after;
        }
        let _: Poll<()> = this.poll_send(cx)?;
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.session.close(&mut this.outgoing);
        ready!(this.poll_send(cx))?;
        match ready!(Pin::new(&mut this.io).poll_shutdown(cx)) {
            // The peer has closed the connection already.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            result => Poll::Ready(result),
        }
    }
}
