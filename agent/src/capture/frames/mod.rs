//! What passes inside an open exchange, piece after piece: messages of WebSockets and server-sent events. The newest are
//! kept, within the room that one body may take.

pub(super) mod events;
mod feed;
pub(super) mod websocket;

pub(super) use feed::Follow;

use std::{collections::VecDeque, time::Duration};

/// Bytes that are kept of one frame.
pub(super) const LONGEST: usize = 16 * 1024;
/// What a frame takes beside its data: itself, and its place.
const OVERHEAD: usize = 2 * size_of::<Frame>();

/// Who sent a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Visitor,
    Service,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
    /// A server-sent event.
    Event,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Continuation => "continuation",
            Kind::Text => "text",
            Kind::Binary => "binary",
            Kind::Close => "close",
            Kind::Ping => "ping",
            Kind::Pong => "pong",
            Kind::Event => "event",
        }
    }
}

/// One frame as it was seen.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Counted from 1 within the exchange.
    pub(crate) number: u64,
    /// From the request's head to the frame's end.
    pub(crate) at: Duration,
    pub(crate) sender: Sender,
    pub(crate) kind: Kind,
    /// The message ends with it.
    pub(crate) last: bool,
    /// Its data is compressed, and kept as it is.
    pub(crate) compressed: bool,
    /// Bytes of data, kept or not.
    pub(crate) length: u64,
    pub(crate) data: Vec<u8>,
}

/// The frames of one exchange that are kept.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    kept: VecDeque<Frame>,
    bytes: usize,
    /// All that passed.
    pub(crate) count: u64,
    /// More may come.
    pub(crate) open: bool,
    /// Why no more is followed, though more may pass.
    pub(crate) lost: Option<&'static str>,
}

impl Frame {
    /// What it takes of memory, data included.
    fn cost(&self) -> usize {
        self.data.capacity() + OVERHEAD
    }
}

impl Frames {
    /// None yet.
    pub(crate) fn begin(lost: Option<&'static str>) -> Self {
        Frames { open: true, lost, ..Frames::default() }
    }

    /// Lets the oldest go until there is room for another; says how many bytes that gave back.
    pub(super) fn make_room(&mut self, cost: usize, limit: usize) -> usize {
        let mut freed = 0;
        while self.bytes - freed + cost > limit {
            let Some(oldest) = self.kept.pop_front() else { break };
            freed += oldest.cost();
        }
        self.bytes -= freed;
        freed
    }

    pub(super) fn push(&mut self, mut frame: Frame) {
        self.count += 1;
        frame.number = self.count;
        self.bytes += frame.cost();
        self.kept.push_back(frame);
    }

    /// At most so many that come after one, and how many after it are no longer there.
    pub(crate) fn after(&self, after: u64, limit: usize) -> (Vec<Frame>, u64) {
        let first = self.kept.front().map_or(self.count + 1, |first| first.number);
        let page = self.kept.iter().filter(|frame| frame.number > after).take(limit).cloned().collect();
        (page, first.saturating_sub(after + 1))
    }
}

/// The data of a frame while it passes, on the store's account from its first byte on.
#[derive(Debug, Default)]
pub(super) struct Data {
    bytes: Vec<u8>,
    length: u64,
}

impl Data {
    /// Keeps what fits into the room that is there.
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let room = self.bytes.capacity() - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}
