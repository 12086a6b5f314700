//! From bytes that pass to frames that are kept. Nothing here waits, and nothing is kept beyond the store's account.

use super::{
    Data, Frame, Kind, LONGEST, OVERHEAD, Sender,
    events::{self, Reader as EventReader},
    websocket::{self, Reader as SocketReader},
};
use crate::capture::{exchange::Exchange, store::CaptureStore};
use std::sync::Arc;

/// Follows what passes inside one exchange.
#[derive(Debug)]
pub(crate) struct Follow {
    exchange: Arc<Exchange>,
    store: Arc<CaptureStore>,
    /// Both directions of a WebSocket; one that could not be followed from its beginning is not followed at all.
    sockets: Option<[Option<SocketReader>; 2]>,
    events: EventReader,
    passing: [Option<Data>; 2],
}

impl Follow {
    /// A WebSocket from its first byte on; `missed` if the visitor has sent bytes already.
    pub(crate) fn socket(exchange: Arc<Exchange>, store: Arc<CaptureStore>, missed: bool) -> Self {
        let visitor = (!missed).then(SocketReader::default);
        let sockets = Some([visitor, Some(SocketReader::default())]);
        exchange.frames_begin(&store, missed.then_some("The visitor's messages began before the switch."));
        Follow { exchange, store, sockets, events: EventReader::default(), passing: [None, None] }
    }

    /// A body of server-sent events.
    pub(crate) fn events(exchange: Arc<Exchange>, store: Arc<CaptureStore>) -> Self {
        exchange.frames_begin(&store, None);
        Follow { exchange, store, sockets: None, events: EventReader::default(), passing: [None, None] }
    }

    /// Bytes of a WebSocket.
    pub(crate) fn socket_bytes(&mut self, sender: Sender, bytes: &[u8]) {
        let side = usize::from(sender == Sender::Service);
        let Some(reader) = self.sockets.as_mut().and_then(|both| both[side].take()) else { return };
        let mut reader = reader;
        let read = reader.feed(bytes, |found| match found {
            websocket::Found::Begin(room) => self.begin(side, room),
            websocket::Found::Data(data) => self.add(side, data),
            websocket::Found::End { kind, last, compressed } => self.end(side, kind, last, compressed),
        });
        match (read, &mut self.sockets) {
            (Ok(()), Some(both)) => both[side] = Some(reader),
            _ => {
                self.forget(side);
                self.exchange.frames_lost("What passes is not made of frames of a WebSocket.");
            }
        }
    }

    /// Bytes of a body of events, without its transfer coding.
    pub(crate) fn event_bytes(&mut self, bytes: &[u8]) {
        let mut reader = std::mem::take(&mut self.events);
        reader.feed(bytes, |found| match found {
            events::Found::Begin => self.begin(1, LONGEST),
            events::Found::Data(data) => self.add(1, data),
            events::Found::End => self.end(1, Kind::Event, true, false),
        });
        self.events = reader;
    }

    fn begin(&mut self, side: usize, room: usize) {
        self.forget(side);
        self.store.reserve(room + OVERHEAD);
        self.passing[side] = Some(Data { bytes: Vec::with_capacity(room), length: 0 });
    }

    fn add(&mut self, side: usize, bytes: &[u8]) {
        if let Some(data) = &mut self.passing[side] {
            data.add(bytes);
        }
    }

    fn end(&mut self, side: usize, kind: Kind, last: bool, compressed: bool) {
        let Some(Data { mut bytes, length }) = self.passing[side].take() else { return };
        let before = bytes.capacity();
        bytes.shrink_to_fit();
        self.store.refund(before - bytes.capacity());
        let sender = if side == 0 { Sender::Visitor } else { Sender::Service };
        let at = self.exchange.started.elapsed();
        let frame = Frame { number: 0, at, sender, kind, last, compressed, length, data: bytes };
        let cost = frame.cost();
        self.exchange.frame(&self.store, frame, cost);
    }

    /// What was passing is not kept.
    fn forget(&mut self, side: usize) {
        if let Some(data) = self.passing[side].take() {
            self.store.refund(data.bytes.capacity() + OVERHEAD);
        }
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.forget(0);
        self.forget(1);
        self.exchange.frames_end(&self.store);
    }
}
