//! Stream of one visitor.

mod end;
mod forwarded;
mod frame_parts;

use self::frame_parts::{MAX_PARTS, poll_write_parts, set_payload};
use super::{
    stream_metadata::StreamMetadata,
    stream_transport::{ConnectionOwner, StreamTransport},
};
use crate::proto::{
    frame::{self, FrameReader, NextRead},
    stream_reply::{ACCEPTED, StreamReply, StreamReplyReader, encode_refusal},
};
use postern_api::Error;
use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    sync::OwnedSemaphorePermit,
};

/// Read size for stream replies and metadata.
const CHUNK_BYTES: usize = 256;

/// The agent refused the stream and sent the reason. Source of the [`io::Error`] that reads return.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent refused the stream: {0}")]
pub struct StreamRefused(pub Error);

/// Stream between edge and agent, on a data connection, on one that streams share, or on the control connection.
///
/// The opener may write at once. The first read also waits for the agent's reply; a refusal is an error whose source is
/// [`StreamRefused`]. `shutdown` ends one direction; after both directions have ended, a data connection is reused.
/// Dropped before its own `shutdown`, the stream is broken off: the peer reads an error, never an end.
///
/// The start of a stream, and its acceptance, are sent with the first write, flush or read.
pub struct TunnelStream {
    /// `None` only during drop.
    transport: Option<StreamTransport>,
    owner: Option<Arc<dyn ConnectionOwner>>,
    _permit: Option<OwnedSemaphorePermit>,
    /// Bytes in front of the next frame that are not yet written.
    prefix: Vec<u8>,
    /// Bytes of accepted writes that the transport has not taken.
    write_buffer: Vec<u8>,
    written: usize,
    /// Whether the transport may still buffer written bytes.
    unflushed: bool,
    blocked_writer: Option<Waker>,
    /// Metadata to send before the next write, or received before the last read.
    metadata: Option<StreamMetadata>,
    /// Metadata that has not arrived completely.
    partial_metadata: Vec<u8>,
    receiving: ReceiveState,
    sending: SendState,
    broken: bool,
    lingering: bool,
    /// Whether this end opened the stream.
    is_opener: bool,
    /// Whether the opener was told that the stream has arrived.
    pub(crate) is_arrival_told: bool,
}

/// State of the receiving direction.
enum ReceiveState {
    StreamReply(StreamReplyReader),
    Frames(FrameReader),
    Refusal(Error),
}

/// State of the sending direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SendState {
    Open,
    Closing,
    Closed,
}

impl TunnelStream {
    /// The opener's end; `start` is sent first.
    pub(crate) fn opened(
        transport: StreamTransport,
        owner: Option<Arc<dyn ConnectionOwner>>,
        permit: Option<OwnedSemaphorePermit>,
        start: Vec<u8>,
    ) -> Self {
        TunnelStream {
            transport: Some(transport),
            owner,
            _permit: permit,
            prefix: start,
            write_buffer: Vec::new(),
            written: 0,
            unflushed: false,
            blocked_writer: None,
            metadata: None,
            partial_metadata: Vec::new(),
            receiving: ReceiveState::StreamReply(StreamReplyReader::default()),
            sending: SendState::Open,
            broken: false,
            lingering: false,
            is_opener: true,
            is_arrival_told: false,
        }
    }

    /// Whether the session's control connection carries the stream, beside others.
    pub fn is_overflow(&self) -> bool {
        self.owner.is_none()
    }

    /// Whether a data connection carries the stream beside others.
    pub fn is_shared(&self) -> bool {
        self.transport.as_ref().is_some_and(StreamTransport::is_shared)
    }

    /// The agent's end of a stream that it serves.
    pub(crate) fn accepted_by_agent(transport: StreamTransport, owner: Option<Arc<dyn ConnectionOwner>>) -> Self {
        let mut stream = TunnelStream::opened(transport, owner, None, vec![ACCEPTED]);
        stream.receiving = ReceiveState::Frames(FrameReader::default());
        stream.is_opener = false;
        stream
    }

    /// Sends a refusal instead of the acceptance, and discards what the opener sent.
    pub(crate) async fn refuse(mut self, error: &Error) -> io::Result<()> {
        self.prefix = encode_refusal(error);
        self.flush().await?;
        self.sending = SendState::Closing;
        self.shutdown().await
    }

    /// Reads what the opener has sent without sending a reply. The reply can only be a refusal afterwards.
    pub(crate) async fn read_before_reply(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.prefix = Vec::new();
        self.read(buffer).await
    }

