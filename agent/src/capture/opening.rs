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
    pub(crate) texts: Texts,
    pub(crate) replay_of: Option<u64>,
    /// Why the edge let it through, as it said so; parsed when somebody looks.
    pub(crate) trace: Option<Vec<u8>>,
    /// It did not pass here: it was read from a file.
    pub(crate) imported: bool,
    /// A replay that went the way of every visitor.
    pub(crate) through_edge: bool,
}

/// The texts of an opening, one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) host: &'a str,
    pub(crate) remote: &'a str,
}

/// The same in one piece of memory, as there are some for every captured request.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    all: Box<str>,
    /// Where each but the last one ends.
    ends: [u32; 3],
}

impl Texts {
    pub(crate) fn of(said: Said<'_>) -> Self {
        let Said { method, target, host, remote } = said;
        let all = [method, target, host, remote].concat().into_boxed_str();
        let ends = [method.len(), method.len() + target.len(), method.len() + target.len() + host.len()];
        Texts { all, ends: ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)) }
    }

    fn between(&self, from: u32, to: usize) -> &str {
        self.all.get(from as usize..to).unwrap_or_default()
    }
}

impl Opening {
    /// A request as it comes through a tunnel.
    pub(crate) fn of(tunnel: Arc<TunnelTag>, said: Said<'_>) -> Self {
        Opening { tunnel, texts: Texts::of(said), replay_of: None, trace: None, imported: false, through_edge: false }
    }

    pub(crate) fn method(&self) -> &str {
        self.texts.between(0, self.texts.ends[0] as usize)
    }

    /// What was asked for, as it stands in the first line.
    pub(crate) fn target(&self) -> &str {
        self.texts.between(self.texts.ends[0], self.texts.ends[1] as usize)
    }

    pub(crate) fn host(&self) -> &str {
        self.texts.between(self.texts.ends[1], self.texts.ends[2] as usize)
    }

    /// The visitor's address.
    pub(crate) fn remote(&self) -> &str {
        self.texts.between(self.texts.ends[2], self.texts.all.len())
    }

    /// Bytes of memory beside the opening itself.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.all.len() + self.trace.as_ref().map_or(0, Vec::capacity)
    }

    /// Which way a replay went.
    pub(crate) fn replayed_through(&self) -> Option<&'static str> {
        self.replay_of.map(|_| if self.through_edge { "edge" } else { "local" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_they_were_said() {
        let tunnel = Arc::new(TunnelTag { definition: "a".into(), proto: "http" });
        for [method, target, host, remote] in
            [["GET", "/é?x", "h:1", "192.0.2.1"], ["", "", "", ""], ["M", "", "h", ""]]
        {
            let opening = Opening::of(tunnel.clone(), Said { method, target, host, remote });
            assert_eq!(
                [opening.method(), opening.target(), opening.host(), opening.remote()],
                [method, target, host, remote]
            );
        }
    }
}
