//! The source of the current time.

/// Returns the current time. Tests replace it with a clock that they advance.
pub type Clock = std::sync::Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;
