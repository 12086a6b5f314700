//! A budget of HTTP/2 frames that bring no request and no body any further: PING, WINDOW_UPDATE, PRIORITY, SETTINGS,
//! RST_STREAM and unknown ones (RFC 9113, section 10.5).

use tokio::time::Instant;

/// Such frames that a connection may send in a row.
const BURST: u64 = 10_000;
/// Such frames that it may send for ever.
const PER_SECOND: u64 = 1_000;
/// Bytes sent to the visitor that allow one more: WINDOW_UPDATE frames follow what was sent.
const BYTES_PER_FRAME: u64 = 32;
/// More of them for each request.
const PER_REQUEST: u64 = 4;

const PREFACE_BYTES: u32 = 24;
const FRAME_HEAD_BYTES: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

/// The frames that a connection may still send. The clock is looked at only when they are used up.
#[derive(Debug)]
pub(super) struct FrameBudget {
    /// Bytes until the next frame begins.
    skip: u32,
    head: [u8; FRAME_HEAD_BYTES],
    filled: usize,
    left: u64,
    sent_bytes: u64,
    refilled: Instant,
}

impl FrameBudget {
    pub(super) fn new() -> Self {
        FrameBudget {
            skip: PREFACE_BYTES,
            head: [0; FRAME_HEAD_BYTES],
            filled: 0,
            left: BURST,
            sent_bytes: 0,
            refilled: Instant::now(),
        }
    }

    /// Counts bytes that were sent to the visitor.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.sent_bytes += bytes as u64;
        self.left = BURST.min(self.left + self.sent_bytes / BYTES_PER_FRAME);
        self.sent_bytes %= BYTES_PER_FRAME;
    }

    /// Takes received bytes in. `false` once the budget is exceeded.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let skipped = bytes.len().min(self.skip as usize);
            self.skip -= skipped as u32;
            bytes = &bytes[skipped..];
            let taken = bytes.len().min(FRAME_HEAD_BYTES - self.filled);
            self.head[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            bytes = &bytes[taken..];
            if self.filled == FRAME_HEAD_BYTES && !self.take_frame() {
                return false;
            }
        }
        true
    }

    fn take_frame(&mut self) -> bool {
        let [a, b, c, kind, ..] = self.head;
        (self.filled, self.skip) = (0, u32::from_be_bytes([0, a, b, c]));
        match kind {
            DATA | CONTINUATION => true,
            HEADERS => {
                self.left = BURST.min(self.left + PER_REQUEST);
                true
            }
            _ => self.spend(),
        }
    }

    fn spend(&mut self) -> bool {
        if self.left == 0 {
            let now = Instant::now();
            let elapsed = u64::try_from((now - self.refilled).as_millis()).unwrap_or(u64::MAX);
            self.left = BURST.min(elapsed.saturating_mul(PER_SECOND) / 1000);
            self.refilled = now;
        }
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const PING: u8 = 6;
    const WINDOW_UPDATE: u8 = 8;

    fn frame(kind: u8, payload: usize) -> Vec<u8> {
        let mut frame = (payload as u32).to_be_bytes()[1..].to_vec();
        frame.extend_from_slice(&[kind, 0, 0, 0, 0, 0]);
        frame.resize(FRAME_HEAD_BYTES + payload, 0xff);
        frame
    }

    fn begun() -> FrameBudget {
        let mut budget = FrameBudget::new();
        assert!(budget.feed(&[0; PREFACE_BYTES as usize]));
        budget
    }

    #[tokio::test(start_paused = true)]
    async fn frames_without_progress_are_limited_however_they_are_split() {
        for piece in [1, 7, 4096] {
            let mut budget = begun();
            let flood = frame(PING, 8).repeat(BURST as usize + 1);
            let taken = flood.chunks(piece).take_while(|piece| budget.feed(piece)).map(<[u8]>::len).sum::<usize>();
            let frames = taken / frame(PING, 8).len();
            assert!((BURST as usize - 300..=BURST as usize).contains(&frames), "{frames} in pieces of {piece}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_makes_progress_is_not_counted() {
        let mut budget = begun();
        for _ in 0..3 * BURST {
            assert!(budget.feed(&frame(DATA, 100)) && budget.feed(&frame(HEADERS, 40)));
        }
        for _ in 0..3 * BURST {
            budget.sent(2 * BYTES_PER_FRAME as usize);
            assert!(budget.feed(&frame(WINDOW_UPDATE, 4)) && budget.feed(&frame(WINDOW_UPDATE, 4)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_steady_rate_is_allowed_for_ever() {
        let mut budget = begun();
        for _ in 0..100 {
            for _ in 0..PER_SECOND {
                assert!(budget.feed(&frame(PING, 8)));
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    }
}
