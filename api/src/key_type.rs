//! Key types of certificates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Type of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyType {
    /// RSA.
    Rsa,
    /// ECDSA on one of the NIST curves.
    Ecdsa,
    /// Ed25519.
    Ed25519,
}

impl KeyType {
    /// Text form in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            KeyType::Rsa => "rsa",
            KeyType::Ecdsa => "ecdsa",
            KeyType::Ed25519 => "ed25519",
        }
    }
}

impl std::fmt::Display for KeyType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_word_is_the_one_that_is_read() {
        for kind in [KeyType::Rsa, KeyType::Ecdsa, KeyType::Ed25519] {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
        }
    }
}