    /// Waits for the agent's reply only.
    ///
    /// # Errors
    /// [`io::Error`] with [`StreamRefused`] as the source if the agent refuses the stream; any other [`io::Error`] if the
    /// stream breaks.
    pub async fn accepted(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| self.poll_reply(cx)).await
    }

    /// Metadata of this stream: to be sent at the server, received at the agent.
    pub fn metadata(&mut self) -> StreamMetadata {
        self.metadata.get_or_insert_default().clone()
    }

    /// Queues stored metadata in front of the next write.
    fn prepend_metadata(&mut self) {
        // Only the server sends metadata.
        if !self.is_opener {
            return;
        }
        for metadata in self.metadata.iter().flat_map(StreamMetadata::take_all) {
            self.prefix.extend_from_slice(&frame::metadata_header(metadata.len()));
            self.prefix.extend_from_slice(&metadata);
        }
    }

    fn transport(&mut self) -> Pin<&mut StreamTransport> {
        Pin::new(self.transport.as_mut().expect("taken only during drop"))
    }

    /// Marks the stream broken if `poll` failed, so that its connection is not reused.
    fn check<T>(&mut self, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if matches!(poll, Poll::Ready(Err(_))) {
            self.broken = true;
        }
        poll
    }

    /// Writes the buffered bytes.
    fn poll_write_buffer(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.write_buffer.len() {
            let transport = Pin::new(self.transport.as_mut().expect("taken only during drop"));
            let poll = transport.poll_write(cx, &self.write_buffer[self.written..]);
            let count = ready!(self.check(poll))?;
            if count == 0 {
                self.broken = true;
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        self.write_buffer = Vec::new();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_write_pending(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.prefix.is_empty() {
            self.write_buffer = std::mem::take(&mut self.prefix);
        }
        self.poll_write_buffer(cx)
    }

    /// Flushes written bytes when a reader has to wait, because the peer may wait for them.
    ///
    /// Write errors are left for the next write, or for the read itself, to report.
    fn flush_while_reading(&mut self, cx: &mut Context<'_>) {
        if !self.unflushed && self.prefix.is_empty() {
            return;
        }
        self.unflushed = true;
        let mut poll = self.poll_write_pending(cx);
        if let Poll::Ready(Ok(())) = poll {
            let flushed = self.transport().poll_flush(cx);
            poll = self.check(flushed);
        }
        if poll.is_ready() {
            self.unflushed = false;
            // This reader may have replaced the waker of a blocked writer at the transport.
            if let Some(writer) = self.blocked_writer.take() {
                writer.wake();
            }
        }
    }

    /// Reads into `bytes`.
    fn poll_read_transport(&mut self, cx: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(bytes);
        let poll = self.transport().poll_read(cx, &mut buf);
        self.count_read(cx, poll, buf.filled().len())
    }

    /// Reads `limit` bytes at most, without filling the buffer with zeros first.
    fn poll_read_payload(
        &mut self,
        cx: &mut Context<'_>,
        limit: usize,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        let filled_before = buf.filled().len();
        let poll = Pin::new(&mut self.transport().take(limit as u64)).poll_read(cx, buf);
        self.count_read(cx, poll, buf.filled().len() - filled_before)
    }

    /// The bytes of a read. The end of the transport is an error here, because the stream has not ended.
    fn count_read(
        &mut self,
        cx: &mut Context<'_>,
        poll: Poll<io::Result<()>>,
        count: usize,
    ) -> Poll<io::Result<usize>> {
        if poll.is_pending() {
            self.flush_while_reading(cx);
            return Poll::Pending;
        }
        ready!(self.check(poll))?;
        if count == 0 {
            self.broken = true;
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stream broke off")));
        }
        Poll::Ready(Ok(count))
    }

    pub(crate) fn poll_reply(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match &self.receiving {
                ReceiveState::StreamReply(_) => ready!(self.poll_reply_piece(cx))?,
                ReceiveState::Frames(_) => return Poll::Ready(Ok(())),
                ReceiveState::Refusal(error) => return Poll::Ready(Err(refused(error))),
            }
        }
    }

    /// Reads a part of the reply.
    fn poll_reply_piece(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ReceiveState::StreamReply(reader) = &mut self.receiving else { return Poll::Ready(Ok(())) };
        let length = reader.missing().len().min(CHUNK_BYTES);
        let mut piece = [0; CHUNK_BYTES];
        let count = ready!(self.poll_read_transport(cx, &mut piece[..length]))?;
        let ReceiveState::StreamReply(reader) = &mut self.receiving else { return Poll::Ready(Ok(())) };
        match reader.read(&piece[..count]) {
            Ok((None, _)) => {}
            Ok((Some(StreamReply::Accepted), _)) => self.receiving = ReceiveState::Frames(FrameReader::default()),
            Ok((Some(StreamReply::Refused(error)), _)) => self.receiving = ReceiveState::Refusal(error),
            Err(error) => return self.malformed(error),
        }
        Poll::Ready(Ok(()))
    }

    fn malformed<T>(&mut self, error: impl std::error::Error + Send + Sync + 'static) -> Poll<io::Result<T>> {
        self.broken = true;
        Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Writes prefix, header and the first bytes of the slices, `limit` at most, with one call; buffers what the transport
    /// does not take.
    fn poll_frame(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>], limit: usize) -> Poll<io::Result<usize>> {
        let mut parts = [IoSlice::new(&[]); MAX_PARTS];
        let (count, length) = set_payload(&mut parts[2..], slices, limit);
        let header = frame::header(length);
        parts[0] = IoSlice::new(&self.prefix);
        parts[1] = IoSlice::new(&header);
        let parts = &parts[..2 + count];
        let transport = Pin::new(self.transport.as_mut().expect("taken only during drop"));
        let poll = poll_write_parts(transport, cx, parts);
        self.broken |= matches!(poll, Poll::Ready(Err(_) | Ok(0)));
        let mut taken = ready!(poll)?;
        if taken == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        for part in parts {
            let skipped = taken.min(part.len());
            taken -= skipped;
            self.write_buffer.extend_from_slice(&part[skipped..]);
        }
        self.prefix = Vec::new();
        self.unflushed = true;
        Poll::Ready(Ok(length))
    }

    /// Longest payload of the next frame: not much more than the transport takes, because the rest would be kept here.
    fn poll_payload_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let transport = self.transport.as_mut().expect("taken only during drop");
        let poll = transport.poll_write_room(cx);
        let room = ready!(self.check(poll))?;
        let overhead = self.prefix.len() + frame::HEADER;
        Poll::Ready(Ok(room.saturating_sub(overhead).clamp(1, frame::MAX_SENT_PAYLOAD - self.prefix.len())))
    }

    fn register_blocked_writer(&mut self, cx: &mut Context<'_>, blocked: bool) {
        self.blocked_writer = blocked.then(|| cx.waker().clone());
    }

    fn has_received_end(&self) -> bool {
        match &self.receiving {
            ReceiveState::StreamReply(_) => false,
            ReceiveState::Frames(reader) => reader.ended(),
            ReceiveState::Refusal(_) => true,
        }
    }
}

