//! The guard between a visitor's connection and its HTTP codec: refuses ambiguous HTTP/1.1, and closes connections that stall.

use crate::{
    http::{
        ConnectionActivity, RequestCounter,
        framing::Http1Framing,
        interim::{InterimResponses, InterimWriter},
    },
    limits::Limits,
    refusal::Refusal,
};
use bytes::{Buf, Bytes};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// A guarded connection. Its one timer is set again only when it fires, not for every request.
pub(crate) struct HttpGuard<S> {
    stream: S,
    /// `None` on HTTP/2, where frames have no ambiguous lengths. `Http2Transport` limits their number.
    framing: Option<Box<Http1Framing>>,
    /// Received and checked bytes that wait to be read: those that are passed on in another form, and those put back.
    checked: Option<Box<Bytes>>,
    interim: InterimWriter,
    end: EndOfInput,
    refusal: Option<Box<Refusal>>,
    #[cfg(any(test, fuzzing))]
    refused: Arc<std::sync::atomic::AtomicBool>,
    requests: RequestCounter,
    timeouts: Timeouts,
    /// The last moment at which bytes moved.
    last_progress: Instant,
    /// What moves on the connection, from when it is asked for.
    activity: Option<Arc<ConnectionActivity>>,
    /// The header block that is arriving: its number, and since when it is waited for.
    head: Option<(usize, Instant)>,
    /// On HTTP/2: when there was last a request, and how many there had been. Pings do not count as use.
    last_request: (Instant, usize),
    /// On HTTP/2: whether a request was open when that was looked at.
    was_busy: bool,
    reading: Option<Pin<Box<Sleep>>>,
    writing: Option<Pin<Box<Sleep>>>,
}

/// How long a response to a request is awaited after its visitor has closed the sending half. Most visitors that do are
/// gone, and then the local service is told.
const HALF_CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// What the end of a visitor's input means.
enum EndOfInput {
    /// The visitor is gone.
    Ends,
    /// It may wait for a response, and has done so since this moment.
    Waits(Option<Instant>),
}

#[derive(Clone, Copy)]
struct Timeouts {
    head: Duration,
    idle: Duration,
    stall: Duration,
}

impl<S> HttpGuard<S> {
    pub(crate) fn new(stream: S, http2: bool, requests: RequestCounter, limits: &Limits) -> Self {
        HttpGuard {
            stream,
            framing: (!http2).then(|| Box::new(Http1Framing::new(limits.head_bytes, limits.headers))),
            checked: None,
            interim: InterimWriter::new(InterimResponses::default()),
            end: EndOfInput::Ends,
            refusal: None,
            #[cfg(any(test, fuzzing))]
            refused: Arc::default(),
            requests,
            timeouts: Timeouts { head: limits.head, idle: limits.idle, stall: limits.stall },
            last_progress: Instant::now(),
            activity: None,
            head: None,
            last_request: (Instant::now(), 0),
            was_busy: false,
            reading: None,
            writing: None,
        }
    }

    /// Writes the interim responses that wait here between the final ones.
    #[must_use]
    pub(crate) fn with_interim(mut self, waiting: InterimResponses) -> Self {
        self.interim = InterimWriter::new(waiting);
        self
    }

    /// Lets a visitor close its sending half behind a request and still read the response (RFC 9112, section 9.6).
    #[must_use]
    pub(crate) fn with_half_close(mut self) -> Self {
        self.end = EndOfInput::Waits(None);
        self
    }

