//! One end of a stream on a shared connection. It moves to a connection of its own once it has more to send than its window
//! takes, so that large messages do not delay the small ones of others.

use super::{
    OwnConnection, SharedConnection,
    shared_connection::{Slot, SlotState},
};
use crate::proto::{
    shared_frame::{FrameHeader, FrameKind},
    shared_start::SharedStart,
};
use std::{
    io::{self, IoSlice},
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncWrite, ReadBuf};

/// The stream. Dropped before it is complete, it is broken off.
pub(crate) struct SharedStream {
    connection: Arc<SharedConnection>,
    slot: Arc<Slot>,
    number: u32,
    /// Bytes that this end sends before the peer has read any.
    window: usize,
    /// Whether the peer knows of it.
    is_opened: bool,
    is_complete: bool,
    /// Whether the server was asked for a connection of its own since the window was full.
    has_asked: bool,
    /// Whether no connection was idle when one was needed.
    has_missed: bool,
    /// Whether it had moved, and the agent did not follow. Then the agent has ended it, or its end is on the way.
    is_abandoned: bool,
    /// Bytes sent and read on the shared connection, modulo 2^32.
    sent: u32,
    read: u32,
    /// What the peer knows of `read`.
    told: u32,
    own: Option<OwnConnection>,
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the stream broke off")
}

impl SharedStream {
    pub(super) fn new(
        connection: Arc<SharedConnection>,
        slot: Arc<Slot>,
        number: u32,
        window: usize,
        is_opened: bool,
    ) -> Self {
        SharedStream {
            connection,
            slot,
            number,
            window,
            is_opened,
            is_complete: false,
            has_asked: false,
            has_missed: false,
            is_abandoned: false,
            sent: 0,
            read: 0,
            told: 0,
            own: None,
        }
    }

    /// Whether other streams share its connection.
    pub(super) fn is_shared(&self) -> bool {
        self.own.is_none()
    }

    /// Ends a stream whose directions have both ended. A connection of its own returns to its owner, if nothing is left on
    /// it that this end has not read.
    pub(super) fn complete(mut self) {
        self.is_complete = true;
        if let Some(own) = self.own.take_if(|own| own.peer_sent() == Some(self.read)) {
            own.give_back();
        }
    }

