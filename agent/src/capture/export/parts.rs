//! A captured message taken apart for others: text, with or without its secrets.

use crate::{
    capture::{head::text_of, message::Message, redact::Redactor},
    config::redaction::RedactionRules,
};
use std::borrow::Cow;

/// What becomes of secrets in what is handed out.
#[derive(Clone, Copy)]
pub enum Secrets<'a> {
    /// They are shown as they are.
    Shown,
    /// Placeholders stand in their places.
    Hidden(&'a Redactor, &'a RedactionRules),
}

impl Secrets<'_> {
    /// A target or an address.
    pub(super) fn address<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Secrets::Shown => Cow::Borrowed(text),
            Secrets::Hidden(redactor, rules) => redactor.address(rules, text),
        }
    }

    /// A header's value as bytes, which need not be text.
    pub(super) fn value(&self, name: &str, value: &[u8]) -> Vec<u8> {
        let text = text_of(value);
        match self {
            Secrets::Shown => value.to_vec(),
            Secrets::Hidden(redactor, rules) => match redactor.header(rules, name, &text) {
                Cow::Owned(changed) if changed != text => changed.into_bytes(),
                _ => value.to_vec(),
            },
        }
    }

    /// All headers of a message.
    pub(super) fn headers(&self, message: &Message) -> Vec<(String, Vec<u8>)> {
        let changed = |(name, value): (String, Vec<u8>)| {
            let value = self.value(&name, &value);
            (name, value)
        };
        message.headers().into_iter().map(changed).collect()
    }
}

/// The version of HTTP as the head says it.
pub(super) fn version(message: &Message) -> &'static str {
    let head = message.head();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.windows(8).any(|part| part == b"HTTP/1.0") { "HTTP/1.0" } else { "HTTP/1.1" }
}
