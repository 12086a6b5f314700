//! Following one connection's requests and responses on the raw bytes, in any split, pipelined or not.

use super::{
    exchange::{Exchange, Opening, Said, Side, TunnelTag},
    frames::{Follow, Sender},
    framing::{Framing, Garbage},
    head::{Asking, HeadBuffer, RequestHead, ResponseHead},
    missing_response::MissingResponse,
    store::CaptureStore,
};
use crate::metrics::Meter;
use postern_tunnel::StreamMetadata;
use std::{
    borrow::Cow,
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Requests that may wait for their responses on one connection; more is not followed.
const MAX_PIPELINED: usize = 64;

/// Fewer bytes than this are no answer, whatever they are.
const SHORTEST_ANSWER: usize = 8;

/// Who the connection belongs to and where what is seen goes.
#[derive(Clone)]
pub struct Observer {
    /// Where requests are kept; `None` if the tunnel is not inspected. Requests are counted all the same.
    pub store: Option<Arc<CaptureStore>>,
    /// Counts requests and their response times.
    pub meter: Arc<Meter>,
    /// The tunnel.
    pub tunnel: Arc<TunnelTag>,
    /// The address of the visitor the stream was opened for, who need not be the one of every request on it.
    pub remote: String,
    /// The captured request this connection repeats.
    pub replay_of: Option<u64>,
    /// It goes through the edge, where the agent is a visitor.
    pub through_edge: bool,
    /// What the edge notes about the requests, each in front of the request.
    pub notes: Option<StreamMetadata>,
}

impl Observer {
    fn remote(&self, visitor: Option<IpAddr>) -> Cow<'_, str> {
        match visitor {
            Some(visitor) if self.replay_of.is_none() => Cow::Owned(visitor.to_string()),
            _ => Cow::Borrowed(&self.remote),
        }
    }

    /// What is listed of a request.
    fn opening(&self, head: &RequestHead<'_>, visitor: Option<IpAddr>) -> Opening {
        let said = Said { method: head.method, target: head.target, host: &head.host, remote: &self.remote(visitor) };
        Opening {
            replay_of: self.replay_of,
            trace: self.notes.as_ref().and_then(StreamMetadata::take),
            through_edge: self.through_edge,
            ..Opening::of(self.tunnel.clone(), said)
        }
    }
}

/// Both directions of one connection.
pub struct Conversation {
    observer: Observer,
    request: Direction,
    response: Direction,
    pending: VecDeque<Pending>,
    following: Following,
    answered: u64,
    /// What passes inside the exchange of the moment.
    inside: Option<Follow>,
    /// Somebody may know better why an answer did not come, and says so after the end.
    patient: bool,
    way: Way,
}

/// What the way of a connection took before its first request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// From the server to this agent, half of the way there and back.
    pub transit: Option<Duration>,
    /// To the local service. Only the first request had to wait for it.
    pub connect: Option<Duration>,
}

#[derive(Debug, Default)]
struct Direction {
    head: HeadBuffer,
    /// The body that passes right now, and whose it is.
    body: Option<(Framing, Option<Arc<Exchange>>)>,
}

struct Pending {
    asking: Asking,
    started: Instant,
    exchange: Option<Arc<Exchange>>,
    upgrade: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Following {
    Yes,
    /// What the visitor sends now may be HTTP or another protocol: the answer to an upgrade decides.
    Undecided {
        missed: bool,
    },
    /// A WebSocket, to the end of the connection.
    Socket,
    /// Another protocol, or not HTTP at all: for good.
    No,
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exchange {:x}", self.id)
    }
}

impl Conversation {
    /// A new connection.
    pub fn new(observer: Observer) -> Self {
        Conversation {
            observer,
            request: Direction::default(),
            response: Direction::default(),
            pending: VecDeque::new(),
            following: Following::Yes,
            answered: 0,
            inside: None,
            patient: false,
            way: Way::default(),
        }
    }

