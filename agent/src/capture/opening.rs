//! What is known of a captured request when its head has passed, and never changes.

use std::sync::Arc;

/// Which tunnel a request came through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelTag {
    /// The name in the configuration.
    pub definition: String,
    /// `http`, `https` or `tcp`.
    pub proto: &'static str,
}

impl TunnelTag {
    /// As captured requests show it: the name, then the protocol in parentheses.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.definition, self.proto)
    }

    /// Whether this is its name, bare or as it is shown.
    pub(crate) fn is_called(&self, name: &str, same: fn(&str, &str) -> bool) -> bool {
        let shown = || {
            let (bare, proto) = name.strip_suffix(')')?.rsplit_once(" (")?;
            Some(same(bare, &self.definition) && same(proto, self.proto))
        };
        same(name, &self.definition) || shown().unwrap_or_default()
    }
}

/// What is known of a request when its head has passed.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) tunnel: Arc<TunnelTag>,
    pub(crate) remote: String,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) host: String,
    pub(crate) replay_of: Option<u64>,
    /// Why the edge let it through, as it said so; parsed when somebody looks.
    pub(crate) trace: Option<Vec<u8>>,
    /// It did not pass here: it was read from a file.
    pub(crate) imported: bool,
    /// A replay that went the way of every visitor.
    pub(crate) through_edge: bool,
}

impl Opening {
    /// Which way a replay went.
    pub(crate) fn replayed_through(&self) -> Option<&'static str> {
        self.replay_of.map(|_| if self.through_edge { "edge" } else { "local" })
    }
}
