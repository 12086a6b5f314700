//! Reads the keys of one mapping: typed values, unknown keys, keys of other versions; collects all problems.

use super::{
    problem::{Problems, SourceLocation},
    suggestion::nearest,
    tree::{ConfigNode, ConfigValue, KeyValue},
};
use std::time::Duration;

/// A reader of one mapping.
pub(super) struct Fields<'a> {
    pairs: &'a [KeyValue],
    path: String,
    /// The problems found so far.
    pub(super) problems: &'a mut Problems,
}

/// A value with its location.
pub(super) struct Located<'a, T> {
    pub(super) value: T,
    pub(super) location: &'a SourceLocation,
}

impl<'a> Fields<'a> {
    /// Reads a mapping. Anything else is a problem and reads as an empty mapping.
    pub(super) fn new(node: &'a ConfigNode, path: &str, problems: &'a mut Problems) -> Self {
        let pairs = match &node.value {
            ConfigValue::Mapping(pairs) => pairs.as_slice(),
            _ => {
                problems.add(&node.location, path, format!("Must be a group of keys, not {}.", node.kind()));
                &[]
            }
        };
        Fields { pairs, path: path.to_owned(), problems }
    }

    /// The path of a key.
    pub(super) fn key(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Reports unknown keys with the closest known one, and keys of other versions with their hint.
    pub(super) fn check_known(&mut self, known: &[&str], later: &[(&str, &str)]) {
        for pair in self.pairs {
            let name = pair.key.as_str();
            if known.contains(&name) {
                continue;
            }
            let key = self.key(&name.chars().take(60).collect::<String>());
            if let Some((_, why)) = later.iter().find(|(later, _)| *later == name) {
                self.problems.add(&pair.location, &key, *why);
            } else if let Some(right) = nearest(name, known.iter().copied()) {
                self.problems.add(&pair.location, &key, format!("There is no such key. Did you mean `{right}`?"));
            } else {
                let all = known.join(", ");
                self.problems.add(&pair.location, &key, format!("There is no such key. The keys here are: {all}."));
            }
        }
    }

    /// The mapping under a key.
    pub(super) fn group(&mut self, name: &str) -> Option<Fields<'_>> {
        let (pair, path) = (self.pair(name)?, self.key(name));
        Some(Fields::new(&pair.value, &path, self.problems))
    }

    /// The location of a field such as `group.list[3]`, or of its closest existing parent.
    pub(super) fn location_of(&self, field: &str) -> SourceLocation {
        let (mut pairs, mut location) = (self.pairs, SourceLocation::default());
        for part in field.split('.') {
            let (name, index) = match part.split_once('[') {
                Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
                None => (part, None),
            };
            let Some(pair) = pairs.iter().find(|pair| pair.key == name) else { break };
            location = pair.location.clone();
            if let (Some(index), ConfigValue::Sequence(items)) = (index, &pair.value.value)
                && let Some(item) = items.get(index)
            {
                location = item.location.clone();
            }
            pairs = pair.value.pairs().unwrap_or_default();
        }
        location
    }

    /// The pair of a key; an empty value counts as absent.
    pub(super) fn pair(&self, name: &str) -> Option<&'a KeyValue> {
        self.pairs.iter().find(|pair| pair.key == name && !matches!(pair.value.value, ConfigValue::Null))
    }

    /// Reports a problem with the value of a key.
    pub(super) fn reject(&mut self, name: &str, location: &SourceLocation, message: impl Into<String>) {
        let key = self.key(name);
        self.problems.add(location, &key, message);
    }

    /// A text; numbers and booleans are accepted as written.
    pub(super) fn text(&mut self, name: &str) -> Option<Located<'a, String>> {
        let pair = self.pair(name)?;
        let location = &pair.value.location;
        let value = match &pair.value.value {
            ConfigValue::Text(text) => text.clone(),
            ConfigValue::Integer(number) => number.to_string(),
            ConfigValue::Bool(flag) => flag.to_string(),
            _ => {
                self.reject(name, location, format!("Must be text, not {}.", pair.value.kind()));
                return None;
            }
        };
        Some(Located { value, location })
    }

    /// A required text; `hint` says what to write.
    pub(super) fn required_text(&mut self, name: &str, hint: &str) -> Option<Located<'a, String>> {
        let field = self.text(name);
        if field.is_none() && self.pair(name).is_none() {
            let location = self.pairs.first().map(|pair| pair.location.clone()).unwrap_or_default();
            self.reject(name, &location, format!("Is missing: {hint}."));
        }
        field
    }

    /// A text with a maximum length in bytes.
    pub(super) fn bounded_text(&mut self, name: &str, max_bytes: usize) -> Option<String> {
        let field = self.text(name)?;
        if field.value.len() > max_bytes {
            self.reject(name, field.location, format!("Is {} bytes long; {max_bytes} are allowed.", field.value.len()));
            return None;
        }
        Some(field.value)
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        let pair = self.pair(name)?;
        match &pair.value.value {
            ConfigValue::Bool(flag) => Some(*flag),
            ConfigValue::Text(text) if text == "true" => Some(true),
            ConfigValue::Text(text) if text == "false" => Some(false),
            _ => {
                self.reject(
                    name,
                    &pair.value.location,
                    format!("Must be `true` or `false`, not {}.", pair.value.kind()),
                );
                None
            }
        }
    }

    /// A whole number within bounds.
    pub(super) fn number(&mut self, name: &str, bounds: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let pair = self.pair(name)?;
        let number = match &pair.value.value {
            ConfigValue::Integer(number) => Some(*number),
            ConfigValue::Text(text) => text.parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if bounds.contains(&number) => Some(number),
            _ => {
                let (low, high) = (bounds.start(), bounds.end());
                self.reject(name, &pair.value.location, format!("Must be a whole number from {low} to {high}."));
                None
            }
        }
    }

    /// A duration such as `500ms`, `10s`, `2m`.
    pub(super) fn duration(&mut self, name: &str) -> Option<Duration> {
        let field = self.text(name)?;
        let parsed = postern_config::duration::parse(&field.value);
        if parsed.is_none() {
            self.reject(name, field.location, "Must be a duration such as `500ms`, `10s` or `2m`.");
        }
        parsed
    }

    /// A list of texts; a single text counts as a list of one.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<Located<'a, String>>> {
        let pair = self.pair(name)?;
        let ConfigValue::Sequence(items) = &pair.value.value else {
            return self.text(name).map(|text| vec![text]);
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match &item.value {
                ConfigValue::Text(text) => texts.push(Located { value: text.clone(), location: &item.location }),
                ConfigValue::Integer(number) => {
                    texts.push(Located { value: number.to_string(), location: &item.location })
                }
                _ => {
                    self.reject(name, &item.location, format!("Every item must be text, not {}.", item.kind()));
                }
            }
        }
        Some(texts)
    }
}
