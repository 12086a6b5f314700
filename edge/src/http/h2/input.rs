//! What a codec reads of an HTTP/2 connection: what the client sends, without what the codec must not see.

use super::{
    connection_state::ConnectionState,
    field_block::needs_earlier_blocks,
    frame_budget::FrameBudget,
    frames::{DATA, END_HEADERS, FrameHead, FrameScanner, HEADERS, RST_STREAM, Scanned, WINDOW_UPDATE},
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
    foreign_acks: u32,
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
    /// The codec cannot read the next request, because the client did not empty its table of fields, or used a stream again. It
    /// may send the request again on another connection.
    Unreadable,
}

/// What is known of the next field block.
#[derive(Debug)]
enum NextFields {
    /// The codec has read all before it.
    Readable,
    /// It is the first that the codec reads.
    First,
    /// It is arriving. Boxed, because most connections wait for one that has not begun.
    Arriving(Box<ArrivingFields>),
}

#[derive(Debug)]
struct ArrivingFields {
    head: FrameHead,
    block: Vec<u8>,
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
    pub(super) fn foreign_acks(&self) -> u32 {
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
            if self.refused.is_some() {
                return Some(passed.unwrap_or_else(|| received[..before].to_vec()));
            }
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
        // Streams with even numbers are the server's (RFC 9113, section 5.1.1), which opens none: the codec knows that.
        if head.stream % 2 == 1 && head.stream <= self.unknown_up_to {
            match head.kind {
                // The codec's window grows again by what is missing when the next one begins.
                DATA => self.keeps = false,
                RST_STREAM | WINDOW_UPDATE => self.keeps = head.length != 4,
                // Such a stream cannot begin anew.
                HEADERS => {
                    self.refused = Some(RefusedInput::Unreadable);
                    return Kept::As(Vec::new());
                }
                _ => {}
            }
        }
        if head.kind == HEADERS && matches!(self.next_fields, NextFields::First) {
            let is_checked = head.has(END_HEADERS) && head.length <= MAX_CHECKED_BYTES;
            self.next_fields = if is_checked {
                NextFields::Arriving(Box::new(ArrivingFields { head, block: Vec::new() }))
            } else {
                NextFields::Readable
            };
        }
        self.take_payload(&[])
    }

    fn take_payload(&mut self, payload: &[u8]) -> Kept {
        let NextFields::Arriving(arriving) = &mut self.next_fields else {
            return if self.keeps { Kept::Whole } else { Kept::As(Vec::new()) };
        };
        let ArrivingFields { head, block } = &mut **arriving;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::h2::frames::{ACK, END_STREAM, PREFACE, SETTINGS, encode};
    use proptest::prelude::*;

    const LAST_STREAM: u32 = 5;

    fn frame() -> impl Strategy<Value = Vec<u8>> {
        let payload = || proptest::collection::vec(any::<u8>(), 0..30);
        let stream = || 1u32..2 * LAST_STREAM;
        prop_oneof![
            Just(encode(SETTINGS, ACK, 0, &[])),
            (prop_oneof![Just(RST_STREAM), Just(WINDOW_UPDATE)], stream()).prop_map(|(kind, stream)| encode(
                kind,
                0,
                stream,
                &[0, 0, 0, 8]
            )),
            (stream(), payload()).prop_map(|(stream, block)| encode(HEADERS, END_HEADERS | END_STREAM, stream, &block)),
            (stream(), payload()).prop_map(|(stream, body)| encode(DATA, 0, stream, &body)),
            (any::<(u8, u8)>(), stream(), payload())
                .prop_map(|((kind, flags), stream, payload)| encode(kind, flags, stream, &payload)),
        ]
    }

    /// What a second codec gets to read of these bytes, and whether something was refused.
    fn passed<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Option<RefusedInput>) {
        let (mut input, mut state) = (Input::new(), ConnectionState::new());
        assert_eq!(input.take(PREFACE, &mut state), None);
        input.take_out_ack();
        input.begin_anew(LAST_STREAM);
        let mut passed = Vec::new();
        for piece in pieces {
            passed.extend(input.take(piece, &mut state).unwrap_or_else(|| piece.to_vec()));
            if input.refused().is_some() {
                break;
            }
        }
        (passed, input.refused())
    }

    proptest! {
        /// Frames are passed on or taken out however they are split, and the last one may be incomplete.
        #[test]
        fn what_is_passed_on_does_not_depend_on_pieces(
            frames in proptest::collection::vec(frame(), 0..8),
            (last, left) in (frame(), 0usize..20),
            size in 1usize..40,
        ) {
            let bytes = [frames.concat(), last[..last.len().min(left)].to_vec()].concat();
            let (whole, refused) = passed(std::iter::once(&bytes[..]));
            let (pieces, refused_in_pieces) = passed(bytes.chunks(size));
            prop_assert_eq!(refused, refused_in_pieces);
            // What follows a refused request is read by no codec.
            let length = pieces.len();
            prop_assert_eq!(if refused.is_some() { &whole[..length] } else { &whole[..] }, &pieces[..]);
        }

        #[test]
        fn only_what_the_codec_must_not_see_is_taken_out(frames in proptest::collection::vec(frame(), 0..8)) {
            let mut acks = 1;
            let expected: Vec<u8> = frames
                .iter()
                .filter(|frame| {
                    let (length, stream) = (frame.len() - 9, frame[8]);
                    let is_ack = frame[3] == SETTINGS && frame[4] & ACK != 0 && (length, stream) == (0, 0);
                    let is_foreign = is_ack && std::mem::replace(&mut acks, 0) == 1;
                    let is_well_formed = match frame[3] {
                        RST_STREAM | WINDOW_UPDATE => length == 4,
                        kind => kind == DATA,
                    };
                    let is_late = is_well_formed && [1, 3, 5].contains(&stream);
                    !is_foreign && !is_late
                })
                .flatten()
                .copied()
                .collect();
            let bytes = frames.concat();
            let (passed, refused) = passed(std::iter::once(&bytes[..]));
            prop_assert!(refused.is_some() || passed == expected);
        }
    }
}
