//! One case: what is sent, and which outcomes are accepted.

use super::{
    HOST,
    connection::{Outcome, Watched},
};
use crate::kit::frames::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, block,
    frame, settings,
};
use h2::Reason;

/// A field of a header block.
pub(super) type Field = (&'static [u8], &'static [u8]);

/// A case of h2spec.
pub(super) struct Case {
    /// Group, section and number as h2spec prints them.
    pub(super) id: &'static str,
    pub(super) what: &'static str,
    /// Sent instead of the connection preface.
    pub(super) preface: Option<&'static [u8]>,
    /// The settings of the client.
    pub(super) settings: Vec<(u16, u32)>,
    pub(super) steps: Vec<Step>,
    /// What the outcome is read from.
    pub(super) watched: Watched,
    pub(super) accepts: Vec<Outcome>,
    /// The outcome here, which is not accepted, and the reason.
    pub(super) deviation: Option<(Outcome, &'static str)>,
}

/// A step of a case.
pub(super) enum Step {
    /// Sends bytes at once, so that they are read together.
    Send(Vec<u8>),
    /// Waits until this has an outcome.
    Await(Watched),
}

pub(super) fn case(id: &'static str, what: &'static str) -> Case {
    Case {
        id,
        what,
        preface: None,
        settings: Vec::new(),
        steps: Vec::new(),
        watched: Watched::Connection,
        accepts: Vec::new(),
        deviation: None,
    }
}

impl Case {
    pub(super) fn preface(mut self, preface: &'static [u8]) -> Self {
        self.preface = Some(preface);
        self
    }

    pub(super) fn settings(mut self, settings: &[(u16, u32)]) -> Self {
        self.settings = settings.to_vec();
        self
    }

    /// Sends frames at once.
    pub(super) fn send<const N: usize>(mut self, frames: [Vec<u8>; N]) -> Self {
        self.steps.push(Step::Send(frames.concat()));
        self
    }

    pub(super) fn wait_for(mut self, watched: Watched) -> Self {
        self.steps.push(Step::Await(watched));
        self
    }

    /// The outcome of this decides.
    pub(super) fn watch(mut self, watched: Watched) -> Self {
        self.watched = watched;
        self
    }

    pub(super) fn accept<const N: usize>(mut self, outcomes: [Outcome; N]) -> Self {
        self.accepts.extend(outcomes);
        self
    }

    /// A request is answered as usual.
    pub(super) fn accept_response(self) -> Self {
        self.watch(Watched::Stream(1)).accept([Outcome::Responded(200)])
    }

    /// The connection goes on.
    pub(super) fn accept_nothing(self) -> Self {
        self.accept([Outcome::Nothing])
    }

    /// The SETTINGS that were sent last are acknowledged.
    pub(super) fn accept_settings_ack(self) -> Self {
        self.watch(Watched::SettingsAck).accept([Outcome::Received])
    }

    /// A connection error. PROTOCOL_ERROR may always stand for a more specific one (RFC 9113, section 5.4).
    pub(super) fn accept_connection_error(self, reason: Reason) -> Self {
        self.accept([Outcome::GoneAway(reason), Outcome::GoneAway(Reason::PROTOCOL_ERROR)])
    }

    /// A stream error, which may be treated as a connection error (RFC 9113, section 5.4.1).
    pub(super) fn accept_stream_error(self, stream: u32, reason: Reason) -> Self {
        let accepting = self.watch(Watched::Stream(stream)).accept_connection_error(reason);
        accepting.accept([Outcome::Reset(reason), Outcome::Reset(Reason::PROTOCOL_ERROR)])
    }

    /// The request on stream 1 is malformed: a stream error, before which a response may come (RFC 9113, section 8.1.1).
    pub(super) fn accept_malformed(self) -> Self {
        self.accept_stream_error(1, Reason::PROTOCOL_ERROR).accept([Outcome::Responded(400)])
    }

    /// The edge does something else.
    pub(super) fn deviates_to(mut self, outcome: Outcome, reason: &'static str) -> Self {
        self.deviation = Some((outcome, reason));
        self
    }
}

/// The fields of a well-formed request.
pub(super) const REQUEST: [Field; 4] =
    [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", HOST.as_bytes()), (b":path", b"/valid")];
/// The same for a request that is malformed for another reason; it must not be forwarded.
pub(super) const MALFORMED: [Field; 4] =
    [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", HOST.as_bytes()), (b":path", b"/malformed")];

/// These fields with another method.
pub(super) fn with_method(method: &'static [u8], fields: [Field; 4]) -> Vec<Field> {
    let [_, rest @ ..] = fields;
    [&[(&b":method"[..], method)], &rest[..]].concat()
}

/// The header block of a well-formed request.
pub(super) fn request_block() -> Vec<u8> {
    block(&REQUEST)
}

/// A well-formed request without a body.
pub(super) fn get(stream: u32) -> Vec<u8> {
    headers(END_STREAM | END_HEADERS, stream, &request_block())
}

/// The head of a well-formed request with a body.
pub(super) fn post(stream: u32) -> Vec<u8> {
    headers(END_HEADERS, stream, &block(&with_method(b"POST", REQUEST)))
}

/// A request without a body that has these fields.
pub(super) fn request(fields: &[Field]) -> Vec<u8> {
    headers(END_STREAM | END_HEADERS, 1, &block(fields))
}

pub(super) fn headers(flags: u8, stream: u32, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, flags, stream, block)
}

pub(super) fn continuation(flags: u8, stream: u32, block: &[u8]) -> Vec<u8> {
    frame(CONTINUATION, flags, stream, block)
}

pub(super) fn data(flags: u8, stream: u32, data: &[u8]) -> Vec<u8> {
    frame(DATA, flags, stream, data)
}

/// A PRIORITY frame with a weight of one.
pub(super) fn priority(stream: u32, dependency: u32) -> Vec<u8> {
    frame(PRIORITY, 0, stream, &weighted(dependency, 0))
}

/// The fields of a PRIORITY frame.
pub(super) fn weighted(dependency: u32, weight: u8) -> Vec<u8> {
    [&dependency.to_be_bytes()[..], &[weight]].concat()
}

pub(super) fn reset(stream: u32, reason: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &reason.to_be_bytes())
}

pub(super) fn change(changes: &[(u16, u32)]) -> Vec<u8> {
    frame(SETTINGS, 0, 0, &settings(changes))
}

pub(super) fn window_update(stream: u32, increment: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

pub(super) fn ping(flags: u8, payload: [u8; 8]) -> Vec<u8> {
    frame(PING, flags, 0, &payload)
}
