//! What is below the codec of an HTTP/2 connection: it lasts as long as the connection, and a codec as long as it is needed.
//!
//! A codec is a state of its own, and a new one knows nothing of the connection that it is to go on with. Most of what it has
//! to know can be told as if the connection began: the client's settings and the server's window. What it cannot be told is
//! made to be as at the beginning before it is needed: no stream is open, and the client has emptied its table of fields, as a
//! change of SETTINGS_HEADER_TABLE_SIZE made it (RFC 7541, section 4.2). The server's own table may stay behind: the client
//! keeps the entries of the codec before, which no later one refers to, until newer ones push them out.

use super::{
    codec_count::CODECS,
    connection_state::{ConnectionState, SETTINGS_HEADER_TABLE_SIZE},
    frames::{self, GOAWAY, SETTINGS},
    input::{Input, RefusedInput},
    output::Output,
};
use crate::http::{HttpGuard, LazyTimer};
use bytes::{Buf, Bytes};
use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What is read of the client's bytes before there is a codec for them.
const FIRST_BYTES: usize = 1024;
/// The largest number that a stream can have.
const LAST_STREAM: u32 = 0x7fff_ffff;

/// The size of the client's table (RFC 7541) that the codec is built with, and that of a new connection.
pub(crate) const HEADER_TABLE_BYTES: u32 = 4096;

/// The transport of an HTTP/2 connection. Its clones are the same transport: one is the codec's.
pub(crate) struct Http2Transport<S>(Arc<Mutex<Transport<S>>>);

struct Transport<S> {
    guard: Box<HttpGuard<S>>,
    state: ConnectionState,
    input: Input,
    output: Output,
    /// What the codec reads before anything from the client.
    unread: Bytes,
    /// Bytes at the beginning of `unread` that a new codec reads before it has written its first frames.
    preface: u32,
    table: ClientTable,
    rest: LazyTimer,
}

/// The client's table of fields that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientTable {
    InUse,
    /// The client was asked to empty it, and has not acknowledged that or has just done so.
    Emptied,
    /// The client was told that it may use it again.
    Restored,
}

/// What a client did while there was no codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// It sent something for a codec.
    Bytes,
    /// It sent what no codec will read, as [`Http2Transport::refused`] says.
    Refused,
    /// It is gone.
    End,
}

