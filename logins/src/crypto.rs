//! Random tokens, and the digests under which they are stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// A secret of 256 random bits, in characters that cookies and URLs take unescaped.
pub(crate) fn random_token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// The SHA-256 digest of several parts. Each part is preceded by its length, so moving a boundary changes the digest.
pub(crate) fn digest<P: AsRef<[u8]>>(parts: &[P]) -> [u8; 32] {
    let mut context = aws_lc_rs::digest::Context::new(&aws_lc_rs::digest::SHA256);
    for part in parts.iter().map(P::as_ref) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut digest = [0; 32];
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        use std::fmt::Write;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundaries_between_parts_count() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
