//! Which versions of the messages two ends share.

use serde::{Deserialize, Serialize};

/// A closed range of message versions that one end understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// The oldest one.
    pub oldest: u16,
    /// The newest one.
    pub newest: u16,
}

impl Versions {
    /// What this build understands. Since 2 streams may carry notes; since 3 tunnels may have modules, and speak TLS.
    pub const SUPPORTED: Versions = Versions { oldest: 1, newest: 3 };

    /// Whether streams may carry notes in a session of this version.
    pub fn has_notes(version: u16) -> bool {
        version >= 2
    }

    /// Whether tunnels may have modules, and speak TLS, in a session of this version.
    pub fn has_modules(version: u16) -> bool {
        version >= 3
    }

    /// The newest version both ends understand, if there is one.
    pub fn shared_with(self, other: Versions) -> Option<u16> {
        let newest = self.newest.min(other.newest);
        (newest >= self.oldest.max(other.oldest)).then_some(newest)
    }
}

impl Default for Versions {
    fn default() -> Self {
        Versions::SUPPORTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(oldest: u16, newest: u16) -> Versions {
        Versions { oldest, newest }
    }

    #[test]
    fn the_newest_shared_version_wins() {
        assert_eq!(versions(1, 3).shared_with(versions(2, 5)), Some(3));
        assert_eq!(versions(2, 5).shared_with(versions(1, 3)), Some(3));
        assert_eq!(versions(4, 4).shared_with(versions(1, 9)), Some(4));
    }

    #[test]
    fn ranges_that_do_not_meet_share_nothing() {
        assert_eq!(versions(1, 2).shared_with(versions(3, 4)), None);
        assert_eq!(versions(3, 4).shared_with(versions(1, 2)), None);
        assert_eq!(versions(5, 1).shared_with(versions(1, 9)), None, "a range upside down is empty");
    }
}
