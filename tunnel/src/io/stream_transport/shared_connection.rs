//! A connection that several streams share, as their tasks see it. Its own task is in `io::shared_driver`.

use super::{ConnectionOwner, OwnConnection, SharedStream, StreamTransport};
use crate::{
    io::{last_received::LastReceived, shrinking::shrink},
    proto::shared_frame::{FrameHeader, FrameKind, SharedLimits, WINDOW},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    io::{self, IoSlice},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::runtime::Handle;

/// Bytes that wait to be written before streams have to wait.
const MAX_WAITING_BYTES: usize = 256 * 1024;
/// Bytes that wait to be written to a peer that does not read, before the connection is given up.
const MAX_UNREAD_BYTES: usize = 16 * MAX_WAITING_BYTES;
/// Silence after which a peer is asked whether the connection works.
const PING_AFTER: Duration = Duration::from_secs(5);
/// Silence after which a connection counts as broken, as the control connection does.
const DEAD_AFTER: Duration = Duration::from_secs(15);

/// Owner of data connections that streams can move to.
pub(crate) trait SpareConnections: ConnectionOwner {
    /// A data connection for one stream, if one is idle. Otherwise more are asked for.
    fn lease(&self) -> Option<StreamTransport>;
    /// Whether a data connection is idle.
    fn has_idle(&self) -> bool;
}

/// One shared connection, at either end.
pub(crate) struct SharedConnection {
    number: u32,
    limits: SharedLimits,
    streams: Mutex<HashMap<u32, Arc<Slot>>>,
    next_stream: AtomicU32,
    output: Mutex<Output>,
    /// Whether no stream can be opened any more.
    closed: AtomicBool,
    last_received: Arc<LastReceived>,
    /// Connections that streams move to; at the opener only.
    spare: Option<Arc<dyn SpareConnections>>,
    runtime: Handle,
}

/// Frames that wait to be written.
#[derive(Default)]
struct Output {
    frames: Vec<u8>,
    /// The connection's task.
    driver: Option<Waker>,
    /// Whether it waits for frames.
    is_waiting: bool,
    /// Whether the connection is given up, whatever waits to be written.
    is_given_up: bool,
    /// Tasks that wait for room, by the numbers of their streams.
    blocked: HashMap<u32, Waker>,
}

/// What the task of a stream and that of the connection share.
#[derive(Default)]
pub(super) struct Slot(Mutex<SlotState>);

#[derive(Default)]
pub(super) struct SlotState {
    /// Bytes that have arrived; those before `taken` were read.
    pub(super) inbox: Vec<u8>,
    pub(super) taken: usize,
    pub(super) reader: Option<Waker>,
    pub(super) writer: Option<Waker>,
    /// Whether the peer is known to have the stream.
    pub(super) is_known: bool,
    /// Bytes that the peer has read, modulo 2^32.
    pub(super) acknowledged: u32,
    /// Whether the peer asks for a connection of the stream's own.
    pub(super) is_move_requested: bool,
    /// The connection that the stream continues on.
    pub(super) continued: Option<OwnConnection>,
    pub(super) is_broken: bool,
}

/// The peer breaks the rules of a shared connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SharedProtocolError {
    #[error("the peer sent more than the window of a stream allows")]
    WindowExceeded,
    #[error("the peer opened a stream that exists, or may not open one")]
    Unexpected,
    #[error("the peer has too many streams open")]
    TooManyStreams,
    #[error("the peer claims to have read what was not sent")]
    ReadTooMuch,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedConnection {
    /// A connection of this number in its session. `spare` is set at the end that opens streams.
    pub(crate) fn new(
        number: u32,
        limits: SharedLimits,
        spare: Option<Arc<dyn SpareConnections>>,
        runtime: &Handle,
    ) -> Arc<Self> {
        Arc::new(SharedConnection {
            number,
            limits,
            streams: Mutex::default(),
            next_stream: AtomicU32::new(0),
            output: Mutex::default(),
            closed: AtomicBool::new(false),
            last_received: LastReceived::new(),
            spare,
            runtime: runtime.clone(),
        })
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn limits(&self) -> SharedLimits {
        self.limits
    }

    pub(super) fn spare(&self) -> Option<&Arc<dyn SpareConnections>> {
        self.spare.as_ref()
    }

    /// Number of streams.
    pub(crate) fn len(&self) -> usize {
        lock(&self.streams).len()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Opens a stream; `None` if the connection is closed or has as many as it may.
    pub(crate) fn open(self: &Arc<Self>) -> Option<SharedStream> {
        let mut streams = lock(&self.streams);
        if self.is_closed() || streams.len() >= self.limits.max_streams {
            return None;
        }
        let number = self.next_stream.fetch_add(1, Ordering::Relaxed);
        // Numbers wrap around after 2^32 streams.
        let Entry::Vacant(entry) = streams.entry(number) else { return None };
        let slot = entry.insert(Arc::default()).clone();
        let window = self.limits.window(streams.len());
        drop(streams);
        Some(SharedStream::new(self.clone(), slot, number, window, false))
    }

    /// Ends a connection without streams, once what waits is written.
    pub(crate) fn close_if_unused(&self) {
        let streams = lock(&self.streams);
        if streams.is_empty() {
            self.closed.store(true, Ordering::Release);
        }
        drop(streams);
        lock(&self.output).wake_driver();
    }

    /// Asks a silent peer whether the connection works, and gives a connection up that has been silent for too long. To be called
    /// every few seconds.
    pub(crate) fn check_silence(&self) {
        let silence = self.last_received.now().saturating_sub(self.last_received.last());
        if silence >= DEAD_AFTER {
            self.give_up();
        } else if silence >= PING_AFTER {
            self.send(FrameHeader { stream: 0, read: 0, kind: FrameKind::Ping, length: 0 }, &[]);
        }
    }

    fn give_up(&self) {
        let mut output = lock(&self.output);
        output.is_given_up = true;
        output.wake_driver();
    }

    /// Whether the connection is given up. The task that asks is woken when it is.
    pub(crate) fn poll_given_up(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut output = lock(&self.output);
        register(&mut output.driver, cx);
        if output.is_given_up { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Records that bytes of the peer have arrived.
    pub(crate) fn record_received(&self) {
        self.last_received.record();
    }

    /// Breaks all streams off.
    pub(crate) fn close(&self) {
        let mut streams = lock(&self.streams);
        self.closed.store(true, Ordering::Release);
        let slots = std::mem::take(&mut *streams);
        drop(streams);
        slots.into_values().for_each(|slot| slot.break_off());
        let blocked = std::mem::take(&mut lock(&self.output).blocked);
        blocked.into_values().for_each(Waker::wake);
    }

    pub(super) fn forget(&self, stream: u32) {
        let mut streams = lock(&self.streams);
        streams.remove(&stream);
        shrink(&mut streams);
    }

    /// Queues a frame with the first bytes of the slices. The connection's task is woken if it waits for frames.
    pub(super) fn send(&self, header: FrameHeader, slices: &[IoSlice<'_>]) {
        let mut output = lock(&self.output);
        output.frames.extend_from_slice(&header.encode());
        let mut left = header.length;
        for slice in slices {
            let count = slice.len().min(left);
            output.frames.extend_from_slice(&slice[..count]);
            left -= count;
        }
        output.is_given_up |= output.frames.len() > MAX_UNREAD_BYTES;
        let is_due = std::mem::take(&mut output.is_waiting) || output.is_given_up;
        let driver = if is_due { output.driver.clone() } else { None };
        // Tasks that send meanwhile need not wait until it is woken.
        drop(output);
        driver.into_iter().for_each(Waker::wake);
    }

    /// Waits until not too many bytes wait to be written. A stream has one task that writes.
    pub(super) fn poll_room(&self, stream: u32, cx: &mut Context<'_>) -> Poll<()> {
        let mut output = lock(&self.output);
        if output.frames.len() < MAX_WAITING_BYTES || self.is_closed() {
            return Poll::Ready(());
        }
        output.blocked.insert(stream, cx.waker().clone());
        Poll::Pending
    }

    /// Whether frames wait to be written, or the connection was closed. Otherwise the task that has asked whether the connection is
    /// given up is woken when that changes.
    pub(crate) fn has_work(&self) -> bool {
        let mut output = lock(&self.output);
        output.is_waiting = output.frames.is_empty() && !self.is_closed();
        !output.is_waiting
    }

    /// Takes the frames that wait to be written, in exchange for an empty buffer.
    pub(crate) fn take_frames(&self, buffer: &mut Vec<u8>) {
        let mut output = lock(&self.output);
        std::mem::swap(&mut output.frames, buffer);
        let blocked = std::mem::take(&mut output.blocked);
        drop(output);
        blocked.into_values().for_each(Waker::wake);
    }

    /// Hands a frame of the peer over to its stream. Returns the stream, if the peer has opened it.
    pub(crate) fn receive(
        self: &Arc<Self>,
        header: FrameHeader,
        payload: &[u8],
    ) -> Result<Option<SharedStream>, SharedProtocolError> {
        match header.kind {
            FrameKind::Ping => {
                self.send(FrameHeader { kind: FrameKind::Pong, ..header }, &[]);
                return Ok(None);
            }
            FrameKind::Pong => return Ok(None),
            FrameKind::Open | FrameKind::Data | FrameKind::Reset | FrameKind::Move => {}
        }
        let mut streams = lock(&self.streams);
        let known = streams.get(&header.stream).cloned();
        match (known, header.kind) {
            (None, FrameKind::Open) if self.spare.is_none() => {
                if streams.len() >= 2 * self.limits.max_streams {
                    return Err(SharedProtocolError::TooManyStreams);
                }
                let slot: Arc<Slot> = Arc::default();
                lock(&slot.0).inbox.extend_from_slice(payload);
                streams.insert(header.stream, slot.clone());
                let window = self.limits.window(streams.len());
                drop(streams);
                Ok(Some(SharedStream::new(self.clone(), slot, header.stream, window, true)))
            }
            (_, FrameKind::Open) => Err(SharedProtocolError::Unexpected),
            // Of a stream that has ended here.
            (None, _) => Ok(None),
            (Some(slot), FrameKind::Reset) => {
                // Its task may notice it late, and must not count until then.
                streams.remove(&header.stream);
                drop(streams);
                slot.break_off();
                Ok(None)
            }
            (Some(slot), _) => {
                drop(streams);
                slot.receive(header, payload).map(|()| None)
            }
        }
    }

    /// Continues a stream on a connection of its own. The connection is lost if the stream has ended here.
    pub(crate) fn continue_on(&self, stream: u32, connection: OwnConnection) {
        let slot = lock(&self.streams).get(&stream).cloned();
        if let Some(slot) = slot {
            let mut state = slot.state();
            state.continued = Some(connection);
            state.wake_both();
        }
    }
}

impl ConnectionOwner for SharedConnection {
    fn release(&self, transport: StreamTransport) {
        transport.complete();
    }

    fn discard(&self) {}

    fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

impl Slot {
    pub(super) fn state(&self) -> MutexGuard<'_, SlotState> {
        lock(&self.0)
    }

    fn break_off(&self) {
        let mut state = self.state();
        state.is_broken = true;
        state.wake_both();
    }

    fn receive(&self, header: FrameHeader, payload: &[u8]) -> Result<(), SharedProtocolError> {
        let mut state = self.state();
        let unread = state.inbox.len() - state.taken;
        if unread + payload.len() > WINDOW {
            return Err(SharedProtocolError::WindowExceeded);
        }
        if header.read.wrapping_sub(state.acknowledged) as usize > WINDOW {
            return Err(SharedProtocolError::ReadTooMuch);
        }
        state.is_known = true;
        if state.taken > 0 {
            let taken = std::mem::take(&mut state.taken);
            state.inbox.drain(..taken);
        }
        state.inbox.extend_from_slice(payload);
        state.is_move_requested |= header.kind == FrameKind::Move;
        let is_for_reader = !payload.is_empty() || header.kind == FrameKind::Move;
        let is_for_writer = state.acknowledged != header.read;
        state.acknowledged = header.read;
        let reader = if is_for_reader { state.reader.take() } else { None };
        let writer = if is_for_writer { state.writer.take() } else { None };
        drop(state);
        reader.into_iter().chain(writer).for_each(Waker::wake);
        Ok(())
    }
}

impl SlotState {
    /// Wakes the tasks that read and write the stream. The lock is held meanwhile, which such tasks have to wait for.
    pub(super) fn wake_both(&mut self) {
        for waker in [self.reader.take(), self.writer.take()].into_iter().flatten() {
            waker.wake();
        }
    }

    pub(super) fn wait_for_bytes(&mut self, cx: &Context<'_>) {
        register(&mut self.reader, cx);
    }

    pub(super) fn wait_for_window(&mut self, cx: &Context<'_>) {
        register(&mut self.writer, cx);
    }
}

impl Output {
    fn wake_driver(&self) {
        if let Some(driver) = &self.driver {
            driver.wake_by_ref();
        }
    }
}

fn register(place: &mut Option<Waker>, cx: &Context<'_>) {
    match place {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *place = Some(cx.waker().clone()),
    }
}

impl From<SharedProtocolError> for io::Error {
    fn from(error: SharedProtocolError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::ReadBuf;

    #[test]
    fn the_inbox_of_a_slow_reader_stays_small() {
        let slot = Slot::default();
        let header = FrameHeader { stream: 1, read: 0, kind: FrameKind::Data, length: WINDOW / 2 };
        let payload = [7; WINDOW / 2];
        slot.receive(header, &payload).expect("within the window");
        for _ in 0..1000 {
            slot.receive(header, &payload).expect("within the window");
            let mut read = [0; WINDOW / 2];
            let mut buf = ReadBuf::new(&mut read);
            assert_eq!(slot.state().take(&mut buf), WINDOW / 2);
            assert!(slot.state().inbox.len() <= WINDOW);
        }
        slot.receive(header, &payload).expect("within the window");
        assert_eq!(slot.receive(header, &[7]), Err(SharedProtocolError::WindowExceeded));
    }
}
