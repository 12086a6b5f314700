//! Reading the keys of one mapping: typed values, unknown keys, keys of later versions, all problems collected.

use super::{
    nearest::nearest,
    problem::{Place, Problems},
    tree::{Node, Pair, Value},
};
use std::time::Duration;

/// The keys of one mapping while they are read.
pub(super) struct Fields<'a> {
    pairs: &'a [Pair],
    path: String,
    /// Where problems go.
    pub(super) problems: &'a mut Problems,
}

/// A text and where it stands.
pub(super) struct Written<'a, T> {
    pub(super) value: T,
    pub(super) place: &'a Place,
}

impl<'a> Fields<'a> {
    /// Looks at a mapping. Anything else is one problem and reads as an empty mapping.
    pub(super) fn of(node: &'a Node, path: &str, problems: &'a mut Problems) -> Self {
        let pairs = match &node.value {
            Value::Mapping(pairs) => pairs.as_slice(),
            _ => {
                problems.add(&node.place, path, format!("Must be a group of keys, not {}.", node.kind()));
                &[]
            }
        };
        Fields { pairs, path: path.to_owned(), problems }
    }

    /// The key with its parents.
    pub(super) fn key(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Says of every key that is not known that it is unknown, with the nearest right name, and of every key of a
    /// later version that it comes later.
    pub(super) fn only(&mut self, known: &[&str], later: &[(&str, &str)]) {
        for pair in self.pairs {
            let name = pair.key.as_str();
            if known.contains(&name) {
                continue;
            }
            let key = self.key(&name.chars().take(60).collect::<String>());
            if let Some((_, why)) = later.iter().find(|(later, _)| *later == name) {
                self.problems.add(&pair.place, &key, *why);
            } else if let Some(right) = nearest(name, known.iter().copied()) {
                self.problems.add(&pair.place, &key, format!("There is no such key. Did you mean `{right}`?"));
            } else {
                let all = known.join(", ");
                self.problems.add(&pair.place, &key, format!("There is no such key. The keys here are: {all}."));
            }
        }
    }

    /// The group of keys that stands under a key.
    pub(super) fn group(&mut self, name: &str) -> Option<Fields<'_>> {
        let (pair, path) = (self.pair(name)?, self.key(name));
        Some(Fields::of(&pair.value, &path, self.problems))
    }

    /// Where a field stands, `group.list[3]`, or as much of it as was written.
    pub(super) fn place_of(&self, field: &str) -> Place {
        let (mut pairs, mut place) = (self.pairs, Place::default());
        for part in field.split('.') {
            let (name, index) = match part.split_once('[') {
                Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
                None => (part, None),
            };
            let Some(pair) = pairs.iter().find(|pair| pair.key == name) else { break };
            place = pair.place.clone();
            if let (Some(index), Value::Sequence(items)) = (index, &pair.value.value)
                && let Some(item) = items.get(index)
            {
                place = item.place.clone();
            }
            pairs = pair.value.pairs().unwrap_or_default();
        }
        place
    }

    /// The pair of a key; an empty value counts as absent.
    pub(super) fn pair(&self, name: &str) -> Option<&'a Pair> {
        self.pairs.iter().find(|pair| pair.key == name && !matches!(pair.value.value, Value::Null))
    }

    /// Adds a problem with the value of a key.
    pub(super) fn wrong(&mut self, name: &str, place: &Place, message: impl Into<String>) {
        let key = self.key(name);
        self.problems.add(place, &key, message);
    }

    /// A text; numbers and truth values are taken as they were written.
    pub(super) fn text(&mut self, name: &str) -> Option<Written<'a, String>> {
        let pair = self.pair(name)?;
        let place = &pair.value.place;
        let value = match &pair.value.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => {
                self.wrong(name, place, format!("Must be text, not {}.", pair.value.kind()));
                return None;
            }
        };
        Some(Written { value, place })
    }

    /// A text that must be there; `hint` says what to write.
    pub(super) fn needed_text(&mut self, name: &str, hint: &str) -> Option<Written<'a, String>> {
        let written = self.text(name);
        if written.is_none() && self.pair(name).is_none() {
            let place = self.pairs.first().map(|pair| pair.place.clone()).unwrap_or_default();
            self.wrong(name, &place, format!("Is missing: {hint}."));
        }
        written
    }

    /// A text of at most so many bytes.
    pub(super) fn bounded_text(&mut self, name: &str, most: usize) -> Option<String> {
        let written = self.text(name)?;
        if written.value.len() > most {
            self.wrong(name, written.place, format!("Is {} bytes long; {most} are allowed.", written.value.len()));
            return None;
        }
        Some(written.value)
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        let pair = self.pair(name)?;
        match &pair.value.value {
            Value::Bool(flag) => Some(*flag),
            Value::Text(text) if text == "true" => Some(true),
            Value::Text(text) if text == "false" => Some(false),
            _ => {
                self.wrong(name, &pair.value.place, format!("Must be `true` or `false`, not {}.", pair.value.kind()));
                None
            }
        }
    }

    /// A whole number inside bounds.
    pub(super) fn number(&mut self, name: &str, bounds: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let pair = self.pair(name)?;
        let number = match &pair.value.value {
            Value::Integer(number) => Some(*number),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if bounds.contains(&number) => Some(number),
            _ => {
                let (low, high) = (bounds.start(), bounds.end());
                self.wrong(name, &pair.value.place, format!("Must be a whole number from {low} to {high}."));
                None
            }
        }
    }

    /// A duration such as `500ms`, `10s`, `2m`.
    pub(super) fn duration(&mut self, name: &str) -> Option<Duration> {
        let written = self.text(name)?;
        let parsed = parse_duration(&written.value);
        if parsed.is_none() {
            self.wrong(name, written.place, "Must be a duration such as `500ms`, `10s` or `2m`.");
        }
        parsed
    }

    /// A list of texts; a single text counts as a list of one.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<Written<'a, String>>> {
        let pair = self.pair(name)?;
        let Value::Sequence(items) = &pair.value.value else {
            return self.text(name).map(|text| vec![text]);
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match &item.value {
                Value::Text(text) => texts.push(Written { value: text.clone(), place: &item.place }),
                Value::Integer(number) => texts.push(Written { value: number.to_string(), place: &item.place }),
                _ => {
                    self.wrong(name, &item.place, format!("Every item must be text, not {}.", item.kind()));
                }
            }
        }
        Some(texts)
    }
}

/// Reads `500ms`, `10s`, `2m`, `1h`.
fn parse_duration(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().ok()?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}
