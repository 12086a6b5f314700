//! What both ends of an HTTP/2 connection know of each other, as far as a new codec has to know it.

use super::{
    entries::{Entry, EntryReader},
    frames::{
        self, DATA, END_STREAM, FrameHead, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, Scanned, WINDOW_UPDATE,
    },
    open_streams::OpenStreams,
};

/// The window of a connection at its beginning (RFC 9113, section 6.9.2).
const INITIAL_WINDOW_BYTES: i64 = 65_535;
pub(super) const SETTINGS_HEADER_TABLE_SIZE: u16 = 1;
/// The settings that the codec knows: SETTINGS_HEADER_TABLE_SIZE to SETTINGS_MAX_HEADER_LIST_SIZE.
const SETTINGS_OF_CLIENTS: std::ops::RangeInclusive<u16> = 1..=6;

/// Follows what passes in both directions.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// The client's newest ones, by their identifiers.
    settings: Vec<(u16, u32)>,
    /// Bytes of bodies that the server may send.
    send_window: i64,
    /// Bytes of bodies that the client may send.
    receive_window: i64,
    streams: OpenStreams,
    /// SETTINGS of the server that the client has not acknowledged.
    unacknowledged: u32,
    /// SETTINGS and PING of the client that the server has not acknowledged.
    to_acknowledge: u32,
    /// Whether an end announced that the connection ends.
    is_ending: bool,
    /// SETTINGS of the client so far.
    settings_frames: u32,
    /// Whether the client has changed the size of the server's table of fields after its first SETTINGS. The codec may still
    /// have to say so in its next field block, which a new one would not.
    has_resized: bool,
    received: EntryReader,
    sent: EntryReader,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        ConnectionState {
            settings: Vec::new(),
            send_window: INITIAL_WINDOW_BYTES,
            receive_window: INITIAL_WINDOW_BYTES,
            streams: OpenStreams::default(),
            unacknowledged: 0,
            to_acknowledge: 0,
            is_ending: false,
            settings_frames: 0,
            has_resized: false,
            received: EntryReader::default(),
            sent: EntryReader::default(),
        }
    }

    /// Notes what came from the client.
    pub(super) fn received(&mut self, part: Scanned<'_>) {
        match part {
            Scanned::Head(head) => {
                self.received.begin(head);
                self.received_frame(head);
            }
            Scanned::Payload(mut payload) => {
                while let Some(entry) = self.received.next(&mut payload) {
                    match entry {
                        Entry::Setting(id, value) => self.set(id, value),
                        Entry::Increment(bytes) => self.send_window += i64::from(bytes),
                    }
                }
            }
        }
    }

    fn received_frame(&mut self, head: FrameHead) {
        match head.kind {
            DATA => self.receive_window -= i64::from(head.length),
            // None is begun any more on a connection that ends, whatever the client sends.
            HEADERS if !self.is_ending => self.streams.begin(head.stream),
            RST_STREAM => self.streams.reset(head.stream),
            SETTINGS if head.is_settings_ack() => self.unacknowledged = self.unacknowledged.saturating_sub(1),
            SETTINGS => {
                self.settings_frames = self.settings_frames.saturating_add(1);
                self.to_acknowledge += 1;
            }
            PING if !head.has(frames::ACK) => self.to_acknowledge += 1,
            GOAWAY => self.is_ending = true,
            _ => {}
        }
        if matches!(head.kind, DATA | HEADERS) && head.has(END_STREAM) {
            self.streams.received_end(head.stream);
        }
    }

    /// Notes what goes to the client.
    pub(super) fn sent(&mut self, part: Scanned<'_>) {
        match part {
            Scanned::Head(head) => {
                self.sent.begin(head);
                self.sent_frame(head);
            }
            Scanned::Payload(mut payload) => {
                while let Some(entry) = self.sent.next(&mut payload) {
                    if let Entry::Increment(bytes) = entry {
                        self.receive_window += i64::from(bytes);
                    }
                }
            }
        }
    }

    fn sent_frame(&mut self, head: FrameHead) {
        match head.kind {
            DATA => self.send_window -= i64::from(head.length),
            RST_STREAM => self.streams.reset(head.stream),
            SETTINGS if !head.is_settings_ack() => self.unacknowledged += 1,
            SETTINGS => self.to_acknowledge = self.to_acknowledge.saturating_sub(1),
            PING if head.has(frames::ACK) => self.to_acknowledge = self.to_acknowledge.saturating_sub(1),
            GOAWAY => self.is_ending = true,
            _ => {}
        }
        if matches!(head.kind, DATA | HEADERS) && head.has(END_STREAM) {
            self.streams.sent_end(head.stream);
        }
    }

    fn set(&mut self, id: u16, value: u32) {
        self.has_resized |= self.settings_frames > 1 && id == SETTINGS_HEADER_TABLE_SIZE;
        match self.settings.iter_mut().find(|setting| setting.0 == id) {
            Some(setting) => setting.1 = value,
            None if SETTINGS_OF_CLIENTS.contains(&id) => self.settings.push((id, value)),
            None => {}
        }
    }

    /// Whether no stream is open, no acknowledgement is on its way, and a new codec can be told all there is to know. It
    /// begins with the window of a new connection, and a window can be widened but not narrowed.
    pub(super) fn is_at_rest(&self) -> bool {
        self.streams.is_empty()
            && self.unacknowledged == 0
            && self.to_acknowledge == 0
            && !self.is_ending
            && !self.has_resized
            && self.send_window >= INITIAL_WINDOW_BYTES
    }

    /// What a new codec has to read first, as if the connection began.
    pub(super) fn preface(&self) -> Vec<u8> {
        let settings: Vec<u8> = self
            .settings
            .iter()
            .flat_map(|(id, value)| id.to_be_bytes().into_iter().chain(value.to_be_bytes()))
            .collect();
        let mut preface = PREFACE.to_vec();
        preface.extend(frames::encode(SETTINGS, 0, 0, &settings));
        // Those of the codec are those of the codec before, which the client has acknowledged: bodies may be as long from the
        // first byte on.
        preface.extend(frames::encode(SETTINGS, frames::ACK, 0, &[]));
        let widened = u32::try_from(self.send_window - INITIAL_WINDOW_BYTES).unwrap_or(0);
        if widened > 0 {
            preface.extend(frames::encode(WINDOW_UPDATE, 0, 0, &widened.to_be_bytes()));
        }
        preface
    }

    /// How much the client may send beyond the window that a new codec begins with.
    pub(super) fn received_window_beyond_initial(&self) -> i64 {
        self.receive_window - INITIAL_WINDOW_BYTES
    }

    /// The newest stream that the client began; 0 before the first.
    pub(super) fn last_stream(&self) -> u32 {
        self.streams.last()
    }

    /// Returns memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.settings.shrink_to_fit();
        self.streams.shrink();
    }
}
