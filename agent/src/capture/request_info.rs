//! Facts about a captured request that are known once its head has passed and never change.

use postern_api::local::ReplayPath;
use std::sync::Arc;

/// The tunnel that a request came through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelTag {
    /// The name in the configuration.
    pub definition: String,
    /// `http`, `https` or `tcp`.
    pub proto: &'static str,
}

impl TunnelTag {
    /// The name as captured requests show it, followed by the protocol in parentheses.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.definition, self.proto)
    }

    /// Whether `name` is the name of this tunnel, bare or as it is shown.
    pub(crate) fn is_called(&self, name: &str, same: fn(&str, &str) -> bool) -> bool {
        let shown = || {
            let (bare, proto) = name.strip_suffix(')')?.rsplit_once(" (")?;
            Some(same(bare, &self.definition) && same(proto, self.proto))
        };
        same(name, &self.definition) || shown().unwrap_or_default()
    }
}

/// Facts about a request that its head tells.
#[derive(Clone, Debug)]
pub(crate) struct RequestInfo {
    pub(crate) tunnel: Arc<TunnelTag>,
    pub(crate) texts: PackedTexts,
    pub(crate) replay_of: Option<u64>,
    /// The edge's trace of its decisions, as JSON that is parsed on demand.
    pub(crate) trace: Option<Vec<u8>>,
    /// Read from a file instead of captured here.
    pub(crate) imported: bool,
    /// A replay that was sent through the edge, as a visitor sends requests.
    pub(crate) through_edge: bool,
    /// Of HTTP/2, in the form that HTTP/1.1 gives it.
    pub(crate) http2: bool,
}

/// The texts of a request's head, one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestTexts<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) host: &'a str,
    pub(crate) remote: &'a str,
}

/// [`RequestTexts`] in one allocation, because every captured request has them.
#[derive(Clone, Debug)]
pub(crate) struct PackedTexts {
    all: Box<str>,
    /// End offsets of all texts but the last.
    ends: [u32; 3],
}

impl PackedTexts {
    pub(crate) fn new(texts: RequestTexts<'_>) -> Self {
        let RequestTexts { method, target, host, remote } = texts;
        let all = [method, target, host, remote].concat().into_boxed_str();
        let ends = [method.len(), method.len() + target.len(), method.len() + target.len() + host.len()];
        PackedTexts { all, ends: ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)) }
    }

    fn between(&self, from: u32, to: usize) -> &str {
        self.all.get(from as usize..to).unwrap_or_default()
    }
}

impl RequestInfo {
    /// A request that comes through a tunnel.
    pub(crate) fn new(tunnel: Arc<TunnelTag>, texts: RequestTexts<'_>) -> Self {
        let texts = PackedTexts::new(texts);
        RequestInfo { tunnel, texts, replay_of: None, trace: None, imported: false, through_edge: false, http2: false }
    }

    pub(crate) fn method(&self) -> &str {
        self.texts.between(0, self.texts.ends[0] as usize)
    }

    /// The request target of the first line (RFC 9112 section 3.2).
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

    /// Bytes of memory beside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.texts.all.len() + self.trace.as_ref().map_or(0, Vec::capacity)
    }

    /// The path that a replay took.
    pub(crate) fn replayed_through(&self) -> Option<ReplayPath> {
        self.replay_of.map(|_| if self.through_edge { ReplayPath::Edge } else { ReplayPath::Local })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texts_are_read_back_unchanged() {
        let tunnel = Arc::new(TunnelTag { definition: "a".into(), proto: "http" });
        for [method, target, host, remote] in
            [["GET", "/é?x", "h:1", "192.0.2.1"], ["", "", "", ""], ["M", "", "h", ""]]
        {
            let info = RequestInfo::new(tunnel.clone(), RequestTexts { method, target, host, remote });
            assert_eq!([info.method(), info.target(), info.host(), info.remote()], [method, target, host, remote]);
        }
    }
}
