//! Secret text that is never printed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A secret text: `Debug` and `Display` print stars, its memory is wiped on drop, comparison takes constant time.
///
/// Serializing writes the text; use it only for storage or messages that are meant to contain the secret.
#[derive(Clone, Default)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A secret with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(Zeroizing::new(text.into()))
    }

    /// The text itself. The explicit name makes each use visible.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}
impl Eq for Secret {}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}
impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}
impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret::new(text)
    }
}
impl std::str::FromStr for Secret {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Secret::new(text))
    }
}
impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.reveal())
    }
}
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Errors of the deserializer about a wrong type might contain the value, so only its absence is reported.
        String::deserialize(deserializer).map(Secret::new).map_err(|error| {
            let absent = error.to_string().starts_with("missing field");
            if absent { error } else { serde::de::Error::custom("it must be a text") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_shows_stars_only() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(secret, Secret::new("hunter2"));
        assert_ne!(secret, Secret::new("hunter3"));
        let error = serde_json::from_str::<Secret>("731").expect_err("no text");
        assert!(!error.to_string().contains("731"), "{error}");
    }

    #[test]
    fn one_that_is_missing_is_named() {
        #[derive(Debug, Deserialize)]
        struct Key {
            #[serde(rename = "key")]
            _key: Secret,
        }
        let error = serde_json::from_str::<Key>("{}").expect_err("nothing is there");
        assert!(error.to_string().starts_with("missing field `key`"), "{error}");
    }
}
