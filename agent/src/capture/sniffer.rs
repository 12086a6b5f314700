//! Following the requests and responses of one connection on its raw bytes, in any split, pipelined or not.

pub use super::observer::Observer;
use super::{
    exchange::{Exchange, Side},
    frame_recorder::FrameRecorder,
    frames::FrameSender,
    framing::{BodyFraming, FramingError},
    head::{HeadBuffer, MethodKind, RequestHead, ResponseHead},
    missing_response::MissingResponse,
};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Requests that may wait for their responses on one connection; with more it is no longer followed.
const MAX_PIPELINED: usize = 64;

/// Fewer bytes than this are no response, whatever they are.
const MIN_RESPONSE_BYTES: usize = 8;

/// Both directions of one connection.
pub struct Conversation {
    observer: Observer,
    request: DirectionState,
    response: DirectionState,
    pending: VecDeque<PendingRequest>,
    tracking: Tracking,
    answered: u64,
    /// Records the frames of the current exchange.
    recorder: Option<FrameRecorder>,
    /// The owner of the taps may know better why a response is missing, and says so after the end.
    defers_failure: bool,
    timing: ConnectTiming,
}

/// Durations of the path of a connection before its first request.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectTiming {
    /// From the server to this agent, half of the round trip.
    pub transit: Option<Duration>,
    /// To the local service. Only the first request waits for it.
    pub connect: Option<Duration>,
}

#[derive(Debug, Default)]
struct DirectionState {
    head: HeadBuffer,
    /// The body that passes at the moment, and its exchange.
    body: Option<(BodyFraming, Option<Arc<Exchange>>)>,
}

/// A request that waits for its response.
struct PendingRequest {
    method: MethodKind,
    started: Instant,
    /// When the last byte of the request passed.
    ended: Option<Instant>,
    exchange: Option<Arc<Exchange>>,
    upgrade: bool,
}

/// A request whose head has just passed.
struct StartedRequest {
    method: MethodKind,
    upgrade: bool,
    framing: BodyFraming,
    exchange: Option<Arc<Exchange>>,
}

/// The protocol that is followed on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tracking {
    Http,
    /// The visitor now sends HTTP or another protocol, depending on the response to an upgrade.
    Undecided {
        missed: bool,
    },
    /// A WebSocket, until the connection ends.
    WebSocket,
    /// Another protocol or not well-formed; nothing more is followed.
    Off,
}

impl Conversation {
    /// A new connection.
    pub fn new(observer: Observer) -> Self {
        Conversation {
            observer,
            request: DirectionState::default(),
            response: DirectionState::default(),
            pending: VecDeque::new(),
            tracking: Tracking::Http,
            answered: 0,
            recorder: None,
            defers_failure: false,
            timing: ConnectTiming::default(),
        }
    }

    /// Adds the durations that were measured before the first request.
    pub fn with_timing(mut self, timing: ConnectTiming) -> Self {
        self.timing = timing;
        self
    }

    /// The number of responses that have passed completely.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// The newest exchange, while its response is awaited.
    pub fn newest(&self) -> Option<Arc<Exchange>> {
        self.pending.back().and_then(|pending| pending.exchange.clone())
    }

    /// Whether the newest request has passed completely.
    pub fn request_has_ended(&self) -> bool {
        !self.pending.is_empty() && self.request.body.is_none()
    }

    /// Ends all pending exchanges with this error.
    pub fn fail(&mut self, why: &str) {
        self.give_up(why);
    }

    /// Takes bytes of the visitor.
    pub fn request_bytes(&mut self, bytes: &[u8]) {
        match self.tracking {
            Tracking::Off => {}
            Tracking::WebSocket => self.websocket_bytes(FrameSender::Visitor, bytes),
            Tracking::Undecided { .. } => self.tracking = Tracking::Undecided { missed: true },
            Tracking::Http => {
                if self.follow_request(bytes).is_err() {
                    self.give_up("The request could not be followed: it is not well-formed HTTP/1.");
                }
            }
        }
    }

    /// Takes bytes of the local service.
    pub fn response_bytes(&mut self, bytes: &[u8]) {
        match self.tracking {
            Tracking::Off => {}
            Tracking::WebSocket => self.websocket_bytes(FrameSender::Service, bytes),
            _ => {
                if self.follow_response(bytes).is_err() {
                    self.give_up("The response could not be followed: it is not well-formed HTTP/1.");
                }
            }
        }
    }

    fn websocket_bytes(&mut self, sender: FrameSender, bytes: &[u8]) {
        if let Some(recorder) = &mut self.recorder {
            recorder.websocket_bytes(sender, bytes);
        }
    }

    /// The local service has closed its side.
    pub fn response_closed(&mut self) {
        if self.tracking == Tracking::Off {
            return;
        }
        let until_close = matches!(&self.response.body, Some((BodyFraming::UntilClose, _)));
        if until_close {
            self.response.body = None;
            self.end_response();
        }
        if !self.defers_failure || self.missing_response().is_none() {
            self.connection_closed();
        }
    }