    fn send(&mut self, kind: FrameKind, length: usize, slices: &[IoSlice<'_>]) {
        self.told = self.read;
        self.connection.send(FrameHeader { stream: self.number, read: self.read, kind, length }, slices);
    }

    /// Goes on with the connection that the server continues on, which is told how many bytes were sent until then.
    fn follow(&mut self, cx: &mut Context<'_>, mut own: OwnConnection) -> io::Result<()> {
        let told = own.write_now(cx, &self.sent.to_be_bytes());
        self.own = Some(own);
        told
    }

    /// Moves to a connection of its own, if one is idle. The first time, more are asked for if none is.
    fn move_to_own(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(spare) = self.connection.spare() else { return false };
        if self.is_abandoned || self.has_missed && !spare.has_idle() {
            return false;
        }
        let Some(transport) = spare.lease() else {
            self.has_missed = true;
            return false;
        };
        let mut own = OwnConnection::opened(transport, spare.clone());
        let start =
            SharedStart::Continue { connection: self.connection.number(), stream: self.number, sent: self.sent };
        let is_begun = own.write_now(cx, &start.encode()).is_ok();
        if is_begun {
            self.own = Some(own);
            // Tasks that wait for the shared connection have to wait for this one, too.
            self.slot.state().wake_both();
        }
        is_begun
    }

    /// Gives a connection up that the agent has not continued on: it has ended the stream before, and all that it has sent
    /// comes over the shared connection. An agent that has not ended it learns that it is broken off, and says so.
    fn abandon(&mut self, error: &io::Error) {
        tracing::debug!(%error, stream = self.number, "a stream that has moved is read to its end where it was");
        self.own = None;
        self.is_abandoned = true;
        self.send(FrameKind::Reset, 0, &[]);
    }

    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut state = self.slot.state();
            if state.is_move_requested && self.own.is_none() {
                state.is_move_requested = false;
                drop(state);
                self.move_to_own(cx);
                continue;
            }
            if state.taken < state.inbox.len() {
                let count = state.take(buf);
                drop(state);
                self.count_read(count);
                return Poll::Ready(Ok(()));
            }
            let Some(own) = &mut self.own else {
                if let Some(own) = state.continued.take() {
                    drop(state);
                    self.follow(cx, own)?;
                } else if state.is_broken {
                    return Poll::Ready(Err(broken()));
                } else {
                    state.wait_for_bytes(cx);
                    return Poll::Pending;
                }
                continue;
            };
            match own.peer_sent() {
                Some(peer_sent) if peer_sent == self.read => {
                    drop(state);
                    return own.poll_read(cx, buf);
                }
                // The rest of what the peer has sent on the shared connection is on the way.
                Some(_) if state.is_broken => return Poll::Ready(Err(broken())),
                Some(_) => {
                    state.wait_for_bytes(cx);
                    return Poll::Pending;
                }
                None => {
                    state.wait_for_bytes(cx);
                    drop(state);
                    if let Err(error) = ready!(own.poll_peer_sent(cx)) {
                        self.abandon(&error);
                    }
                }
            }
        }
    }

    /// Tells the peer what was read when half of its window is used, or all of a smaller one.
    fn count_read(&mut self, count: usize) {
        self.read = self.read.wrapping_add(count as u32);
        let untold = self.read.wrapping_sub(self.told) as usize;
        if self.own.is_none() && untold >= self.connection.limits().told_after() {
            self.send(FrameKind::Data, 0, &[]);
        }
    }

    /// How many bytes may be written now. A full window is the reason to move to a connection of its own.
    pub(super) fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            if self.own.is_some() {
                return Poll::Ready(Ok(usize::MAX));
            }
            let mut state = self.slot.state();
            if let Some(own) = state.continued.take() {
                drop(state);
                self.follow(cx, own)?;
                continue;
            }
            if state.is_broken || self.is_abandoned {
                return Poll::Ready(Err(broken()));
            }
            let room = self.window.saturating_sub(self.sent.wrapping_sub(state.acknowledged) as usize);
            if room > 0 {
                self.has_asked = false;
                drop(state);
                return self.connection.poll_room(self.number, cx).map(|()| Ok(room));
            }
            state.wait_for_window(cx);
            // A connection of its own could arrive before the first bytes of the stream.
            let is_known = state.is_known;
            drop(state);
            if is_known && self.move_to_own(cx) {
                continue;
            }
            if self.connection.spare().is_none() && !self.has_asked {
                self.has_asked = true;
                self.send(FrameKind::Move, 0, &[]);
            }
            return Poll::Pending;
        }
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let room = ready!(self.poll_room(cx))?;
        if let Some(own) = &mut self.own {
            return own.transport().poll_write_vectored(cx, slices);
        }
        let length = slices.iter().map(|slice| slice.len()).sum::<usize>().min(room);
        let kind = if self.is_opened { FrameKind::Data } else { FrameKind::Open };
        self.is_opened = true;
        self.sent = self.sent.wrapping_add(length as u32);
        self.send(kind, length, slices);
        Poll::Ready(Ok(length))
    }

    /// What was written to the shared connection needs no flush.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.own {
            Some(own) => own.transport().poll_flush(cx),
            None => Poll::Ready(Ok(())),
        }
    }
}

impl SlotState {
    /// Moves bytes that have arrived into `buf`.
    pub(super) fn take(&mut self, buf: &mut ReadBuf<'_>) -> usize {
        let waiting = &self.inbox[self.taken..];
        let count = waiting.len().min(buf.remaining());
        buf.put_slice(&waiting[..count]);
        self.taken += count;
        if self.taken == self.inbox.len() {
            (self.inbox, self.taken) = (Vec::new(), 0);
        }
        count
    }
}

impl Drop for SharedStream {
    fn drop(&mut self) {
        self.connection.forget(self.number);
        if self.is_opened && !self.is_complete && !self.connection.is_closed() {
            self.send(FrameKind::Reset, 0, &[]);
        }
    }
}
