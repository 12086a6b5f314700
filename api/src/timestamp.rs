//! Timestamps of the API: RFC 3339, UTC, whole seconds.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A timestamp truncated to whole seconds: `2026-11-20T13:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// The timestamp of a clock reading.
    pub fn new(moment: jiff::Timestamp) -> Self {
        Timestamp(jiff::Timestamp::from_second(moment.as_second()).unwrap_or(moment))
    }

    /// The current time of the wall clock. Time-dependent logic takes it as a parameter instead.
    pub fn now() -> Self {
        Timestamp::new(crate::clock::now())
    }

    /// Seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without a fraction, because there are whole seconds only.
        std::fmt::Display::fmt(&self.0, f)
    }
}
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        jiff::Timestamp::deserialize(deserializer).map(Timestamp::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_cut_and_the_zone_is_utc() {
        let read: Timestamp = serde_json::from_str("\"2024-05-23T22:36:22.987+02:00\"").expect("valid");
        assert_eq!(read.to_string(), "2024-05-23T20:36:22Z");
    }
}
