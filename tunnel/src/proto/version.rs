//! Negotiation of the message version.

use super::shared_frame::SharedLimits;
use serde::{Deserialize, Serialize};

/// Inclusive range of message versions that one end understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRange {
    /// Oldest version.
    pub oldest: u16,
    /// Newest version.
    pub newest: u16,
}

impl VersionRange {
    /// Versions of this build. Version 2 added stream metadata; version 3 added modules of tunnels, and TLS tunnels;
    /// version 4 added agents that drain, the flow control of overflow streams, and counts of visitors; version 5 added
    /// metadata about single requests on streams of HTTP/2; version 6 added connections that streams share, and version 7 lets
    /// more streams share one.
    pub const SUPPORTED: VersionRange = VersionRange { oldest: 1, newest: 7 };

    /// Whether streams may carry metadata in a session of this version.
    pub fn has_stream_metadata(version: u16) -> bool {
        version >= 2
    }

    /// Whether a session of this version supports modules of tunnels, and TLS tunnels.
    pub fn has_modules(version: u16) -> bool {
        version >= 3
    }

    /// Whether the agent of a session of this version may drain it.
    pub fn has_agent_drain(version: u16) -> bool {
        version >= 4
    }

    /// Whether overflow streams of a session of this version send only as much as the peer has granted.
    pub fn has_overflow_credit(version: u16) -> bool {
        version >= 4
    }

    /// Whether the server of a session of this version counts the connections of visitors to HTTP tunnels.
    pub fn has_visitor_counts(version: u16) -> bool {
        version >= 4
    }

    /// Whether the metadata of HTTP/2 streams in a session of this version are [notes](super::request_note).
    pub fn has_request_notes(version: u16) -> bool {
        version >= 5
    }

    /// Limits of the [connections](super::shared_frame) that streams of a session of this version share; `None` if they share none.
    pub fn shared_limits(version: u16) -> Option<SharedLimits> {
        match version {
            ..6 => None,
            6 => Some(SharedLimits::FORMER),
            7.. => Some(SharedLimits::CURRENT),
        }
    }

    /// Newest version that both ends understand, if any.
    pub fn newest_shared(self, other: VersionRange) -> Option<u16> {
        let newest = self.newest.min(other.newest);
        (newest >= self.oldest.max(other.oldest)).then_some(newest)
    }
}

impl Default for VersionRange {
    fn default() -> Self {
        VersionRange::SUPPORTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(oldest: u16, newest: u16) -> VersionRange {
        VersionRange { oldest, newest }
    }

    #[test]
    fn the_newest_shared_version_wins() {
        assert_eq!(versions(1, 3).newest_shared(versions(2, 5)), Some(3));
        assert_eq!(versions(2, 5).newest_shared(versions(1, 3)), Some(3));
        assert_eq!(versions(4, 4).newest_shared(versions(1, 9)), Some(4));
    }

    #[test]
    fn ranges_that_do_not_meet_share_nothing() {
        assert_eq!(versions(1, 2).newest_shared(versions(3, 4)), None);
        assert_eq!(versions(3, 4).newest_shared(versions(1, 2)), None);
        assert_eq!(versions(5, 1).newest_shared(versions(1, 9)), None, "a range upside down is empty");
    }
}
