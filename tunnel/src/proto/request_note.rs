//! Stream metadata about one of the many requests on a stream of HTTP/2. The server does not learn on which of its
//! streams HTTP/2 sends a request, so a note names it by a digest of its fields.

/// Fields that the sender may still add or change, and `:scheme`, which says nothing about the request.
const IGNORED: [&[u8]; 3] = [b":scheme", b"content-length", b"te"];

const DIGEST_BYTES: usize = 8;

/// Digest of the fields of one request, in any order. Requests with the same fields have the same digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestDigest(u64);

impl RequestDigest {
    /// Adds a field, or a pseudo-header. Names are lowercase.
    pub fn add(&mut self, name: &[u8], value: &[u8]) {
        if !IGNORED.contains(&name) {
            self.0 = self.0.wrapping_add(hash(name.iter().chain(b"\0").chain(value)));
        }
    }

    /// The metadata that carries a note about the request.
    pub fn with_note(self, note: &[u8]) -> Vec<u8> {
        [&self.0.to_be_bytes(), note].concat()
    }

    /// Reads what [`with_note`](Self::with_note) wrote: the request's digest, and the note. `None` if it is too short.
    pub fn read(metadata: &[u8]) -> Option<(RequestDigest, &[u8])> {
        let (digest, note) = metadata.split_first_chunk::<DIGEST_BYTES>()?;
        Some((RequestDigest(u64::from_be_bytes(*digest)), note))
    }
}

/// FNV-1a with 64 bits.
fn hash<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(fields: &[(&str, &str)]) -> RequestDigest {
        let mut digest = RequestDigest::default();
        fields.iter().for_each(|(name, value)| digest.add(name.as_bytes(), value.as_bytes()));
        digest
    }

    #[test]
    fn the_digest_depends_on_the_fields_but_not_on_their_order() {
        let one = digest(&[(":path", "/a"), ("cookie", "x"), ("cookie", "y")]);
        assert_eq!(one, digest(&[("cookie", "y"), (":path", "/a"), ("te", "trailers"), ("cookie", "x")]));
        for other in [&[(":path", "/a"), ("cookie", "x")][..], &[(":path", "/b")], &[("cookie", "xy")], &[]] {
            assert_ne!(one, digest(other), "{other:?}");
        }
        assert_ne!(digest(&[("a", "bc")]), digest(&[("ab", "c")]));
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let digest = digest(&[(":path", "/a")]);
        assert_eq!(RequestDigest::read(&digest.with_note(b"{}")), Some((digest, &b"{}"[..])));
        assert_eq!(RequestDigest::read(b"1234567"), None);
    }
}
