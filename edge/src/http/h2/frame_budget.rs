//! A budget of HTTP/2 frames that bring no request and no body any further: PING, WINDOW_UPDATE, PRIORITY, SETTINGS,
//! RST_STREAM and unknown ones (RFC 9113, section 10.5).

use super::frames::{CONTINUATION, DATA, HEADERS};
use tokio::time::Instant;

/// Such frames that a connection may send in a row.
const BURST: u64 = 10_000;
/// Such frames that it may send for ever.
const PER_SECOND: u64 = 1_000;
/// Bytes sent to the visitor that allow one more: WINDOW_UPDATE frames follow what was sent.
const BYTES_PER_FRAME: u64 = 32;
/// More of them for each request.
const PER_REQUEST: u64 = 4;

/// The frames that a connection may still send. The clock is looked at only when they are used up.
#[derive(Debug)]
pub(super) struct FrameBudget {
    left: u64,
    sent_bytes: u64,
    refilled: Instant,
}

impl FrameBudget {
    pub(super) fn new() -> Self {
        FrameBudget { left: BURST, sent_bytes: 0, refilled: Instant::now() }
    }

    /// Counts bytes that were sent to the visitor.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.sent_bytes += bytes as u64;
        self.left = BURST.min(self.left + self.sent_bytes / BYTES_PER_FRAME);
        self.sent_bytes %= BYTES_PER_FRAME;
    }

    /// Counts a frame of this kind that came from the visitor. `false` once the budget is exceeded.
    pub(super) fn take(&mut self, kind: u8) -> bool {
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
    use crate::http::h2::frames::{PING, WINDOW_UPDATE};
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn frames_without_progress_are_limited() {
        let mut budget = FrameBudget::new();
        assert_eq!((0..2 * BURST).take_while(|_| budget.take(PING)).count() as u64, BURST);
    }

    #[tokio::test(start_paused = true)]
    async fn what_makes_progress_is_not_counted() {
        let mut budget = FrameBudget::new();
        for _ in 0..3 * BURST {
            assert!(budget.take(DATA) && budget.take(HEADERS));
        }
        for _ in 0..3 * BURST {
            budget.sent(2 * BYTES_PER_FRAME as usize);
            assert!(budget.take(WINDOW_UPDATE) && budget.take(WINDOW_UPDATE));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_steady_rate_is_allowed_for_ever() {
        let mut budget = FrameBudget::new();
        for _ in 0..100 {
            for _ in 0..PER_SECOND {
                assert!(budget.take(PING));
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    }
}