    /// Becomes true when the connection is refused. Nothing is read from then on; the caller that polls the
    /// connection checks it afterwards.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn refused(&self) -> Arc<std::sync::atomic::AtomicBool> {
        self.refused.clone()
    }

    /// What moves on the connection.
    pub(crate) fn activity(&mut self) -> Arc<ConnectionActivity> {
        self.activity.get_or_insert_default().clone()
    }

    /// Whether the connection is refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.refusal.is_some()
    }

    /// Notes that bytes moved.
    fn moved(&mut self) {
        self.last_progress = Instant::now();
        if let Some(activity) = &self.activity {
            activity.moved();
        }
    }

    fn set_blocked(&self, blocked: bool) {
        if let Some(activity) = &self.activity {
            activity.set_blocked(blocked);
        }
    }

    /// The last moment at which bytes moved.
    pub(super) fn last_progress(&self) -> Instant {
        self.last_progress
    }

    /// Whether interim responses wait to be written.
    pub(super) fn has_interim(&self) -> bool {
        self.interim.is_waiting()
    }

    /// Puts bytes back that were read and not used: they are read again, and not checked again.
    pub(super) fn unread(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let rest = self.checked.take().map_or_else(Bytes::new, |rest| *rest);
            self.checked = Some(Box::new([bytes, rest].concat().into()));
        }
    }

    /// Why the connection was refused, if it was, and the connection to say so on unless a message was written in
    /// part.
    pub(crate) fn into_refused(mut self) -> Option<(Refusal, Option<S>)> {
        let refusal = self.refusal.take()?;
        Some((*refusal, self.into_unwritten()))
    }

    /// The connection, unless a message was written in part.
    pub(crate) fn into_unwritten(self) -> Option<S> {
        self.interim.is_flushed().then_some(self.stream)
    }

    /// How long the visitor may stay silent in the current state; `None` while the edge must send.
    fn max_silence(&self) -> Option<Duration> {
        let Timeouts { head, idle, stall } = self.timeouts;
        match &self.framing {
            Some(framing) if framing.is_opaque() => None,
            Some(framing) if framing.in_body() => Some(stall),
            _ if self.requests.is_busy() => None,
            Some(framing) if framing.in_head() => Some(head),
            _ => Some(idle),
        }
    }

    /// The start of the visitor's silence.
    fn last_use(&mut self) -> Instant {
        if let Some(framing) = &self.framing {
            // A header block that arrives byte by byte counts as not arriving.
            let open = framing.open_head().filter(|_| !self.requests.is_busy());
            self.head = open.map(|number| match self.head {
                Some(head) if head.0 == number => head,
                _ => (number, Instant::now()),
            });
            return self.head.map_or(self.last_progress, |head| head.1);
        }
        let begun = self.requests.started();
        let was_busy = std::mem::replace(&mut self.was_busy, self.requests.is_busy());
        // A request that was open when it was last looked at has ended since then.
        if was_busy || self.was_busy || begun != self.last_request.1 {
            self.last_request = (Instant::now(), begun);
        }
        self.last_request.0
    }

    fn check_silence(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            let limit = self.max_silence();
            let due = self.last_use() + limit.unwrap_or(self.timeouts.idle);
            let timer = self.reading.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            // Without a limit the deadline may lie in the past: resetting the timer to it would fire on every turn of
            // this loop, until the task's budget is used up and its response is never polled again.
            if limit.is_some() && timer.deadline() > due {
                timer.as_mut().reset(due);
            }
            std::task::ready!(timer.as_mut().poll(cx));
            let now = Instant::now();
            if limit.is_some() && due <= now {
                return Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the visitor was silent for too long"));
            }
            timer.as_mut().reset(if due > now { due } else { now + self.timeouts.idle });
        }
    }

    /// Ready when the end of the input is reported. While a response to a complete request is awaited it may wait.
    fn check_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let awaits_response = self.awaits_response();
        let EndOfInput::Waits(since) = &mut self.end else { return Poll::Ready(()) };
        if !awaits_response {
            return Poll::Ready(());
        }
        let due = *since.get_or_insert_with(Instant::now) + HALF_CLOSE_TIMEOUT;
        let timer = self.reading.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        if timer.deadline() != due {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(cx)
    }

    /// Whether the last thing received is a complete request whose response is not complete.
    fn awaits_response(&self) -> bool {
        self.framing.as_ref().is_some_and(|framing| {
            let is_complete = !framing.in_head() && !framing.in_body() && !framing.is_opaque();
            is_complete && (self.requests.is_busy() || framing.begun() > self.requests.started())
        })
    }

    /// Has the end of the input read that waited for a response.
    fn flushed(&mut self, cx: &mut Context<'_>) {
        if matches!(self.end, EndOfInput::Waits(Some(_))) && !self.awaits_response() {
            self.end = EndOfInput::Ends;
            cx.waker().wake_by_ref();
        }
    }

    /// Gives the reader as much of the checked bytes as it has room for.
    fn read_checked(&mut self, buffer: &mut ReadBuf<'_>) {
        let Some(rest) = &mut self.checked else { return };
        let size = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..size]);
        rest.advance(size);
        if rest.is_empty() {
            self.checked = None;
        }
    }

    fn check_stall(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let stall = self.timeouts.stall;
        self.set_blocked(true);
        let timer = self.writing.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        if self.framing.as_deref().is_some_and(Http1Framing::is_opaque) {
            return Poll::Pending;
        }
        timer.as_mut().poll(cx).map(|()| io::Error::new(io::ErrorKind::TimedOut, "the visitor stopped reading"))
    }

    /// Notes the outcome of a write.
    fn written(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if outcome.is_pending() {
            return self.check_stall(cx).map(Err);
        }
        self.moved();
        self.set_blocked(false);
        self.writing = None;
        outcome
    }
}

/// Checks received bytes. Returns them in the form that is passed on, unless that is the form they have.
fn check(framing: Option<&mut Http1Framing>, received: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let Some(framing) = framing else { return Ok(None) };
    framing.feed(received)?;
    Ok(framing.rewritten(received))
}

impl<S: AsyncRead + Unpin> AsyncRead for HttpGuard<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.refusal.is_some() {
            return Poll::Pending;
        }
        if this.checked.is_some() {
            this.read_checked(buffer);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(cx, buffer) {
            Poll::Pending => this.check_silence(cx).map(Err),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => {
                this.moved();
                let received = &buffer.filled()[before..];
                if received.is_empty() && buffer.remaining() > 0 {
                    return this.check_end(cx).map(Ok);
                }
                let checked = check(this.framing.as_deref_mut(), received);
                match checked {
                    Ok(None) => {}
                    Ok(Some(rewritten)) => {
                        buffer.set_filled(before);
                        this.checked = Some(Box::new(rewritten.into()));
                        this.read_checked(buffer);
                    }
                    Err(refusal) => {
                        buffer.set_filled(before);
                        this.refusal = Some(Box::new(refusal));
                        #[cfg(any(test, fuzzing))]
                        this.refused.store(true, std::sync::atomic::Ordering::Relaxed);
                        return Poll::Pending;
                    }
                }
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> HttpGuard<S> {
    /// Writes bytes behind the interim responses that wait.
    fn write_with(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let outcome = match self.interim.poll_before_write(&mut self.stream, cx) {
            Poll::Ready(Ok(())) => write(Pin::new(&mut self.stream), cx),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        };
        self.written(cx, outcome)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HttpGuard<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().write_with(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write_with(cx, |stream, cx| stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = match this.interim.poll_before_flush(&mut this.stream, cx) {
            Poll::Ready(Ok(())) => Pin::new(&mut this.stream).poll_flush(cx),
            outcome => outcome,
        };
        if outcome.is_pending() {
            return this.check_stall(cx).map(Err);
        }
        this.set_blocked(false);
        this.flushed(cx);
        outcome
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(cx);
        if outcome.is_pending() { this.check_stall(cx).map(Err) } else { outcome }
    }
}

#[cfg(test)]
mod tests;
