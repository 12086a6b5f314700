//! The circuit breaker module: a backend that fails too often is left alone for a while.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most buckets a rolling window may have.
pub const BUCKET_LIMIT: u32 = 128;

/// Circuit breaker: stops sending requests to a backend that fails too often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CircuitBreaker {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Seconds to wait after the circuit has tripped before the backend is tried again, at least 1.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub tripped_duration: u32,
    /// Seconds that requests are remembered, at least 1.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub rolling_window: u32,
    /// The parts in which the window moves on, 1 to [`BUCKET_LIMIT`].
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 128))]
    pub num_buckets: u32,
    /// Minimum number of requests in the window before the share of errors is evaluated. Without errors the circuit stays
    /// closed at any volume.
    #[serde(default = "twenty")]
    #[schemars(range(max = 4_294_967_295_u32))]
    pub volume_threshold: u32,
    /// The share of errors that trips the circuit, 0 to 1.
    #[serde(default = "half")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub error_threshold_percentage: f64,
}

/// The circuit breaker module in responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CircuitBreakerView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// Seconds to wait after the circuit has tripped.
    pub tripped_duration: u32,
    /// Seconds that requests are remembered.
    pub rolling_window: u32,
    /// The parts in which the window moves on.
    pub num_buckets: u32,
    /// Minimum number of requests in the window before the share of errors is evaluated.
    pub volume_threshold: u32,
    /// The share of errors that trips the circuit.
    pub error_threshold_percentage: f64,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        CircuitBreaker {
            enabled: true,
            tripped_duration: ten(),
            rolling_window: ten(),
            num_buckets: ten(),
            volume_threshold: twenty(),
            error_threshold_percentage: half(),
        }
    }
}

impl Module for CircuitBreaker {
    const NAME: &'static str = "circuit_breaker";
    type View = CircuitBreakerView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

fn ten() -> u32 {
    10
}
fn twenty() -> u32 {
    20
}
fn half() -> f64 {
    0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_takes_its_default() {
        let read: CircuitBreaker = serde_json::from_str("{}").expect("nothing is needed");
        assert_eq!(read, CircuitBreaker::default());
        let read: CircuitBreaker = serde_json::from_str(r#"{"num_buckets":3}"#).expect("one is said");
        assert_eq!(read, CircuitBreaker { num_buckets: 3, ..CircuitBreaker::default() });
    }
}
