//! Capture of HTTP/2 (RFC 9113). Each stream is followed as an exchange of its own: its frames are brought into the form
//! that HTTP/1.1 gives the same message and handed to a [`Conversation`], so that limits, filters and replays are the
//! same for both versions.

mod frames;
mod hpack;
mod hpack_static;
mod message;
mod notes;
mod stream;

use super::sniffer::{ConnectTiming, Conversation, Observer};
use frames::{FrameEvent, FrameReader};
use hpack::HeaderDecoder;
use message::HeaderList;
use notes::RequestNotes;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use stream::{FollowedStream, Sender};

/// Streams of one connection that are followed at the same time.
const MAX_STREAMS: usize = 256;

/// The bytes are not well-formed HTTP/2, or exceed a limit, and cannot be followed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Both directions of one connection that speaks HTTP/2 from its first byte.
pub struct Http2Conversation {
    observer: Observer,
    timing: ConnectTiming,
    requests: Direction,
    responses: Direction,
    streams: HashMap<u32, FollowedStream>,
    notes: RequestNotes,
    is_off: bool,
}

struct Direction {
    frames: FrameReader,
    headers: HeaderDecoder,
}

impl Http2Conversation {
    /// A new connection.
    pub fn new(mut observer: Observer, timing: ConnectTiming) -> Self {
        let notes = observer.notes.take().filter(|_| observer.store.is_some());
        Http2Conversation {
            notes: RequestNotes::new(notes),
            observer,
            timing,
            requests: Direction { frames: FrameReader::of_client(), headers: HeaderDecoder::default() },
            responses: Direction { frames: FrameReader::of_server(), headers: HeaderDecoder::default() },
            streams: HashMap::new(),
            is_off: false,
        }
    }

    /// Takes bytes that the edge sends.
    pub fn request_bytes(&mut self, bytes: &[u8]) {
        self.follow(Sender::Visitor, bytes);
    }

    /// Takes bytes of the local service.
    pub fn response_bytes(&mut self, bytes: &[u8]) {
        self.follow(Sender::Service, bytes);
    }

    fn follow(&mut self, sender: Sender, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_off {
            match self.next_event(sender, rest) {
                Ok(taken) => rest = &rest[taken..],
                Err(Malformed) => self.give_up(sender),
            }
        }
    }

    /// Handles the next event of a direction. Returns how many bytes it took.
    fn next_event(&mut self, sender: Sender, bytes: &[u8]) -> Result<usize, Malformed> {
        let (direction, opposite) = match sender {
            Sender::Visitor => (&mut self.requests, &mut self.responses),
            Sender::Service => (&mut self.responses, &mut self.requests),
        };
        let (taken, event) = direction.frames.read(bytes)?;
        match event {
            FrameEvent::None => {}
            FrameEvent::TableSize(size) => opposite.headers.allow_table_size(size),
            FrameEvent::Headers { stream, block, ends } => {
                let digested = sender == Sender::Visitor && self.notes.are_waiting();
                let headers = HeaderList::decode(&mut direction.headers, &block, digested)?;
                self.headers(sender, stream, &headers, ends);
            }
            FrameEvent::Data { stream, range, ends } => self.data(sender, stream, &bytes[range], ends),
            FrameEvent::Reset { stream, code } => {
                if let Some(mut reset) = self.streams.remove(&stream) {
                    reset.fail(sender, code);
                }
            }
        }
        Ok(taken)
    }

    fn headers(&mut self, sender: Sender, number: u32, headers: &HeaderList, ends: bool) {
        // No request is on stream 0, which is also that of promises.
        if number == 0 {
            return;
        }
        if sender == Sender::Visitor && !self.streams.contains_key(&number) && headers.is_request() {
            if self.streams.len() >= MAX_STREAMS {
                return;
            }
            let timing = ConnectTiming { transit: self.timing.transit, connect: self.timing.connect.take() };
            let observer = Observer { notes: self.notes.take(headers.digest()), ..self.observer.clone() };
            let conversation = Conversation::new(observer).with_timing(timing);
            self.streams.insert(number, FollowedStream::new(conversation));
        }
        self.on_stream(number, |stream| stream.headers(sender, headers, ends));
    }

    fn data(&mut self, sender: Sender, number: u32, data: &[u8], ends: bool) {
        self.on_stream(number, |stream| stream.data(sender, data, ends));
    }

    fn on_stream(&mut self, number: u32, act: impl FnOnce(&mut FollowedStream)) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        act(stream);
        if stream.is_over() {
            self.streams.remove(&number);
        }
    }

    fn give_up(&mut self, sender: Sender) {
        self.is_off = true;
        let why = match sender {
            Sender::Visitor => "The request could not be followed: it is not well-formed HTTP/2.",
            Sender::Service => "The response could not be followed: it is not well-formed HTTP/2.",
        };
        self.streams.drain().for_each(|(_, mut stream)| stream.give_up(why));
    }
}

/// Feeds one direction of a relayed connection into an [`Http2Conversation`].
pub struct Http2Tap {
    conversation: Arc<Mutex<Http2Conversation>>,
    sender: Sender,
}

impl Http2Tap {
    /// The taps for the bytes of the edge and of the local service.
    pub fn pair(conversation: Http2Conversation) -> (Http2Tap, Http2Tap) {
        let conversation = Arc::new(Mutex::new(conversation));
        let tap = |sender| Http2Tap { conversation: conversation.clone(), sender };
        (tap(Sender::Visitor), tap(Sender::Service))
    }

    fn locked(&self) -> MutexGuard<'_, Http2Conversation> {
        // Both taps belong to one task, so this lock is never contended.
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl postern_tunnel::Tap for Http2Tap {
    fn observe(&mut self, bytes: &[u8]) {
        self.locked().follow(self.sender, bytes);
    }
}

#[cfg(test)]
mod tests;
