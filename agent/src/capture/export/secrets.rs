//! Parts of a captured message for export, with or without their secrets.

use crate::{
    capture::{head::decode_value, message::CapturedMessage, redact::Redactor},
    config::redaction::RedactionRules,
};
use std::borrow::Cow;

/// The treatment of secrets in exports.
#[derive(Clone, Copy)]
pub enum Secrets<'a> {
    /// Exported as they are.
    Shown,
    /// Replaced by placeholders.
    Hidden(&'a Redactor, &'a RedactionRules),
}

impl Secrets<'_> {
    /// A request target or a URL.
    pub(super) fn url<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Secrets::Shown => Cow::Borrowed(text),
            Secrets::Hidden(redactor, rules) => redactor.address(rules, text),
        }
    }

    /// A header's value, which need not be text.
    pub(super) fn value(&self, name: &str, value: &[u8]) -> Vec<u8> {
        let text = decode_value(value);
        match self {
            Secrets::Shown => value.to_vec(),
            Secrets::Hidden(redactor, rules) => match redactor.header(rules, name, &text) {
                Cow::Owned(changed) if changed != text => changed.into_bytes(),
                _ => value.to_vec(),
            },
        }
    }

    /// All headers of a message.
    pub(super) fn headers(&self, message: &CapturedMessage) -> Vec<(String, Vec<u8>)> {
        let changed = |(name, value): (String, Vec<u8>)| {
            let value = self.value(&name, &value);
            (name, value)
        };
        message.headers().into_iter().map(changed).collect()
    }
}

/// The version of HTTP in the head.
pub(super) fn version(message: &CapturedMessage) -> &'static str {
    let head = message.head();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.windows(8).any(|part| part == b"HTTP/1.0") { "HTTP/1.0" } else { "HTTP/1.1" }
}