    /// The response that is due next, if nothing of it has arrived.
    fn missing_response(&self) -> Option<MissingResponse> {
        let pending = self.pending.front()?;
        let received = self.response.head.buffered();
        (self.response.body.is_none() && received.len() < MIN_RESPONSE_BYTES).then(|| MissingResponse {
            first_bytes: received.to_vec(),
            waited: pending.started.elapsed(),
            since_request: pending.ended.map(|ended| ended.elapsed()),
        })
    }

    /// The connection has ended: pending requests get no response.
    pub fn connection_closed(&mut self) {
        if self.tracking != Tracking::Off {
            let why = if self.response.body.is_some() || !self.response.head.is_empty() {
                "The connection ended in the middle of the response."
            } else if self.answered > 0 {
                // The edge repeats such a request; the visitor sees nothing of this attempt.
                "The connection, kept open since an earlier response, ended before a response came. The request was sent \
                 again on a new connection if that is safe."
            } else {
                "The connection ended before a response came."
            };
            self.give_up(why);
        }
    }

    fn follow_request(&mut self, mut bytes: &[u8]) -> Result<(), FramingError> {
        while !bytes.is_empty() {
            let taken = if self.request.body.is_some() {
                self.follow_request_body(bytes)?
            } else if let Tracking::Undecided { missed } = &mut self.tracking {
                *missed = true;
                return Ok(());
            } else {
                let Some(taken) = self.follow_request_head(bytes)? else { return Ok(()) };
                taken
            };
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    /// Returns how many bytes belong to the body.
    fn follow_request_body(&mut self, bytes: &[u8]) -> Result<usize, FramingError> {
        let Some((framing, exchange)) = &mut self.request.body else { return Ok(0) };
        let (taken, done) = framing.feed(bytes)?;
        if let (Some(exchange), Some(store)) = (exchange.as_ref(), &self.observer.store) {
            store.append(exchange, Side::Request, &bytes[..taken]);
        }
        if done {
            self.end_request();
        }
        Ok(taken)
    }

    /// Returns how many bytes belong to the head; `None` while it is not complete.
    fn follow_request_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, FramingError> {
        let observer = &self.observer;
        let started = self.request.head.feed(bytes, |raw| {
            let head = RequestHead::read(raw)?;
            let exchange = observer.begin_exchange(raw, &head);
            let method = MethodKind::new(head.method);
            Ok(StartedRequest { method, upgrade: head.upgrade, framing: head.framing, exchange })
        })?;
        let Some((taken, StartedRequest { method, upgrade, framing, exchange })) = started else { return Ok(None) };
        if let Some(exchange) = &exchange {
            exchange.set_timing(self.timing.transit, self.timing.connect.take());
        }
        let upgrade = upgrade || method == MethodKind::Connect;
        let pending =
            PendingRequest { method, started: Instant::now(), ended: None, exchange: exchange.clone(), upgrade };
        self.pending.push_back(pending);
        // The newest is listed already and fails with the others.
        if self.pending.len() > MAX_PIPELINED {
            return Err(FramingError);
        }
        let empty = framing == BodyFraming::Length(0);
        self.request.body = Some((framing, exchange));
        if empty {
            self.end_request();
        }
        Ok(Some(taken))
    }

    fn end_request(&mut self) {
        let exchange = self.request.body.take().and_then(|(_, exchange)| exchange);
        if let (Some(exchange), Some(store)) = (exchange, &self.observer.store) {
            store.end_side(&exchange, Side::Request);
        }
        let Some(pending) = self.pending.back_mut() else { return };
        pending.ended = Some(Instant::now());
        if pending.upgrade {
            self.tracking = Tracking::Undecided { missed: false };
        }
    }

    fn follow_response(&mut self, mut bytes: &[u8]) -> Result<(), FramingError> {
        while !bytes.is_empty() && self.tracking != Tracking::Off {
            if self.tracking == Tracking::WebSocket {
                self.websocket_bytes(FrameSender::Service, bytes);
                return Ok(());
            }
            let taken = if self.response.body.is_some() {
                self.follow_response_body(bytes)?
            } else {
                let Some(taken) = self.follow_response_head(bytes)? else { return Ok(()) };
                taken
            };
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    /// Returns how many bytes belong to the body.
    fn follow_response_body(&mut self, bytes: &[u8]) -> Result<usize, FramingError> {
        let Some((framing, exchange)) = &mut self.response.body else { return Ok(0) };
        let recorder = &mut self.recorder;
        let (taken, done) = framing.feed_content(bytes, |range| {
            if let Some(recorder) = recorder {
                recorder.event_bytes(&bytes[range]);
            }
        })?;
        if let (Some(exchange), Some(store)) = (exchange.as_ref(), &self.observer.store) {
            store.append(exchange, Side::Response, &bytes[..taken]);
        }
        if done {
            self.response.body = None;
            self.end_response();
        }
        Ok(taken)
    }

    /// Returns how many bytes belong to the head; `None` while it is not complete.
    fn follow_response_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, FramingError> {
        let pending = self.pending.front();
        let store = self.observer.store.as_ref();
        let started = self.response.head.feed(bytes, |raw| {
            let head = ResponseHead::read(raw)?;
            // A response without a request cannot be told from the bytes that follow it.
            let pending = pending.ok_or(FramingError)?;
            if !is_interim(head.status)
                && let (Some(exchange), Some(store)) = (&pending.exchange, store)
            {
                let kept = store.redacted_head(raw);
                store.begin_response(exchange, head.status, &kept, Some(&head.framing_for(pending.method)));
            }
            Ok(head)
        })?;
        let Some((taken, head)) = started else { return Ok(None) };
        if !is_interim(head.status) {
            self.begin_response(&head);
        }
        Ok(Some(taken))
    }

    fn begin_response(&mut self, head: &ResponseHead) {
        let Some(pending) = self.pending.front() else { return };
        let switched =
            head.status == 101 || (pending.method == MethodKind::Connect && (200..300).contains(&head.status));
        let captured = pending.exchange.clone().zip(self.observer.store.clone());
        if switched {
            let missed = self.tracking == Tracking::Undecided { missed: true };
            self.tracking = Tracking::Http;
            self.end_response();
            self.give_up("The connection switched to another protocol before this request got a response.");
            if let Some((exchange, store)) = captured.filter(|_| head.websocket && head.status == 101) {
                self.recorder = Some(FrameRecorder::websocket(exchange, store, missed));
                self.tracking = Tracking::WebSocket;
            }
            return;
        }
        let framing = head.framing_for(pending.method);
        if head.events
            && framing != BodyFraming::Length(0)
            && let Some((exchange, store)) = captured
        {
            self.recorder = Some(FrameRecorder::events(exchange, store));
        }
        if framing == BodyFraming::Length(0) {
            self.end_response();
        } else {
            self.response.body = Some((framing, pending.exchange.clone()));
        }
    }

    fn end_response(&mut self) {
        self.recorder = None;
        let Some(pending) = self.pending.pop_front() else { return };
        self.answered += 1;
        self.observer.meter.record(pending.started.elapsed());
        if let (Some(exchange), Some(store)) = (pending.exchange, &self.observer.store) {
            store.end_side(&exchange, Side::Response);
            store.finish(&exchange, None);
        }
        match self.tracking {
            // The upgrade was declined, but the bytes sent meanwhile were not read: requests cannot be found any more.
            Tracking::Undecided { missed: true } => {
                self.give_up("The request was sent before the response to an upgrade.")
            }
            Tracking::Undecided { missed: false } if !self.pending.iter().any(|pending| pending.upgrade) => {
                self.tracking = Tracking::Http;
            }
            _ => {}
        }
    }

    fn give_up(&mut self, why: &str) {
        self.tracking = Tracking::Off;
        self.recorder = None;
        self.request = DirectionState::default();
        self.response = DirectionState::default();
        for pending in self.pending.drain(..) {
            if let (Some(exchange), Some(store)) = (pending.exchange, &self.observer.store) {
                store.finish(&exchange, Some(why));
            }
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.connection_closed();
    }
}

/// Whether a status is interim (RFC 9110 section 15.2); 101 ends an exchange and is not.
fn is_interim(status: u16) -> bool {
    (100..200).contains(&status) && status != 101
}

/// Feeds one direction of a relayed connection into a conversation.
pub struct ConversationTap {
    conversation: Arc<Mutex<Conversation>>,
    responses: bool,
}

impl ConversationTap {
    /// The taps for the bytes of visitors and of the local service, and the handle for the end of the connection.
    pub fn pair(mut conversation: Conversation) -> (ConversationTap, ConversationTap, ConversationEnd) {
        conversation.defers_failure = true;
        let conversation = Arc::new(Mutex::new(conversation));
        let tap = |responses| ConversationTap { conversation: conversation.clone(), responses };
        (tap(false), tap(true), ConversationEnd(conversation.clone()))
    }

    fn locked(&self) -> MutexGuard<'_, Conversation> {
        // Both taps belong to one task, so this lock is never contended.
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a connection. When it is dropped, pending requests are listed without a response.
pub struct ConversationEnd(Arc<Mutex<Conversation>>);

impl ConversationEnd {
    /// A request that got no response.
    pub fn missing_response(&self) -> Option<MissingResponse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).missing_response()
    }

    /// Lists the pending requests with this error.
    pub fn fail(self, why: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fail(why);
    }
}

impl postern_tunnel::Tap for ConversationTap {
    fn observe(&mut self, bytes: &[u8]) {
        let mut conversation = self.locked();
        if self.responses { conversation.response_bytes(bytes) } else { conversation.request_bytes(bytes) }
    }

    fn finished(&mut self) {
        if self.responses {
            self.locked().response_closed();
        }
    }
}

#[cfg(test)]
mod tests;
