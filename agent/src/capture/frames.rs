//! Frames inside an open exchange: messages of WebSockets and server-sent events. The newest are kept, in as much
//! memory as one body may take.

pub(super) mod events;
pub(super) mod websocket;

pub(crate) use postern_api::local::{FrameKind, FrameSender};
use std::{collections::VecDeque, time::Duration};

/// Bytes that are kept of one frame.
pub(super) const MAX_FRAME_BYTES: usize = 16 * 1024;
/// Bytes that a frame takes beside its data: the struct and its slot in the queue.
pub(super) const FRAME_OVERHEAD_BYTES: usize = 2 * size_of::<CapturedFrame>();

/// One captured frame.
#[derive(Clone, Debug)]
pub(crate) struct CapturedFrame {
    /// The number within the exchange, from 1.
    pub(crate) number: u64,
    /// Time between the request's head and the end of the frame.
    pub(crate) at: Duration,
    pub(crate) sender: FrameSender,
    pub(crate) kind: FrameKind,
    /// The final frame of its message.
    pub(crate) last: bool,
    /// The data is compressed and kept that way.
    pub(crate) compressed: bool,
    /// Length of the data in bytes, kept or not.
    pub(crate) length: u64,
    pub(crate) data: Vec<u8>,
}

/// The log of the newest frames of one exchange.
#[derive(Debug, Default)]
pub(crate) struct FrameLog {
    kept: VecDeque<CapturedFrame>,
    bytes: usize,
    /// All frames that have passed.
    pub(crate) count: u64,
    /// More frames may come.
    pub(crate) open: bool,
    /// Why frames are no longer followed although more may pass.
    pub(crate) lost: Option<&'static str>,
}

impl CapturedFrame {
    /// Bytes of memory with the data.
    pub(super) fn cost(&self) -> usize {
        self.data.capacity() + FRAME_OVERHEAD_BYTES
    }
}

impl FrameLog {
    /// An empty log.
    pub(crate) fn new(lost: Option<&'static str>) -> Self {
        FrameLog { open: true, lost, ..FrameLog::default() }
    }

    /// Removes the oldest frames until one of `cost` bytes fits into `limit`. Returns the bytes freed.
    pub(super) fn make_room(&mut self, cost: usize, limit: usize) -> usize {
        let mut freed = 0;
        while self.bytes - freed + cost > limit {
            let Some(oldest) = self.kept.pop_front() else { break };
            freed += oldest.cost();
        }
        self.bytes -= freed;
        freed
    }

    pub(super) fn push(&mut self, mut frame: CapturedFrame) {
        self.count += 1;
        frame.number = self.count;
        self.bytes += frame.cost();
        self.kept.push_back(frame);
    }

    /// At most `limit` frames after the number `after`, and how many after it were removed.
    pub(crate) fn after(&self, after: u64, limit: usize) -> (Vec<CapturedFrame>, u64) {
        let first = self.kept.front().map_or(self.count + 1, |first| first.number);
        let page = self.kept.iter().filter(|frame| frame.number > after).take(limit).cloned().collect();
        (page, first.saturating_sub(after + 1))
    }
}

/// A frame while it passes, counted by the budget from its first byte on.
#[derive(Debug, Default)]
pub(super) struct PartialFrame {
    pub(super) bytes: Vec<u8>,
    pub(super) length: u64,
}

impl PartialFrame {
    /// Keeps as much as fits into the memory that is there.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let room = self.bytes.capacity() - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}
