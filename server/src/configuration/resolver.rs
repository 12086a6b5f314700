//! Resolves single settings and collects all mistakes.

use super::raw::{RawSettings, RawValue, SettingSource};

/// Resolves the values of raw settings. Mistakes are collected, so that all of them are reported at once.
pub(super) struct Resolver<'a> {
    pub(super) raw: &'a RawSettings,
    pub(super) mistakes: Vec<String>,
}

impl Resolver<'_> {
    /// Resolves one value with a parser. The parser's error continues a sentence that begins with the value.
    pub(super) fn value<T>(&mut self, key: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let RawValue { text, source } = self.raw.get(key)?;
        match parse(text.trim()) {
            Ok(value) => Some(value),
            Err(why) => {
                let named = match source {
                    SettingSource::Flag => format!("--{}", key.replace('_', "-")),
                    SettingSource::Environment => format!("POSTERN_{}", key.to_ascii_uppercase()),
                    SettingSource::File { line } => format!("`{key}` in line {line} of the configuration file"),
                };
                let shown: String = text.chars().take(80).collect();
                self.mistakes.push(format!("{named}: `{shown}` {why}."));
                None
            }
        }
    }

    /// Reports two settings of which only one was given.
    pub(super) fn belong_together(&mut self, one: &str, other: &str) {
        if self.is_given(one) != self.is_given(other) {
            let (one, other) = (one.replace('_', "-"), other.replace('_', "-"));
            self.mistakes.push(format!("--{one} and --{other} belong together: give both or neither."));
        }
    }

    /// Reports a setting that was given without the one it belongs to.
    pub(super) fn belongs_to(&mut self, key: &str, owner: &str) {
        if self.is_given(key) && !self.is_given(owner) {
            let (key, owner) = (key.replace('_', "-"), owner.replace('_', "-"));
            self.mistakes.push(format!("--{key} belongs to --{owner}: give both, or leave it out."));
        }
    }

    /// Whether a setting was given, valid or not.
    pub(super) fn is_given(&self, key: &str) -> bool {
        self.raw.get(key).is_some()
    }
}
