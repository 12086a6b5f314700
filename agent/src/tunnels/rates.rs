//! Exponentially weighted rates per second over 1, 5 and 15 minutes, as load averages are kept.

use std::time::Duration;
use tokio::time::Instant;

const TICK: Duration = Duration::from_secs(5);
const WINDOWS: [f64; 3] = [60.0, 300.0, 900.0];

/// The three rates. They change at ticks of five seconds only, computed when somebody marks or looks.
pub(super) struct Rates {
    last_tick: Instant,
    unticked: u64,
    rates: Option<[f64; 3]>,
}

impl Rates {
    pub(super) fn new(now: Instant) -> Self {
        Rates { last_tick: now, unticked: 0, rates: None }
    }

    /// One more has happened.
    pub(super) fn mark(&mut self, now: Instant) {
        self.catch_up(now);
        self.unticked += 1;
    }

    /// The rates of this moment.
    pub(super) fn at(&mut self, now: Instant) -> [f64; 3] {
        self.catch_up(now);
        self.rates.unwrap_or_default()
    }

    fn catch_up(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.last_tick);
        let ticks = u32::try_from(elapsed.as_nanos() / TICK.as_nanos()).unwrap_or(u32::MAX);
        if ticks == 0 {
            return;
        }
        let seen = self.unticked as f64 / TICK.as_secs_f64();
        self.unticked = 0;
        let rates = match self.rates {
            // Nothing is known of the time before, so the first tick is taken at its word.
            None => [seen; 3],
            Some(rates) => std::array::from_fn(|index| rates[index] + weight(index) * (seen - rates[index])),
        };
        // All later ticks saw nothing.
        let quiet = f64::from(ticks - 1);
        self.rates = Some(std::array::from_fn(|index| rates[index] * (1.0 - weight(index)).powf(quiet)));
        self.last_tick += TICK * ticks;
    }
}

fn weight(index: usize) -> f64 {
    1.0 - (-TICK.as_secs_f64() / WINDOWS[index]).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_stream_has_its_rate_in_all_windows() {
        let start = Instant::now();
        let mut rates = Rates::new(start);
        for tenth in 0..6000u64 {
            rates.mark(start + Duration::from_millis(tenth * 100));
        }
        for rate in rates.at(start + Duration::from_secs(600)) {
            assert!((rate - 10.0).abs() < 0.01, "{rate}");
        }
    }

    #[test]
    fn a_rate_decays_by_its_window() {
        let start = Instant::now();
        let mut rates = Rates::new(start);
        for _ in 0..50 {
            rates.mark(start);
        }
        let [one, five, fifteen] = rates.at(start + Duration::from_secs(65));
        let expected = |window: f64| 10.0 * (-60.0 / window).exp();
        for (rate, window) in [(one, 60.0), (five, 300.0), (fifteen, 900.0)] {
            assert!((rate - expected(window)).abs() < 1e-9, "{rate}");
        }
        assert!(rates.at(start + Duration::from_secs(1 << 40))[2] < 1e-9);
    }

    #[test]
    fn nothing_before_the_first_tick() {
        let start = Instant::now();
        let mut rates = Rates::new(start);
        rates.mark(start);
        assert_eq!(rates.at(start + Duration::from_secs(4)), [0.0; 3]);
    }
}
