//! Validation of the circuit breaker.

use crate::{
    Code, Error, Result,
    module::{BUCKET_LIMIT, CircuitBreaker},
};

/// Validates the module.
///
/// # Errors
/// The code of the first value out of range, with the `field` detail.
pub fn circuit_breaker(module: &CircuitBreaker) -> Result<()> {
    let (code, field, sentence) = if !(0.0..=1.0).contains(&module.error_threshold_percentage) {
        let sentence = "`error_threshold_percentage` is a share from 0 to 1: write 0.25 for a quarter.".to_owned();
        (Code::CircuitThreshold, "error_threshold_percentage", sentence)
    } else if module.tripped_duration == 0 {
        let sentence = "`tripped_duration` is at least 1 second; leave it out for 10.".to_owned();
        (Code::CircuitDuration, "tripped_duration", sentence)
    } else if module.rolling_window == 0 {
        let sentence = "`rolling_window` is at least 1 second; leave it out for 10.".to_owned();
        (Code::CircuitWindow, "rolling_window", sentence)
    } else if !(1..=BUCKET_LIMIT).contains(&module.num_buckets) {
        let sentence = format!("`num_buckets` is {}; it goes from 1 to {BUCKET_LIMIT}.", module.num_buckets);
        (Code::CircuitBuckets, "num_buckets", sentence)
    } else {
        return Ok(());
    };
    Err(Error::new(code, sentence).with("field", field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_has_its_code_and_its_ends_are_within() {
        let usual = CircuitBreaker::default();
        for fine in [
            CircuitBreaker { error_threshold_percentage: 0.0, ..usual.clone() },
            CircuitBreaker { error_threshold_percentage: 1.0, ..usual.clone() },
            CircuitBreaker { num_buckets: 1, volume_threshold: 0, ..usual.clone() },
            CircuitBreaker { num_buckets: 128, tripped_duration: 1, rolling_window: u32::MAX, ..usual.clone() },
        ] {
            assert_eq!(circuit_breaker(&fine), Ok(()), "{fine:?}");
        }
        for (wrong, code) in [
            (CircuitBreaker { error_threshold_percentage: 1.01, ..usual.clone() }, Code::CircuitThreshold),
            (CircuitBreaker { error_threshold_percentage: -0.01, ..usual.clone() }, Code::CircuitThreshold),
            (CircuitBreaker { error_threshold_percentage: f64::NAN, ..usual.clone() }, Code::CircuitThreshold),
            (CircuitBreaker { tripped_duration: 0, ..usual.clone() }, Code::CircuitDuration),
            (CircuitBreaker { rolling_window: 0, ..usual.clone() }, Code::CircuitWindow),
            (CircuitBreaker { num_buckets: 0, ..usual.clone() }, Code::CircuitBuckets),
            (CircuitBreaker { num_buckets: 129, ..usual }, Code::CircuitBuckets),
        ] {
            assert_eq!(circuit_breaker(&wrong).map_err(|error| error.code), Err(code), "{wrong:?}");
        }
    }
}
