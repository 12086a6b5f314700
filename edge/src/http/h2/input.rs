//! What a codec reads of an HTTP/2 connection: what the client sends, without what the codec must not see.

use super::{
    connection_state::ConnectionState,
    field_block::needs_earlier_blocks,
    frame_budget::FrameBudget,
    frames::{END_HEADERS, FrameHead, FrameScanner, HEADERS, RST_STREAM, Scanned, WINDOW_UPDATE},
};

/// The largest field block that is looked into: one frame of the usual limit.
const MAX_CHECKED_BYTES: u32 = 16 * 1024;

/// Follows the frames of the client, and takes out those that are not for the codec.
#[derive(Debug)]
pub(super) struct Input {
    scanner: FrameScanner,
    /// Whether frames may have to be taken out. Then the head of a frame is passed on when all of it has come.
    is_filtering: bool,
    /// Whether the frame that is arriving is passed on.
    keeps: bool,
    /// Acknowledgements that belong to SETTINGS the codec did not send.
    foreign_acks: usize,
    /// Streams up to this one ended before the codec was made, which does not know them.
    unknown_up_to: u32,
    next_fields: NextFields,
    budget: FrameBudget,
    refused: Option<RefusedInput>,
}

/// Why no more is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedInput {
    /// The client sends too many frames that bring no request any further.
    Flood,
    /// The codec cannot read the next request, because the client did not empty its table of fields. It may send the request
    /// again on another connection.
    Unreadable,
}

/// What is known of the next field block.
#[derive(Debug)]
enum NextFields {
    /// The codec has read all before it.
    Readable,
    /// It is the first that the codec reads.
    First,
    /// It is arriving.
    Arriving(FrameHead, Vec<u8>),
}

impl Input {
    pub(super) fn new() -> Self {
        Input {
            scanner: FrameScanner::with_preface(),
            is_filtering: false,
            keeps: true,
            foreign_acks: 0,
            unknown_up_to: 0,
            next_fields: NextFields::Readable,
            budget: FrameBudget::new(),
            refused: None,
        }
    }

    /// Takes out the next acknowledgement of SETTINGS. Must be called between frames the first time.
    pub(super) fn take_out_ack(&mut self) {
        self.is_filtering = true;
        self.foreign_acks += 1;
    }

    /// Acknowledgements that have not come yet.
    pub(super) fn foreign_acks(&self) -> usize {
        self.foreign_acks
    }

    /// From here on a new codec reads. Must be called between frames.
    pub(super) fn begin_anew(&mut self, last_stream: u32) {
        self.is_filtering = true;
        self.unknown_up_to = last_stream;
        self.next_fields = NextFields::First;
    }

    pub(super) fn is_between_frames(&self) -> bool {
        self.scanner.is_between_frames()
    }

    /// Why no more is read, if that is so.
    pub(super) fn refused(&self) -> Option<RefusedInput> {
        self.refused
    }

    /// Counts bytes that were sent to the client, which allow it further frames.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.budget.sent(bytes);
    }

    /// The newest stream of which a request can have been served.
    pub(super) fn unknown_up_to(&self) -> u32 {
        self.unknown_up_to
    }

    /// Takes received bytes in. Returns what is passed on, unless that is all of them.
    pub(super) fn take(&mut self, received: &[u8], state: &mut ConnectionState) -> Option<Vec<u8>> {
        let mut rest = received;
        // The beginning of a head was not passed on.
        let mut passed = (self.is_filtering && self.scanner.in_head() > 0).then(Vec::new);
        loop {
            let before = received.len() - rest.len();
            let Some(part) = self.scanner.next(&mut rest) else { break };
            if let Scanned::Head(head) = part
                && !self.budget.take(head.kind)
            {
                self.refused = Some(RefusedInput::Flood);
                return Some(Vec::new());
            }
            state.received(part);
            let kept = match part {
                Scanned::Head(head) => self.take_head(head),
                Scanned::Payload(payload) => self.take_payload(payload),
            };
            match (kept, part, &mut passed) {
                (Kept::As(bytes), _, passed) => {
                    passed.get_or_insert_with(|| received[..before].to_vec()).extend(bytes);
                }
                (Kept::Whole, Scanned::Head(head), Some(passed)) => passed.extend(head.encode()),
                (Kept::Whole, Scanned::Payload(payload), Some(passed)) => passed.extend(payload),
                (Kept::Whole, _, None) => {}
            }
        }
        if self.is_filtering && self.scanner.in_head() > 0 {
            let whole = received.len().saturating_sub(self.scanner.in_head());
            passed.get_or_insert_with(|| received[..whole].to_vec());
        }
        passed
    }

    fn take_head(&mut self, head: FrameHead) -> Kept {
        self.keeps = true;
        if self.foreign_acks > 0 && head.is_settings_ack() {
            self.foreign_acks -= 1;
            self.keeps = false;
        }
        if matches!(head.kind, RST_STREAM | WINDOW_UPDATE) && (1..=self.unknown_up_to).contains(&head.stream) {
            self.keeps = false;
        }
        if head.kind == HEADERS && matches!(self.next_fields, NextFields::First) {
            let is_checked = head.has(END_HEADERS) && head.length <= MAX_CHECKED_BYTES;
            self.next_fields = if is_checked { NextFields::Arriving(head, Vec::new()) } else { NextFields::Readable };
            if is_checked {
                return self.take_payload(&[]);
            }
        }
        if self.keeps { Kept::Whole } else { Kept::As(Vec::new()) }
    }

    fn take_payload(&mut self, payload: &[u8]) -> Kept {
        let NextFields::Arriving(head, block) = &mut self.next_fields else {
            return if self.keeps { Kept::Whole } else { Kept::As(Vec::new()) };
        };
        block.extend_from_slice(payload);
        if block.len() < head.length as usize {
            return Kept::As(Vec::new());
        }
        if needs_earlier_blocks(*head, block) {
            self.refused = Some(RefusedInput::Unreadable);
            return Kept::As(Vec::new());
        }
        let frame = [&head.encode()[..], block].concat();
        self.next_fields = NextFields::Readable;
        Kept::As(frame)
    }
}

/// What is passed on of a part.
enum Kept {
    Whole,
    /// Other bytes in its place.
    As(Vec<u8>),
}
