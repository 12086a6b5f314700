//! The wall clock.

/// The current time. Logic that depends on time takes it as a parameter, so that tests can choose it.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}
