//! Encoding of records and modules for the store. Secrets are sealed and unsealed here and nowhere else.

use super::{
    ModuleRules, Rules, StoredModule, StoredRecord,
    commit_plan::{to_json, unwritable},
};
use crate::{
    sealing::Seal,
    store::{Entry, StoreError},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use postern_api::Result;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Member of the object that replaces a secret text.
const SEALED: &str = "sealed";

/// Encodes and decodes stored values.
#[derive(Clone)]
pub(crate) struct Codec {
    seal: Arc<Seal>,
}

impl Codec {
    pub(crate) fn new(seal: Arc<Seal>) -> Self {
        Codec { seal }
    }

    /// Seals a text that leaves the server, in characters that cookies and URLs take. It opens for the same `purpose` only.
    pub(crate) fn seal_text(&self, text: &[u8], purpose: &str) -> Result<String> {
        Ok(BASE64_URL_SAFE_NO_PAD.encode(self.seal.seal(text, purpose)?))
    }

    /// Opens a text of [`Codec::seal_text`]; `None` if it was made or changed by another.
    pub(crate) fn open_text(&self, sealed: &str, purpose: &str) -> Option<Zeroizing<Vec<u8>>> {
        self.seal.unseal(&BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?, purpose)
    }

    /// Encodes a record.
    pub(crate) fn record<R: Rules>(&self, stored: &StoredRecord<R>) -> Result<Vec<u8>> {
        self.write(stored, &stored.key(), R::SECRETS)
    }

    /// Decodes a record.
    pub(crate) fn read_record<R: Rules>(&self, entry: &Entry) -> Result<StoredRecord<R>> {
        self.read(&entry.key, &entry.value, R::SECRETS)
    }

    /// Encodes a module for a key.
    pub(crate) fn module<M: ModuleRules>(&self, stored: &StoredModule<M>, key: &str) -> Result<Vec<u8>> {
        self.write(stored, key, M::SECRETS)
    }

    /// Decodes a module.
    pub(crate) fn read_module<M: ModuleRules>(&self, entry: &Entry) -> Result<StoredModule<M>> {
        self.read(&entry.key, &entry.value, M::SECRETS)
    }

    /// Encodes a value. The texts at these JSON pointers are sealed for this key and pointer.
    pub(crate) fn write(&self, value: &impl Serialize, key: &str, secrets: &[&str]) -> Result<Vec<u8>> {
        if secrets.is_empty() {
            return to_json(value);
        }
        let mut value = serde_json::to_value(value).map_err(unwritable)?;
        for pointer in secrets {
            let Some(slot) = value.pointer_mut(pointer) else { continue };
            // An empty text is no secret, and stays recognizable.
            if let Value::String(text) = slot
                && !text.is_empty()
            {
                let sealed = self.seal.seal(text.as_bytes(), &format!("{key}#{pointer}"))?;
                *slot = serde_json::json!({ SEALED: BASE64_STANDARD.encode(sealed) });
            }
        }
        to_json(&value)
    }

    /// Decodes a value that was encoded with the same key and secrets.
    pub(crate) fn read<T: DeserializeOwned>(&self, key: &str, value: &[u8], secrets: &[&str]) -> Result<T> {
        let broken = |error| StoreError::Broken(format!("`{key}` cannot be read: {error}"));
        if secrets.is_empty() {
            return Ok(serde_json::from_slice(value).map_err(broken)?);
        }
        let mut value: Value = serde_json::from_slice(value).map_err(broken)?;
        for pointer in secrets {
            let Some(slot) = value.pointer_mut(pointer) else { continue };
            let Some(sealed) = slot.get(SEALED).and_then(Value::as_str) else { continue };
            let opened = BASE64_STANDARD.decode(sealed).ok();
            let opened = opened.and_then(|sealed| self.seal.unseal(&sealed, &format!("{key}#{pointer}")));
            let text = opened.and_then(|text| String::from_utf8(text.to_vec()).ok());
            let unopened = || {
                StoreError::Broken(format!(
                    "the secret `{pointer}` of `{key}` does not open: it was sealed with another key, or changed"
                ))
            };
            *slot = Value::String(text.ok_or_else(unopened)?);
        }
        Ok(serde_json::from_value(value).map_err(broken)?)
    }
}

/// JSON pointers of the sealed texts of an entry that do not open, whatever its kind.
pub(crate) fn unopened_texts(entry: &Entry, seal: &Seal) -> Vec<String> {
    let mut unopened = Vec::new();
    let mut pending: Vec<(String, Value)> =
        serde_json::from_slice(&entry.value).map(|value| (String::new(), value)).into_iter().collect();
    while let Some((pointer, value)) = pending.pop() {
        match value {
            Value::Object(members) => match members.get(SEALED) {
                Some(Value::String(text)) if members.len() == 1 => {
                    let opened = BASE64_STANDARD.decode(text).ok();
                    if opened.and_then(|sealed| seal.unseal(&sealed, &format!("{}#{pointer}", entry.key))).is_none() {
                        unopened.push(pointer);
                    }
                }
                _ => pending
                    .extend(members.into_iter().map(|(name, value)| (format!("{pointer}/{}", escaped(&name)), value))),
            },
            Value::Array(items) => {
                pending
                    .extend(items.into_iter().enumerate().map(|(index, value)| (format!("{pointer}/{index}"), value)));
            }
            _ => {}
        }
    }
    unopened
}

/// Name of a member in a JSON pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_sealed_in_place_and_open_under_the_same_key_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let codec = Codec::new(Arc::new(Seal::open(folder.path()).expect("a seal")));
        let secrets = ["/module/secret", "/module/provider/github/client_secret", "/module/absent"];
        let value = json!({"module": {"secret": "planted-one", "provider": {"github": {"client_secret": "planted-two"}, "google": null}}});
        let bytes = codec.write(&value, "modules/a/b", &secrets).expect("written");
        assert!(!String::from_utf8_lossy(&bytes).contains("planted"));
        assert_eq!(codec.read::<Value>("modules/a/b", &bytes, &secrets).expect("read"), value);
        let entry = |key: &str| Entry { key: key.to_owned(), value: bytes.clone(), revision: 1 };
        assert!(unopened_texts(&entry("modules/a/b"), &codec.seal).is_empty());
        assert_eq!(unopened_texts(&entry("modules/a/c"), &codec.seal).len(), 2);
        let elsewhere = codec.read::<Value>("modules/a/c", &bytes, &secrets).expect_err("it was moved");
        assert!(!elsewhere.message.contains("planted"));
    }
}
