//! Recording of frames from the bytes that pass. Never waits, and keeps nothing beyond the budget.

use super::{
    exchange::Exchange,
    frames::{
        CapturedFrame, FRAME_OVERHEAD_BYTES, FrameKind, FrameSender, MAX_FRAME_BYTES, PartialFrame,
        events::{EventPart, EventReader},
        websocket::{WebSocketPart, WebSocketReader},
    },
    store::CaptureStore,
};
use std::sync::Arc;

/// Records the frames of one exchange.
#[derive(Debug)]
pub(crate) struct FrameRecorder {
    exchange: Arc<Exchange>,
    store: Arc<CaptureStore>,
    /// Both directions of a WebSocket; `None` for a direction that cannot be followed.
    sockets: Option<[Option<WebSocketReader>; 2]>,
    events: EventReader,
    partial: [Option<PartialFrame>; 2],
}

impl FrameRecorder {
    /// Records a WebSocket; `missed` tells that bytes of the visitor have passed already.
    pub(crate) fn websocket(exchange: Arc<Exchange>, store: Arc<CaptureStore>, missed: bool) -> Self {
        let visitor = (!missed).then(WebSocketReader::default);
        let sockets = Some([visitor, Some(WebSocketReader::default())]);
        store
            .begin_frames(&exchange, missed.then_some("The visitor sent messages before the connection was upgraded."));
        FrameRecorder { exchange, store, sockets, events: EventReader::default(), partial: [None, None] }
    }

    /// Records a body of server-sent events.
    pub(crate) fn events(exchange: Arc<Exchange>, store: Arc<CaptureStore>) -> Self {
        store.begin_frames(&exchange, None);
        FrameRecorder { exchange, store, sockets: None, events: EventReader::default(), partial: [None, None] }
    }

    /// Takes bytes of a WebSocket.
    pub(crate) fn websocket_bytes(&mut self, sender: FrameSender, bytes: &[u8]) {
        let side = usize::from(sender == FrameSender::Service);
        let Some(mut reader) = self.sockets.as_mut().and_then(|both| both[side].take()) else { return };
        let read = reader.feed(bytes, |part| match part {
            WebSocketPart::Begin(bytes) => self.begin(side, bytes),
            WebSocketPart::Data(data) => self.add(side, data),
            WebSocketPart::End { kind, last, compressed } => self.end(side, kind, last, compressed),
        });
        match (read, &mut self.sockets) {
            (Ok(()), Some(both)) => both[side] = Some(reader),
            _ => {
                self.discard(side);
                self.exchange.lose_frames("The bytes are not valid WebSocket frames.");
            }
        }
    }

    /// Takes bytes of a body of events, without its transfer coding.
    pub(crate) fn event_bytes(&mut self, bytes: &[u8]) {
        let mut reader = std::mem::take(&mut self.events);
        reader.feed(bytes, |part| match part {
            EventPart::Begin => self.begin(1, MAX_FRAME_BYTES),
            EventPart::Data(data) => self.add(1, data),
            EventPart::End => self.end(1, FrameKind::Event, true, false),
        });
        self.events = reader;
    }

    fn begin(&mut self, side: usize, capacity: usize) {
        self.discard(side);
        self.store.reserve(capacity + FRAME_OVERHEAD_BYTES);
        self.partial[side] = Some(PartialFrame { bytes: Vec::with_capacity(capacity), length: 0 });
    }

    fn add(&mut self, side: usize, bytes: &[u8]) {
        if let Some(partial) = &mut self.partial[side] {
            partial.add(bytes);
        }
    }

    fn end(&mut self, side: usize, kind: FrameKind, last: bool, compressed: bool) {
        let Some(PartialFrame { mut bytes, length }) = self.partial[side].take() else { return };
        let before = bytes.capacity();
        bytes.shrink_to_fit();
        self.store.refund(before - bytes.capacity());
        let sender = if side == 0 { FrameSender::Visitor } else { FrameSender::Service };
        let at = self.exchange.started.elapsed();
        let frame = CapturedFrame { number: 0, at, sender, kind, last, compressed, length, data: bytes };
        let cost = frame.cost();
        self.store.add_frame(&self.exchange, frame, cost);
    }

    /// Drops the frame that has not ended.
    fn discard(&mut self, side: usize) {
        if let Some(partial) = self.partial[side].take() {
            self.store.refund(partial.bytes.capacity() + FRAME_OVERHEAD_BYTES);
        }
    }
}

impl Drop for FrameRecorder {
    fn drop(&mut self) {
        self.discard(0);
        self.discard(1);
        self.store.end_frames(&self.exchange);
    }
}