fn refused(error: &Error) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, StreamRefused(error.clone()))
}

// === impl TunnelStream: reading ===

impl AsyncRead for TunnelStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_reply(cx))?;
        loop {
            let ReceiveState::Frames(reader) = &mut this.receiving else { return Poll::Ready(Ok(())) };
            match reader.next_read() {
                NextRead::End => return Poll::Ready(Ok(())),
                NextRead::Header(missing) => {
                    let mut piece = [0; frame::HEADER];
                    let length = missing.len();
                    let count = ready!(this.poll_read_transport(cx, &mut piece[..length]))?;
                    let ReceiveState::Frames(reader) = &mut this.receiving else { continue };
                    if let Err(error) = reader.read(&piece[..count], |_| {}) {
                        return this.malformed(error);
                    }
                }
                NextRead::Metadata(left) => {
                    let mut piece = [0; CHUNK_BYTES];
                    let count = ready!(this.poll_read_transport(cx, &mut piece[..left.min(CHUNK_BYTES)]))?;
                    let ReceiveState::Frames(reader) = &mut this.receiving else { continue };
                    reader.payload_taken(count);
                    let is_complete = !matches!(reader.next_read(), NextRead::Metadata(_));
                    // Agents send no metadata.
                    if let Some(metadata) = this.metadata.as_ref().filter(|_| !this.is_opener) {
                        this.partial_metadata.extend_from_slice(&piece[..count]);
                        if is_complete {
                            metadata.push(std::mem::take(&mut this.partial_metadata));
                        }
                    }
                }
                NextRead::Payload(left) => {
                    if buf.remaining() == 0 {
                        return Poll::Ready(Ok(()));
                    }
                    let count = ready!(this.poll_read_payload(cx, left, buf))?;
                    if let ReceiveState::Frames(reader) = &mut this.receiving {
                        reader.payload_taken(count);
                    }
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

// === impl TunnelStream: writing ===

impl AsyncWrite for TunnelStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    /// The slices become one frame.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.sending != SendState::Open {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if let ReceiveState::Refusal(error) = &this.receiving {
            return Poll::Ready(Err(refused(error)));
        }
        if slices.iter().all(|slice| slice.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        let poll = match this.poll_write_buffer(cx) {
            Poll::Ready(Ok(())) => {
                this.prepend_metadata();
                match this.poll_payload_room(cx) {
                    Poll::Ready(Ok(room)) => this.poll_frame(cx, slices, room),
                    Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                    Poll::Pending => Poll::Pending,
                }
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        };
        this.register_blocked_writer(cx, poll.is_pending());
        poll
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.as_ref().is_some_and(|transport| transport.is_write_vectored())
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let mut poll = this.poll_write_pending(cx);
        if let Poll::Ready(Ok(())) = poll {
            let flushed = this.transport().poll_flush(cx);
            poll = this.check(flushed);
        }
        this.unflushed &= poll.is_pending();
        this.register_blocked_writer(cx, poll.is_pending());
        poll
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.sending == SendState::Open {
            if !this.prefix.is_empty() {
                this.write_buffer = std::mem::take(&mut this.prefix);
            }
            this.write_buffer.extend_from_slice(&frame::FIN);
            this.unflushed = true;
            this.sending = SendState::Closing;
        }
        if this.sending == SendState::Closing {
            let mut poll = this.poll_write_buffer(cx);
            if let Poll::Ready(Ok(())) = poll {
                let ended = this.transport().poll_shutdown(cx);
                poll = this.check(ended);
            }
            this.register_blocked_writer(cx, poll.is_pending());
            ready!(poll)?;
            this.unflushed = false;
            this.sending = SendState::Closed;
        }
        Poll::Ready(Ok(()))
    }
}
