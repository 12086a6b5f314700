//! One visitor's stream.

use super::buffers::Buffer;
use super::carrier::Carrier;
use super::notes::Notes;
use crate::proto::frame::{self, FrameReader, Wants};
use crate::proto::verdict::{ACCEPTED, Verdict, VerdictReader, encode_refusal};
use postern_api::Error;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

/// A stream that was dropped after its own end gives the peer so long to end as well.
const LINGER: Duration = Duration::from_secs(2);
/// So many bytes of the peer are thrown away meanwhile.
const LINGER_BYTES: u64 = 256 * 1024;
/// A verdict is read in pieces of this size.
const PIECE: usize = 256;

/// The agent does not serve the stream, and says why. The source of the [`io::Error`] that reading returns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent refused the stream: {0}")]
pub struct Refused(pub Error);

/// Where data connections go when their stream is over.
pub(crate) trait Home: Send + Sync {
    /// The stream ended properly: the connection may carry the next one.
    fn come_back(&self, carrier: Carrier);
    /// The connection is no more.
    fn lost(&self);
    /// Where to finish what a dropped stream left to do.
    fn runtime(&self) -> &Handle;
}

/// A stream between edge and agent, whatever carries it.
///
/// The opener may write at once. The first read also waits for the agent's verdict; a refusal is an error whose
/// source is [`Refused`]. `shutdown` ends one direction; both ends, and a data connection is used again. Dropped
/// before its own `shutdown`, the stream is broken off: the peer reads an error, never an end.
///
/// The start of a stream, and its acceptance, leave with the first write, flush or read.
pub struct TunnelStream {
    /// Taken when dropped only.
    carrier: Option<Carrier>,
    home: Option<Arc<dyn Home>>,
    _permit: Option<OwnedSemaphorePermit>,
    /// What precedes the first frame and has not been written.
    prefix: Vec<u8>,
    /// What a write promised and the carrier has not taken.
    carry: Vec<u8>,
    carried: usize,
    /// Something was written that the carrier may still hold.
    unflushed: bool,
    blocked_writer: Option<Waker>,
    /// Where notes are taken from before bytes are written, or put when they are read.
    notes: Option<Notes>,
    /// A note of which not all has arrived.
    noted: Vec<u8>,
    hearing: Hearing,
    saying: Saying,
    broken: bool,
    lingers: bool,
    /// This is the end of whoever opened it.
    opener: bool,
}

/// What arrives.
enum Hearing {
    Verdict(VerdictReader),
    Frames(FrameReader),
    Refusal(Error),
}

/// What leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Saying {
    Frames,
    End,
    Nothing,
}

impl TunnelStream {
    /// The opener's end; the prefix is the start.
    pub(crate) fn opened(
        carrier: Carrier,
        home: Option<Arc<dyn Home>>,
        permit: Option<OwnedSemaphorePermit>,
        start: Vec<u8>,
    ) -> Self {
        TunnelStream {
            carrier: Some(carrier),
            home,
            _permit: permit,
            prefix: start,
            carry: Vec::new(),
            carried: 0,
            unflushed: false,
            blocked_writer: None,
            notes: None,
            noted: Vec::new(),
            hearing: Hearing::Verdict(VerdictReader::default()),
            saying: Saying::Frames,
            broken: false,
            lingers: false,
            opener: true,
        }
    }

    /// The agent's end of a stream that it serves.
    pub(crate) fn accepted_by_agent(carrier: Carrier, home: Option<Arc<dyn Home>>) -> Self {
        let mut stream = TunnelStream::opened(carrier, home, None, vec![ACCEPTED]);
        stream.hearing = Hearing::Frames(FrameReader::default());
        stream.opener = false;
        stream
    }

    /// Sends a refusal in place of the acceptance; what the opener sent is thrown away afterwards.
    pub(crate) async fn refuse(mut self, error: &Error) -> io::Result<()> {
        self.prefix = encode_refusal(error);
        self.flush().await?;
        self.saying = Saying::End;
        self.shutdown().await
    }

    /// Reads what the opener has sent without a verdict of one's own, which can then only be a refusal.
    pub(crate) async fn overhear(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.prefix = Vec::new();
        self.read(buffer).await
    }