    /// Says what the way of the connection took.
    pub fn over(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    /// How many responses have passed completely.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// The exchange that was begun last, while its response is awaited.
    pub fn newest(&self) -> Option<Arc<Exchange>> {
        self.pending.back().and_then(|pending| pending.exchange.clone())
    }

    /// Whether the request that was begun last has passed completely.
    pub fn request_has_ended(&self) -> bool {
        !self.pending.is_empty() && self.request.body.is_none()
    }

    /// What is still pending gets no response, for this reason.
    pub fn failed(&mut self, why: &str) {
        self.give_up(why);
    }

    /// Bytes of the visitor.
    pub fn request_bytes(&mut self, bytes: &[u8]) {
        match self.following {
            Following::No => {}
            Following::Socket => self.inside(Sender::Visitor, bytes),
            Following::Undecided { .. } => self.following = Following::Undecided { missed: true },
            Following::Yes => {
                if self.follow_request(bytes).is_err() {
                    self.give_up("The request could not be followed: it is not well-formed HTTP/1.");
                }
            }
        }
    }

    /// Bytes of the local service.
    pub fn response_bytes(&mut self, bytes: &[u8]) {
        match self.following {
            Following::No => {}
            Following::Socket => self.inside(Sender::Service, bytes),
            _ => {
                if self.follow_response(bytes).is_err() {
                    self.give_up("The response could not be followed: it is not well-formed HTTP/1.");
                }
            }
        }
    }

    fn inside(&mut self, sender: Sender, bytes: &[u8]) {
        if let Some(inside) = &mut self.inside {
            inside.socket_bytes(sender, bytes);
        }
    }

    /// The local service will send nothing more.
    pub fn response_closed(&mut self) {
        if self.following == Following::No {
            return;
        }
        let until_close = matches!(&self.response.body, Some((Framing::UntilClose, _)));
        if until_close {
            self.response.body = None;
            self.response_ended();
        }
        if !self.patient || self.missing_response().is_none() {
            self.connection_closed();
        }
    }

    /// What is known of the answer that should have come next, if nothing of it came.
    fn missing_response(&self) -> Option<MissingResponse> {
        let pending = self.pending.front()?;
        let first = self.response.head.kept();
        (self.response.body.is_none() && first.len() < SHORTEST_ANSWER)
            .then(|| MissingResponse { first_bytes: first.to_vec(), waited: pending.started.elapsed() })
    }

    /// The connection is over: what is still pending will not be answered.
    pub fn connection_closed(&mut self) {
        if self.following != Following::No {
            let why = if self.response.body.is_some() || !self.response.head.is_empty() {
                "The connection ended in the middle of the response."
            } else {
                "The connection ended before a response came."
            };
            self.give_up(why);
        }
    }

    fn follow_request(&mut self, mut bytes: &[u8]) -> Result<(), Garbage> {
        while !bytes.is_empty() {
            match &mut self.request.body {
                Some((framing, exchange)) => {
                    let (taken, done) = framing.feed(bytes)?;
                    if let (Some(exchange), Some(store)) = (exchange.as_ref(), &self.observer.store) {
                        exchange.append(store, Side::Request, &bytes[..taken]);
                    }
                    bytes = &bytes[taken..];
                    if done {
                        self.request_ended();
                    }
                }
                None => {
                    if let Following::Undecided { missed } = &mut self.following {
                        *missed = true;
                        return Ok(());
                    }
                    let observer = &self.observer;
                    let started = self.request.head.feed(bytes, |raw| {
                        let head = RequestHead::read(raw)?;
                        let exchange = observer.store.as_ref().filter(|store| store.is_on()).map(|store| {
                            let kept = store.kept_head(raw);
                            // What is kept is what is listed: a secret must not stay in the target either.
                            let redacted = match &kept {
                                Cow::Owned(kept) => RequestHead::read(kept).ok(),
                                Cow::Borrowed(_) => None,
                            };
                            let opening = observer.opening(redacted.as_ref().unwrap_or(&head), head.visitor);
                            store.begin(opening, &kept, &head.framing)
                        });
                        Ok((Asking::with(head.method), head.upgrade, head.framing, exchange))
                    })?;
                    let Some((taken, (asking, upgrade, framing, exchange))) = started else { return Ok(()) };
                    if let Some(exchange) = &exchange {
                        exchange.came(self.way.transit, self.way.connect.take());
                    }
                    bytes = &bytes[taken..];
                    let upgrade = upgrade || asking == Asking::Connect;
                    let pending = Pending { asking, started: Instant::now(), exchange: exchange.clone(), upgrade };
                    self.pending.push_back(pending);
                    // This one is listed already, and given up with the others.
                    if self.pending.len() > MAX_PIPELINED {
                        return Err(Garbage);
                    }
                    let empty = framing == Framing::Length(0);
                    self.request.body = Some((framing, exchange));
                    if empty {
                        self.request_ended();
                    }
                }
            }
        }
        Ok(())
    }

    fn request_ended(&mut self) {
        let exchange = self.request.body.take().and_then(|(_, exchange)| exchange);
        if let (Some(exchange), Some(store)) = (exchange, &self.observer.store) {
            exchange.ended(store, Side::Request);
        }
        if self.pending.back().is_some_and(|pending| pending.upgrade) {
            self.following = Following::Undecided { missed: false };
        }
    }

    fn follow_response(&mut self, mut bytes: &[u8]) -> Result<(), Garbage> {
        while !bytes.is_empty() && self.following != Following::No {
            if self.following == Following::Socket {
                self.inside(Sender::Service, bytes);
                return Ok(());
            }
            match &mut self.response.body {
                Some((framing, exchange)) => {
                    let inside = &mut self.inside;
                    let (taken, done) = framing.feed_content(bytes, |place| {
                        if let Some(inside) = inside {
                            inside.event_bytes(&bytes[place]);
                        }
                    })?;
                    if let (Some(exchange), Some(store)) = (exchange.as_ref(), &self.observer.store) {
                        exchange.append(store, Side::Response, &bytes[..taken]);
                    }
                    bytes = &bytes[taken..];
                    if done {
                        self.response.body = None;
                        self.response_ended();
                    }
                }
                None => {
                    let pending = self.pending.front();
                    let store = self.observer.store.as_ref();
                    let started = self.response.head.feed(bytes, |raw| {
                        let head = ResponseHead::read(raw)?;
                        // An answer that nobody asked for cannot be told from what follows it.
                        let pending = pending.ok_or(Garbage)?;
                        if !is_interim(head.status)
                            && let (Some(exchange), Some(store)) = (&pending.exchange, store)
                        {
                            let kept = store.kept_head(raw);
                            let framing = head.framing_for(pending.asking);
                            exchange.answered(store, head.status, store.begun(&kept, Some(&framing)));
                        }
                        Ok(head)
                    })?;
                    let Some((taken, head)) = started else { return Ok(()) };
                    bytes = &bytes[taken..];
                    if !is_interim(head.status) {
                        self.response_head(&head);
                    }
                }
            }
        }
        Ok(())
    }

    fn response_head(&mut self, head: &ResponseHead) {
        let Some(pending) = self.pending.front() else { return };
        let switched = head.status == 101 || (pending.asking == Asking::Connect && (200..300).contains(&head.status));
        let kept = pending.exchange.clone().zip(self.observer.store.clone());
        if switched {
            let missed = self.following == Following::Undecided { missed: true };
            self.following = Following::Yes;
            self.response_ended();
            self.give_up("The connection changed to another protocol before this request was answered.");
            if let Some((exchange, store)) = kept.filter(|_| head.websocket && head.status == 101) {
                self.inside = Some(Follow::socket(exchange, store, missed));
                self.following = Following::Socket;
            }
            return;
        }
        let framing = head.framing_for(pending.asking);
        if head.events
            && framing != Framing::Length(0)
            && let Some((exchange, store)) = kept
        {
            self.inside = Some(Follow::events(exchange, store));
        }
        if framing == Framing::Length(0) {
            self.response_ended();
        } else {
            self.response.body = Some((framing, pending.exchange.clone()));
        }
    }

    fn response_ended(&mut self) {
        self.inside = None;
        let Some(pending) = self.pending.pop_front() else { return };
        self.answered += 1;
        self.observer.meter.record(pending.started.elapsed());
        if let (Some(exchange), Some(store)) = (pending.exchange, &self.observer.store) {
            exchange.ended(store, Side::Response);
            exchange.finished(store, None);
        }
        match self.following {
            // The upgrade was declined; what was sent meanwhile was not looked at, so the thread is lost.
            Following::Undecided { missed: true } => {
                self.give_up("The request was sent before an upgrade was decided.")
            }
            Following::Undecided { missed: false } if !self.pending.iter().any(|pending| pending.upgrade) => {
                self.following = Following::Yes;
            }
            _ => {}
        }
    }

    fn give_up(&mut self, why: &str) {
        self.following = Following::No;
        self.inside = None;
        self.request = Direction::default();
        self.response = Direction::default();
        for pending in self.pending.drain(..) {
            if let (Some(exchange), Some(store)) = (pending.exchange, &self.observer.store) {
                exchange.finished(store, Some(why));
            }
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.connection_closed();
    }
}

/// 100, 102, 103 … come before the answer and are not kept; 101 is an answer.
fn is_interim(status: u16) -> bool {
    (100..200).contains(&status) && status != 101
}

/// One end of a relay's attention: the bytes of one direction of a conversation.
pub struct Tap {
    conversation: Arc<Mutex<Conversation>>,
    responses: bool,
}

impl Tap {
    /// The taps of both directions, what visitors send and what the local service sends, and what is left at the end.
    pub fn pair(mut conversation: Conversation) -> (Tap, Tap, Ending) {
        conversation.patient = true;
        let conversation = Arc::new(Mutex::new(conversation));
        let tap = |responses| Tap { conversation: conversation.clone(), responses };
        (tap(false), tap(true), Ending(conversation.clone()))
    }
}

/// The end of a connection. Dropped, what was not answered is listed as that.
pub struct Ending(Arc<Mutex<Conversation>>);

impl Ending {
    /// What is known of a request that was not answered.
    pub fn missing_response(&self) -> Option<MissingResponse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).missing_response()
    }

    /// The requests that were not answered are listed with this reason.
    pub fn failed(self, why: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failed(why);
    }
}

impl postern_tunnel::Tap for Tap {
    fn observe(&mut self, bytes: &[u8]) {
        // Both taps belong to one task, so this lock is never contended.
        let mut conversation = self.conversation.lock().unwrap_or_else(PoisonError::into_inner);
        if self.responses { conversation.response_bytes(bytes) } else { conversation.request_bytes(bytes) }
    }

    fn finished(&mut self) {
        if self.responses {
            self.conversation.lock().unwrap_or_else(PoisonError::into_inner).response_closed();
        }
    }
}

#[cfg(test)]
mod tests;
