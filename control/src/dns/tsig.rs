//! Keys that sign messages to name servers (TSIG, RFC 8945), and their message authentication codes.

use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Secret;
use std::fmt;

/// Longest secret, in bytes.
const MAX_SECRET_BYTES: usize = 512;

/// Algorithms of message authentication codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TsigAlgorithm {
    /// HMAC with SHA-256.
    #[default]
    HmacSha256,
    /// HMAC with SHA-384.
    HmacSha384,
    /// HMAC with SHA-512.
    HmacSha512,
}

impl TsigAlgorithm {
    /// All of them.
    pub const ALL: [TsigAlgorithm; 3] =
        [TsigAlgorithm::HmacSha256, TsigAlgorithm::HmacSha384, TsigAlgorithm::HmacSha512];

    /// Its name in DNS.
    pub fn as_str(self) -> &'static str {
        match self {
            TsigAlgorithm::HmacSha256 => "hmac-sha256",
            TsigAlgorithm::HmacSha384 => "hmac-sha384",
            TsigAlgorithm::HmacSha512 => "hmac-sha512",
        }
    }

    fn hmac(self) -> hmac::Algorithm {
        match self {
            TsigAlgorithm::HmacSha256 => hmac::HMAC_SHA256,
            TsigAlgorithm::HmacSha384 => hmac::HMAC_SHA384,
            TsigAlgorithm::HmacSha512 => hmac::HMAC_SHA512,
        }
    }
}

impl fmt::Display for TsigAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A key that a name server knows, too. Its secret is never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TsigKey {
    /// In lower case, without a final dot.
    name: String,
    algorithm: TsigAlgorithm,
    /// In base 64.
    secret: Secret,
}

impl TsigKey {
    /// Whether a text can be the name of a key: labels of 1 to 63 visible characters, and at most 253 characters.
    pub fn is_name(text: &str) -> bool {
        let name = text.strip_suffix('.').unwrap_or(text);
        let fits = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_graphic());
        name.len() <= 253 && name.split('.').all(fits)
    }

    /// A key with its secret in base 64, as `tsig-keygen` prints it.
    ///
    /// # Errors
    /// If the name or the secret is unusable. The reason continues a sentence about it.
    pub fn new(name: &str, algorithm: TsigAlgorithm, secret: Secret) -> Result<Self, &'static str> {
        if !Self::is_name(name) {
            return Err("has a key without a name of DNS");
        }
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        let bytes =
            BASE64_STANDARD.decode(secret.reveal()).map_err(|_| "is not in base 64, as tsig-keygen prints it")?;
        if bytes.is_empty() || bytes.len() > MAX_SECRET_BYTES {
            return Err("is not a secret of 1 to 512 bytes");
        }
        Ok(TsigKey { name, algorithm, secret })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its algorithm.
    pub fn algorithm(&self) -> TsigAlgorithm {
        self.algorithm
    }

    /// Code of the parts, as one text.
    pub(super) fn sign(&self, parts: &[&[u8]]) -> Vec<u8> {
        let mut context = hmac::Context::with_key(&self.key());
        parts.iter().for_each(|part| context.update(part));
        context.sign().as_ref().to_vec()
    }

    /// Whether a code is that of the parts, in constant time. A shortened one is not.
    pub(super) fn verifies(&self, parts: &[&[u8]], code: &[u8]) -> bool {
        hmac::verify(&self.key(), &parts.concat(), code).is_ok()
    }

    fn key(&self) -> hmac::Key {
        let bytes = zeroize::Zeroizing::new(BASE64_STANDARD.decode(self.secret.reveal()).unwrap_or_default());
        hmac::Key::new(self.algorithm.hmac(), &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_secret_in_base_64_that_is_not_shown() {
        let key = |secret: &str| TsigKey::new("key_1.test.", TsigAlgorithm::default(), Secret::new(secret));
        let good = key("cGxhbnRlZA==").expect("a key");
        assert!(!format!("{good:?}").contains("cGxh"));
        assert!(good.verifies(&[b"a", b"b"], &good.sign(&[b"ab"])));
        assert!(!good.verifies(&[b"ab"], &good.sign(&[b"ab"])[..16]), "a shortened code");
        assert!(!good.verifies(&[b"ab"], &key("b3RoZXI=").expect("a key").sign(&[b"ab"])));
        for wrong in ["", "planted secret", "cGxhbnRlZA"] {
            assert!(key(wrong).is_err(), "{wrong}");
        }
        assert_eq!(good.name(), "key_1.test");
        for wrong in ["", ".", "a..b", "a b", &"a".repeat(64)] {
            assert!(!TsigKey::is_name(wrong), "{wrong}");
        }
    }
}