    /// Waits for the agent's verdict alone.
    ///
    /// Fails with [`Refused`] as the source if the agent does not serve the stream.
    pub async fn accepted(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| self.poll_verdict(cx)).await
    }

    /// The way of notes on this stream: at the server for those to be sent, at the agent for those that arrive.
    pub fn notes(&mut self) -> Notes {
        self.notes.get_or_insert_default().clone()
    }

    /// Puts a waiting note in front of what is written next.
    fn take_note(&mut self) {
        // Only the server has something to say.
        if !self.opener {
            return;
        }
        if let Some(note) = self.notes.as_ref().and_then(Notes::take) {
            self.prefix.extend_from_slice(&frame::note_header(note.len()));
            self.prefix.extend_from_slice(&note);
        }
    }

    fn carrier(&mut self) -> Pin<&mut Carrier> {
        Pin::new(self.carrier.as_mut().expect("taken when dropped only"))
    }

    /// Marks the stream broken unless `poll` went well, so that its connection is not used again.
    fn note<T>(&mut self, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if matches!(poll, Poll::Ready(Err(_))) {
            self.broken = true;
        }
        poll
    }

    /// Writes what was promised before.
    fn poll_carry(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.carried < self.carry.len() {
            let carrier = Pin::new(self.carrier.as_mut().expect("taken when dropped only"));
            let poll = carrier.poll_write(cx, &self.carry[self.carried..]);
            let count = ready!(self.note(poll))?;
            if count == 0 {
                self.broken = true;
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.carried += count;
        }
        self.carry = Vec::new();
        self.carried = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_push(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.prefix.is_empty() {
            self.carry = std::mem::take(&mut self.prefix);
        }
        self.poll_carry(cx)
    }

    /// A reader that has to wait sees to it that what was written leaves, since the peer may wait for just that.
    ///
    /// What breaks the writing is left for the next write, or for the read itself, to find.
    fn push_while_reading(&mut self, cx: &mut Context<'_>) {
        if !self.unflushed && self.prefix.is_empty() {
            return;
        }
        self.unflushed = true;
        let mut poll = self.poll_push(cx);
        if let Poll::Ready(Ok(())) = poll {
            let flushed = self.carrier().poll_flush(cx);
            poll = self.note(flushed);
        }
        if poll.is_ready() {
            self.unflushed = false;
            // This reader may have taken the place of a blocked writer at the carrier.
            if let Some(writer) = self.blocked_writer.take() {
                writer.wake();
            }
        }
    }

    /// Reads into `bytes` and takes the end of the carrier for what it is here: the stream broke off.
    fn poll_carrier_read(&mut self, cx: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(bytes);
        let poll = self.carrier().poll_read(cx, &mut buf);
        if poll.is_pending() {
            self.push_while_reading(cx);
            return Poll::Pending;
        }
        ready!(self.note(poll))?;
        match buf.filled().len() {
            0 => {
                self.broken = true;
                Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stream broke off")))
            }
            count => Poll::Ready(Ok(count)),
        }
    }

    fn poll_verdict(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let wanted = match &mut self.hearing {
                Hearing::Verdict(reader) => reader.missing().len().min(PIECE),
                Hearing::Frames(_) => return Poll::Ready(Ok(())),
                Hearing::Refusal(error) => return Poll::Ready(Err(refused(error))),
            };
            let mut piece = [0; PIECE];
            let count = ready!(self.poll_carrier_read(cx, &mut piece[..wanted]))?;
            let Hearing::Verdict(reader) = &mut self.hearing else { continue };
            match reader.read(&piece[..count]) {
                Ok((None, _)) => {}
                Ok((Some(Verdict::Accepted), _)) => self.hearing = Hearing::Frames(FrameReader::default()),
                Ok((Some(Verdict::Refused(error)), _)) => self.hearing = Hearing::Refusal(error),
                Err(error) => return self.malformed(error),
            }
        }
    }

    fn malformed<T>(&mut self, error: impl std::error::Error + Send + Sync + 'static) -> Poll<io::Result<T>> {
        self.broken = true;
        Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Writes prefix, header and payload in one go; what the carrier does not take is carried.
    fn poll_frame(&mut self, cx: &mut Context<'_>, payload: &[u8]) -> Poll<io::Result<()>> {
        let header = frame::header(payload.len());
        let carrier = Pin::new(self.carrier.as_mut().expect("taken when dropped only"));
        let parts: [&[u8]; 3] = [&self.prefix, &header, payload];
        let poll = if carrier.is_write_vectored() {
            carrier.poll_write_vectored(cx, &parts.map(IoSlice::new))
        } else {
            let mut together = Buffer::borrow();
            let mut end = 0;
            for part in parts {
                let count = part.len().min(together.len() - end);
                together[end..end + count].copy_from_slice(&part[..count]);
                end += count;
            }
            carrier.poll_write(cx, &together[..end])
        };
        let mut taken = ready!(self.note(poll))?;
        if taken == 0 {
            self.broken = true;
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        for part in [&self.prefix, &header[..], payload] {
            let skipped = taken.min(part.len());
            taken -= skipped;
            self.carry.extend_from_slice(&part[skipped..]);
        }
        self.prefix = Vec::new();
        self.unflushed = true;
        Poll::Ready(Ok(()))
    }

    fn remember_writer(&mut self, cx: &mut Context<'_>, blocked: bool) {
        self.blocked_writer = blocked.then(|| cx.waker().clone());
    }

    fn has_heard_all(&self) -> bool {
        match &self.hearing {
            Hearing::Verdict(_) => false,
            Hearing::Frames(reader) => reader.ended(),
            Hearing::Refusal(_) => true,
        }
    }
}

fn refused(error: &Error) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, Refused(error.clone()))
}

