//! The connection of one case, and what becomes of it.

use super::case::Case;
use crate::kit::{
    World,
    frames::{
        ACK, DATA, END_STREAM, Frame, Frames, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, number, settings, status,
    },
};
use h2::Reason;
use std::collections::HashMap;

/// What an outcome is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// The connection alone: it ends, or goes on.
    Connection,
    /// The response on a stream.
    Stream(u32),
    /// The first data on a stream.
    Data(u32),
    /// The response to a PING frame with these bytes.
    Pong([u8; 8]),
    /// The acknowledgement of one more SETTINGS frame.
    SettingsAck,
}

/// What the edge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing: the frames are accepted or ignored, and the connection goes on.
    Nothing,
    /// A whole response with this status.
    Responded(u16),
    /// The stream is reset.
    Reset(Reason),
    /// The connection is closed after a GOAWAY frame with an error.
    GoneAway(Reason),
    /// The connection is closed without a GOAWAY frame that has an error.
    Closed,
    /// So many bytes of data.
    Data(usize),
    /// What was waited for came.
    Received,
    /// Nothing that was waited for, and no end.
    Silence,
}

impl Outcome {
    /// The outcome, if it ends a case before its last step.
    pub(super) fn error(self) -> Option<Outcome> {
        matches!(self, Outcome::Reset(_) | Outcome::GoneAway(_) | Outcome::Closed).then_some(self)
    }
}

/// PING frames by which a connection shows that it has handled everything before.
const PROBES: [[u8; 8]; 2] = [*b"probe 1.", *b"probe 2."];

/// A client's connection.
pub(super) struct Connection {
    frames: Frames,
    /// The status of responses that have begun.
    statuses: HashMap<u32, u16>,
    /// SETTINGS frames of the client that were acknowledged.
    acknowledged: usize,
}

impl Connection {
    /// Connects. With the usual preface both sides have acknowledged each other's settings then.
    pub(super) async fn open(world: &World, host: &str, case: &Case) -> Connection {
        let frames = Frames::connect(world, host).await;
        let mut connection = Connection { frames, statuses: HashMap::new(), acknowledged: 0 };
        if let Some(preface) = case.preface {
            connection.frames.send_bytes(preface).await;
            return connection;
        }
        connection.frames.send_bytes(PREFACE).await;
        connection.frames.send(SETTINGS, 0, 0, &settings(&case.settings)).await;
        assert_eq!(connection.outcome(Watched::SettingsAck).await, Outcome::Received, "{}: the settings", case.id);
        connection
    }

    /// Sends bytes. An edge that has closed the connection already has said why.
    pub(super) async fn send(&mut self, bytes: &[u8]) {
        self.frames.send_bytes(bytes).await;
    }

    /// Waits for the outcome of a case.
    pub(super) async fn settled(&mut self, watched: Watched) -> Outcome {
        let outcome = self.outcome(watched).await;
        let ended = matches!(outcome, Outcome::GoneAway(_) | Outcome::Closed);
        if ended || watched == Watched::Connection {
            return outcome;
        }
        // What follows a stream error could still be the end of the connection.
        match self.outcome(Watched::Connection).await {
            Outcome::Nothing => outcome,
            ended => ended,
        }
    }

    /// Waits until something has an outcome.
    pub(super) async fn outcome(&mut self, watched: Watched) -> Outcome {
        let (mut probes, acknowledged) = (PROBES.iter(), self.acknowledged);
        if watched == Watched::Connection {
            self.probe(&mut probes).await;
        }
        loop {
            let Some(frame) = self.frames.next().await else { return Outcome::Closed };
            if let Some(reason) = frame.connection_error() {
                self.frames.closed().await;
                return Outcome::GoneAway(reason.into());
            }
            if let Some(outcome) = self.handle(&frame, watched).await {
                return outcome;
            }
            let is_probe = frame.kind == PING && PROBES.iter().any(|probe| frame.payload == probe);
            if is_probe && watched == Watched::Connection && !self.probe(&mut probes).await {
                return Outcome::Nothing;
            }
            if watched == Watched::SettingsAck && self.acknowledged > acknowledged {
                return Outcome::Received;
            }
        }
    }

    /// Sends the next probe. `false` if all were sent.
    async fn probe(&mut self, probes: &mut std::slice::Iter<'_, [u8; 8]>) -> bool {
        let Some(probe) = probes.next() else { return false };
        self.frames.send(PING, 0, 0, probe).await;
        true
    }

    /// Takes a frame in. Returns the outcome that it is for what is watched.
    async fn handle(&mut self, frame: &Frame, watched: Watched) -> Option<Outcome> {
        let is_on = matches!(watched, Watched::Stream(stream) | Watched::Data(stream) if stream == frame.stream);
        match frame.kind {
            SETTINGS if frame.flags & ACK == 0 => {
                self.frames.send(SETTINGS, ACK, 0, &[]).await;
                None
            }
            SETTINGS => {
                self.acknowledged += 1;
                None
            }
            PING if watched == Watched::Pong(frame.payload[..].try_into().expect("eight bytes")) => {
                (frame.flags & ACK != 0).then_some(Outcome::Received)
            }
            RST_STREAM if is_on => Some(Outcome::Reset(number(&frame.payload).into())),
            HEADERS if frame.stream > 0 => {
                let status = *self.statuses.entry(frame.stream).or_insert_with(|| status(&frame.payload));
                (is_on && frame.flags & END_STREAM != 0).then_some(Outcome::Responded(status))
            }
            DATA if is_on && matches!(watched, Watched::Data(_)) && !frame.payload.is_empty() => {
                Some(Outcome::Data(frame.payload.len()))
            }
            DATA if is_on && frame.flags & END_STREAM != 0 => Some(Outcome::Responded(self.statuses[&frame.stream])),
            _ => None,
        }
    }
}
