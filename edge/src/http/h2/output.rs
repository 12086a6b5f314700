//! What the client gets to see of what codecs write on an HTTP/2 connection.

use super::{
    connection_state::ConnectionState,
    entries::{Entry, EntryReader},
    frames::{self, FrameScanner, Scanned, WINDOW_UPDATE},
};
use bytes::{Buf, BytesMut};

/// Follows the frames of the server, and makes those with which a codec begins fit a connection that goes on.
#[derive(Debug)]
pub(super) struct Output {
    scanner: FrameScanner,
    /// What is written before anything else.
    waiting: BytesMut,
    beginning: Option<Box<Beginning>>,
}

/// The first frames of a codec: SETTINGS, which is passed on, the acknowledgement of what it was told the client's SETTINGS are,
/// and WINDOW_UPDATE from the window of a new connection to the one that is meant.
#[derive(Debug)]
struct Beginning {
    scanner: FrameScanner,
    entries: EntryReader,
    keeps: bool,
    /// What the client may send already, beyond the window of a new connection.
    beyond_initial: i64,
}

impl Output {
    pub(super) fn new() -> Self {
        Output { scanner: FrameScanner::new(), waiting: BytesMut::new(), beginning: None }
    }

    /// From here on a new codec writes, and the client may already send so much beyond the window of a new connection. Must
    /// be called between frames, when nothing waits.
    pub(super) fn begin_anew(&mut self, beyond_initial: i64) {
        self.beginning = Some(Box::new(Beginning {
            scanner: FrameScanner::new(),
            entries: EntryReader::default(),
            keeps: true,
            beyond_initial,
        }));
    }

    /// Whether a new codec has not written its first frames.
    pub(super) fn is_beginning(&self) -> bool {
        self.beginning.is_some()
    }

    /// Whether everything is written, and all frames are complete.
    pub(super) fn is_between_frames(&self) -> bool {
        self.waiting.is_empty() && self.scanner.is_between_frames()
    }

    /// What is written before anything else.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.waiting
    }

    /// So much of what waits has been written.
    pub(super) fn advance(&mut self, written: usize) {
        self.waiting.advance(written);
        if self.waiting.is_empty() {
            self.waiting = BytesMut::new();
        }
    }

    /// Notes bytes that were written.
    pub(super) fn written(&mut self, mut bytes: &[u8], state: &mut ConnectionState) {
        while let Some(part) = self.scanner.next(&mut bytes) {
            state.sent(part);
        }
    }

    /// Has bytes written before anything else.
    pub(super) fn queue(&mut self, bytes: &[u8], state: &mut ConnectionState) {
        self.written(bytes, state);
        self.waiting.extend_from_slice(bytes);
    }

    /// Takes bytes of a codec that begins, and queues what is passed on of them.
    pub(super) fn begin(&mut self, mut bytes: &[u8], state: &mut ConnectionState) {
        while let Some(beginning) = &mut self.beginning {
            let Some(part) = beginning.scanner.next(&mut bytes) else { return };
            match part {
                Scanned::Head(head) => {
                    beginning.entries.begin(head);
                    let is_window = head.kind == WINDOW_UPDATE && head.stream == 0;
                    beginning.keeps = !is_window && !head.is_settings_ack();
                    if beginning.keeps {
                        self.queue(&head.encode(), state);
                    }
                }
                Scanned::Payload(payload) if beginning.keeps => self.queue(payload, state),
                Scanned::Payload(mut payload) => {
                    let Some(Entry::Increment(bytes)) = beginning.entries.next(&mut payload) else { continue };
                    let missing = u32::try_from(i64::from(bytes) - beginning.beyond_initial).unwrap_or(0);
                    self.beginning = None;
                    if missing > 0 {
                        self.queue(&frames::encode(WINDOW_UPDATE, 0, 0, &missing.to_be_bytes()), state);
                    }
                }
            }
        }
        self.queue(bytes, state);
    }
}