// === impl TunnelStream: reading ===

impl AsyncRead for TunnelStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_verdict(cx))?;
        loop {
            let Hearing::Frames(reader) = &mut this.hearing else { return Poll::Ready(Ok(())) };
            match reader.wants() {
                Wants::Nothing => return Poll::Ready(Ok(())),
                Wants::Header(missing) => {
                    let mut piece = [0; frame::HEADER];
                    let wanted = missing.len();
                    let count = ready!(this.poll_carrier_read(cx, &mut piece[..wanted]))?;
                    let Hearing::Frames(reader) = &mut this.hearing else { continue };
                    if let Err(error) = reader.read(&piece[..count], |_| {}) {
                        return this.malformed(error);
                    }
                }
                Wants::Note(left) => {
                    let mut piece = [0; PIECE];
                    let count = ready!(this.poll_carrier_read(cx, &mut piece[..left.min(PIECE)]))?;
                    let Hearing::Frames(reader) = &mut this.hearing else { continue };
                    reader.payload_taken(count);
                    let whole = !matches!(reader.wants(), Wants::Note(_));
                    // An agent has nothing to note.
                    if let Some(notes) = this.notes.as_ref().filter(|_| !this.opener) {
                        this.noted.extend_from_slice(&piece[..count]);
                        if whole {
                            notes.put(std::mem::take(&mut this.noted));
                        }
                    }
                }
                Wants::Payload(left) => {
                    let wanted = left.min(buf.remaining());
                    if wanted == 0 {
                        return Poll::Ready(Ok(()));
                    }
                    let count = ready!(this.poll_carrier_read(cx, buf.initialize_unfilled_to(wanted)))?;
                    buf.advance(count);
                    if let Hearing::Frames(reader) = &mut this.hearing {
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
        let this = self.get_mut();
        if this.saying != Saying::Frames {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if let Hearing::Refusal(error) = &this.hearing {
            return Poll::Ready(Err(refused(error)));
        }
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let poll = match this.poll_carry(cx) {
            Poll::Ready(Ok(())) => {
                this.take_note();
                let payload = &bytes[..bytes.len().min(frame::FULL_PAYLOAD - this.prefix.len())];
                this.poll_frame(cx, payload).map_ok(|()| payload.len())
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        };
        this.remember_writer(cx, poll.is_pending());
        poll
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let mut poll = this.poll_push(cx);
        if let Poll::Ready(Ok(())) = poll {
            let flushed = this.carrier().poll_flush(cx);
            poll = this.note(flushed);
        }
        this.unflushed &= poll.is_pending();
        this.remember_writer(cx, poll.is_pending());
        poll
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.saying == Saying::Frames {
            if !this.prefix.is_empty() {
                this.carry = std::mem::take(&mut this.prefix);
            }
            this.carry.extend_from_slice(&frame::FIN);
            this.unflushed = true;
            this.saying = Saying::End;
        }
        if this.saying == Saying::End {
            let mut poll = this.poll_carry(cx);
            if let Poll::Ready(Ok(())) = poll {
                let ended = this.carrier().poll_shutdown(cx);
                poll = this.note(ended);
            }
            this.remember_writer(cx, poll.is_pending());
            ready!(poll)?;
            this.unflushed = false;
            this.saying = Saying::Nothing;
        }
        Poll::Ready(Ok(()))
    }
}

// === impl TunnelStream: the end ===

impl Drop for TunnelStream {
    fn drop(&mut self) {
        let Some(carrier) = self.carrier.take() else { return };
        let Some(home) = self.home.take() else { return };
        let refused = matches!(self.hearing, Hearing::Refusal(_));
        if self.broken || carrier.ended() {
            drop(carrier);
            home.lost();
        } else if self.saying == Saying::Nothing && self.has_heard_all() {
            home.come_back(carrier);
        } else if !self.lingers && (refused || self.saying == Saying::Nothing) {
            let mut rest = TunnelStream::opened(carrier, Some(home.clone()), None, std::mem::take(&mut self.prefix));
            rest.carry = std::mem::take(&mut self.carry);
            rest.carried = self.carried;
            rest.hearing = std::mem::replace(&mut self.hearing, Hearing::Frames(FrameReader::default()));
            rest.saying = self.saying;
            rest.unflushed = self.unflushed;
            rest.lingers = true;
            home.runtime().spawn(linger(rest));
        } else {
            drop(carrier);
            home.lost();
        }
    }
}

/// Waits a little for the end of a stream that nobody reads any more, so that its connection can be used again.
async fn linger(mut stream: TunnelStream) {
    let rest = async {
        stream.shutdown().await?;
        if !stream.has_heard_all() {
            tokio::io::copy(&mut (&mut stream).take(LINGER_BYTES), &mut tokio::io::sink()).await?;
        }
        io::Result::Ok(())
    };
    let _ = tokio::time::timeout(LINGER, rest).await;
}
