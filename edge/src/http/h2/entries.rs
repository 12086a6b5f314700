//! The numbers in SETTINGS and WINDOW_UPDATE frames (RFC 9113, sections 6.5.1 and 6.9).

use super::frames::{FrameHead, SETTINGS, WINDOW_UPDATE};

/// One of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Setting(u16, u32),
    /// By how much the window of the connection grows.
    Increment(u32),
}

/// Reads these numbers from payloads that arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct EntryReader {
    /// Bytes of an entry; 0 in frames that have none.
    size: u8,
    bytes: [u8; 6],
    filled: u8,
}

impl EntryReader {
    /// Begins with the payload of this frame.
    pub(super) fn begin(&mut self, head: FrameHead) {
        self.filled = 0;
        self.size = match head.kind {
            SETTINGS if !head.is_settings_ack() => 6,
            WINDOW_UPDATE if head.stream == 0 => 4,
            _ => 0,
        };
    }

    /// Takes the next entry from the beginning of `payload`. `None` once all of it is taken, or there are no entries in it.
    pub(super) fn next(&mut self, payload: &mut &[u8]) -> Option<Entry> {
        if self.size == 0 {
            return None;
        }
        let missing = &mut self.bytes[usize::from(self.filled)..usize::from(self.size)];
        let (taken, rest) = payload.split_at(payload.len().min(missing.len()));
        missing[..taken.len()].copy_from_slice(taken);
        (*payload, self.filled) = (rest, self.filled + taken.len() as u8);
        if self.filled < self.size {
            return None;
        }
        self.filled = 0;
        let [a, b, c, d, e, f] = self.bytes;
        Some(match self.size {
            6 => Entry::Setting(u16::from_be_bytes([a, b]), u32::from_be_bytes([c, d, e, f])),
            _ => Entry::Increment(u32::from_be_bytes([a, b, c, d]) & 0x7fff_ffff),
        })
    }
}
