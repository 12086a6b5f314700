//! Samples frequent events: at most a fixed number in each second.

use std::sync::atomic::{AtomicU64, Ordering};

/// Takes the first `PER_SECOND` events of each second.
#[derive(Debug, Default)]
pub(crate) struct LogSampler<const PER_SECOND: u32>(AtomicU64);

impl<const PER_SECOND: u32> LogSampler<PER_SECOND> {
    /// Whether this one is taken.
    pub(crate) fn takes(&self) -> bool {
        self.takes_in(postern_api::clock::now().as_second().unsigned_abs())
    }

    /// The second in the upper half, how many were taken in it in the lower one.
    fn takes_in(&self, second: u64) -> bool {
        let second = second << 32;
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| {
            let before = if state >> 32 == second >> 32 { state } else { second };
            (before - second < u64::from(PER_SECOND)).then_some(before + 1)
        });
        taken.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_of_each_second_are_taken() {
        let sample = LogSampler::<2>::default();
        let taken = [7, 7, 7, 8, 8, 8, 8, 10].map(|second| sample.takes_in(second));
        assert_eq!(taken, [true, true, false, true, true, false, false, true]);
    }
}
