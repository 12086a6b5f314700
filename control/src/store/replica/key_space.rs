//! Keys in etcd: those of the store below a prefix. Others beside it are not ours.

use crate::store::etcd::messages::RangeRequest;

/// The prefix of all keys.
#[derive(Clone, Debug)]
pub(super) struct KeySpace {
    /// Ends with a slash.
    prefix: String,
}

impl KeySpace {
    pub(super) fn new(prefix: String) -> Self {
        KeySpace { prefix }
    }

    /// A key as etcd knows it.
    pub(super) fn full(&self, key: &str) -> Vec<u8> {
        [self.prefix.as_bytes(), key.as_bytes()].concat()
    }

    /// A key as the store knows it; `None` if it is not below the prefix, or no text.
    pub(super) fn own(&self, full: &[u8]) -> Option<String> {
        let key = full.strip_prefix(self.prefix.as_bytes())?;
        std::str::from_utf8(key).ok().map(str::to_owned)
    }

    /// First key and end of all keys with a prefix.
    pub(super) fn range(&self, prefix: &str) -> (Vec<u8>, Vec<u8>) {
        let first = self.full(prefix);
        let mut end = first.clone();
        // No byte of UTF-8 is 255.
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        (first, end)
    }

    /// A request for all keys with a prefix.
    pub(super) fn range_request(&self, prefix: &str) -> RangeRequest {
        let (key, range_end) = self.range(prefix);
        RangeRequest { key, range_end, ..RangeRequest::default() }
    }
}