impl<S> Http2Transport<S> {
    pub(crate) fn new(guard: Box<HttpGuard<S>>) -> Self {
        Http2Transport(Arc::new(Mutex::new(Transport {
            guard,
            state: ConnectionState::new(),
            input: Input::new(),
            output: Output::new(),
            unread: Bytes::new(),
            preface: 0,
            table: ClientTable::InUse,
            rest: LazyTimer::default(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Transport<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a codec.
    pub(crate) fn share(&self) -> Self {
        Http2Transport(self.0.clone())
    }

    /// Why the codec gets no more to read, if that is so.
    pub(crate) fn refused(&self) -> Option<RefusedInput> {
        self.lock().input.refused()
    }

    /// The connection, to say GOAWAY on it with these bytes (RFC 9113, section 6.8): requests that were not answered may be sent
    /// again on another one. `None` while a codec has it, or if a frame is written in part.
    pub(crate) fn into_goaway(self) -> Option<(Box<HttpGuard<S>>, Vec<u8>)> {
        let transport = Arc::into_inner(self.0)?.into_inner().unwrap_or_else(PoisonError::into_inner);
        let last_stream = match transport.input.refused() {
            Some(RefusedInput::Unreadable) => transport.input.unknown_up_to(),
            _ => transport.state.last_stream(),
        };
        transport.output.is_between_frames().then(|| (transport.guard, goaway(last_stream)))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Http2Transport<S> {
    /// Ready when the connection has been without a stream for a while: the codec is to be dropped. Must be polled after the
    /// codec.
    pub(crate) fn poll_released(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.lock().poll_released(cx)
    }

    /// Tells the client that the connection ends, but not which request is the last (RFC 9113, section 6.8): what is on its
    /// way is served.
    pub(crate) async fn announce_end(&self) -> io::Result<()> {
        {
            let mut transport = self.lock();
            let Transport { output, state, .. } = &mut *transport;
            output.queue(&goaway(LAST_STREAM), state);
        }
        std::future::poll_fn(|cx| self.lock().poll_flush(cx)).await
    }

    /// Waits for what a codec is needed for.
    pub(crate) async fn awaited(&self) -> io::Result<Awaited> {
        std::future::poll_fn(|cx| self.lock().poll_awaited(cx)).await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Transport<S> {
    fn poll_released(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let is_at_rest = self.is_at_rest();
        if self.table == ClientTable::Restored && self.input.foreign_acks() == 0 {
            self.table = ClientTable::InUse;
        }
        match self.table {
            ClientTable::InUse if is_at_rest => {
                ready!(self.rest.poll(self.guard.last_progress() + CODECS.released_after(), cx));
                self.set_table(ClientTable::Emptied, 0);
            }
            ClientTable::Emptied if self.input.foreign_acks() == 0 => {
                if is_at_rest {
                    self.release();
                    return Poll::Ready(());
                }
                if self.output.is_between_frames() {
                    self.set_table(ClientTable::Restored, HEADER_TABLE_BYTES);
                }
            }
            _ => {}
        }
        if !self.output.waiting().is_empty() {
            // An error is the codec's, too.
            let _ = self.poll_flush(cx);
        }
        Poll::Pending
    }

    fn is_at_rest(&self) -> bool {
        self.state.is_at_rest()
            && self.input.is_between_frames()
            && self.output.is_between_frames()
            && !self.output.is_beginning()
            && self.unread.is_empty()
    }

    fn set_table(&mut self, table: ClientTable, size: u32) {
        self.table = table;
        self.input.take_out_ack();
        let setting = [&SETTINGS_HEADER_TABLE_SIZE.to_be_bytes()[..], &size.to_be_bytes()].concat();
        self.output.queue(&frames::encode(SETTINGS, 0, 0, &setting), &mut self.state);
    }

    /// Prepares the connection for being without a codec. The next one begins with SETTINGS that let the client use its table again.
    fn release(&mut self) {
        // The preface has one for the codec's SETTINGS already.
        self.input.take_out_ack();
        self.input.begin_anew(self.state.last_stream());
        self.table = ClientTable::InUse;
        self.rest = LazyTimer::default();
        self.state.shrink();
    }

    fn poll_awaited(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Awaited>> {
        loop {
            let mut bytes = [0; FIRST_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.guard).poll_read(cx, &mut buffer))?;
            let received = buffer.filled();
            if received.is_empty() {
                return Poll::Ready(Ok(Awaited::End));
            }
            // As it was before these bytes, because the codec reads them as well.
            let (preface, beyond_initial) = (self.state.preface(), self.state.received_window_beyond_initial());
            let passed = self.input.take(received, &mut self.state);
            let passed = passed.as_deref().unwrap_or(received);
            if self.input.refused().is_some() {
                return Poll::Ready(Ok(Awaited::Refused));
            }
            if !passed.is_empty() {
                self.unread = [&preface, passed].concat().into();
                self.preface = preface.len() as u32;
                self.output.begin_anew(beyond_initial);
                return Poll::Ready(Ok(Awaited::Bytes));
            }
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.preface > 0 {
            self.preface -= give(&mut self.unread, self.preface as usize, buffer) as u32;
            return Poll::Ready(Ok(()));
        }
        // Until the codec has told what its window is, it would refuse bodies that are within the connection's. It is woken
        // when it has.
        if self.output.is_beginning() {
            return Poll::Pending;
        }
        while self.unread.is_empty() {
            if self.input.refused().is_some() {
                return Poll::Pending;
            }
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.guard).poll_read(cx, buffer))?;
            let received = &buffer.filled()[before..];
            if received.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let Some(passed) = self.input.take(received, &mut self.state) else { return Poll::Ready(Ok(())) };
            buffer.set_filled(before);
            self.unread = passed.into();
        }
        give(&mut self.unread, usize::MAX, buffer);
        Poll::Ready(Ok(()))
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if self.output.is_beginning() {
            for bytes in slices {
                self.output.begin(bytes, &mut self.state);
            }
            if !self.output.is_beginning() {
                cx.waker().wake_by_ref();
            }
            return Poll::Ready(Ok(slices.iter().map(|bytes| bytes.len()).sum()));
        }
        ready!(self.poll_waiting(cx))?;
        let written = ready!(Pin::new(&mut self.guard).poll_write_vectored(cx, slices))?;
        self.input.sent(written);
        let mut rest = written;
        for bytes in slices {
            let size = rest.min(bytes.len());
            self.output.written(&bytes[..size], &mut self.state);
            rest -= size;
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_waiting(cx))?;
        Pin::new(&mut self.guard).poll_flush(cx)
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.output.waiting().is_empty() {
            let written = ready!(Pin::new(&mut self.guard).poll_write(cx, self.output.waiting()))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.output.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

fn goaway(last_stream: u32) -> Vec<u8> {
    frames::encode(GOAWAY, 0, 0, &[last_stream.to_be_bytes(), [0; 4]].concat())
}

/// Gives a reader as much as it has room for, up to a limit, and returns how much that is.
fn give(bytes: &mut Bytes, limit: usize, buffer: &mut ReadBuf<'_>) -> usize {
    let size = bytes.len().min(buffer.remaining()).min(limit);
    buffer.put_slice(&bytes[..size]);
    bytes.advance(size);
    if bytes.is_empty() {
        *bytes = Bytes::new();
    }
    size
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Http2Transport<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.lock().poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Http2Transport<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.lock().poll_write(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.lock().poll_write(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.lock().guard.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lock().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut transport = self.lock();
        ready!(transport.poll_waiting(cx))?;
        Pin::new(&mut transport.guard).poll_shutdown(cx)
    }
}
