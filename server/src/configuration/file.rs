//! The configuration file: a flat YAML mapping, read with the line of each key so that every mistake can be shown.

use super::settings;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::fmt;

/// A known key of the file with its value as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) key: &'static str,
    pub(crate) text: String,
    pub(crate) line: u64,
}

/// Largest configuration file in bytes; a larger file was probably given by mistake.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads the text of a file.
///
/// # Errors
/// All mistakes as sentences, each with its line.
pub(crate) fn read(text: &str) -> Result<Vec<FileEntry>, Vec<String>> {
    let mapping = match serde_saphyr::from_str::<Option<Mapping>>(text) {
        Ok(mapping) => mapping.unwrap_or_default(),
        // The error text may quote neighboring lines that contain secrets, so the snippet is left out.
        Err(error) => {
            let error = error.without_snippet();
            let line = error.location().map_or_else(String::new, |location| format!("line {}: ", location.line()));
            let sentence = error.to_string();
            let sentence = sentence.lines().next().unwrap_or("it is not YAML").to_owned();
            return Err(vec![format!("{line}{sentence}")]);
        }
    };
    let mut entries: Vec<FileEntry> = Vec::new();
    let mut errors = Vec::new();
    for (written, value) in mapping.0 {
        let line = value.referenced.line();
        let Some(setting) = settings::find(&written) else {
            let shown: String = written.chars().take(60).collect();
            let hint =
                settings::nearest(&written).map_or_else(String::new, |meant| format!(" Did you mean `{meant}`?"));
            errors.push(format!("line {line}: `{shown}` is not a setting.{hint}"));
            continue;
        };
        if entries.iter().any(|entry| entry.key == setting.key) {
            errors.push(format!("line {line}: `{}` is set twice.", setting.key));
            continue;
        }
        match value.value {
            Value::Text(text) => entries.push(FileEntry { key: setting.key, text, line }),
            Value::Nothing => {}
            Value::Nested => {
                errors.push(format!("line {line}: `{}` takes one value, not a list or a mapping.", setting.key))
            }
        }
    }
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

#[derive(Default)]
struct Mapping(Vec<(String, Spanned<Value>)>);

#[derive(Debug)]
enum Value {
    Text(String),
    Nothing,
    Nested,
}

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Mapping;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of settings to values, such as `domain: localhost`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mapping, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Mapping(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value")
            }
            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Text(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Text(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Text(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Text(value.to_string()))
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Nothing)
            }
            fn visit_none<E>(self) -> Result<Value, E> {
                Ok(Value::Nothing)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::Nested)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Nested)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_and_lines_are_read() {
        let entries = read("# a comment\ndomain: example.test\n\ntcp_ports: 2400-2410\nlog_level:\n").expect("valid");
        assert_eq!(
            entries,
            [
                FileEntry { key: "domain", text: "example.test".into(), line: 2 },
                FileEntry { key: "tcp_ports", text: "2400-2410".into(), line: 4 },
            ]
        );
        assert!(read("").expect("an empty file").is_empty());
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_line_and_nearest_name() {
        let errors = read("domian: a.test\nhttp_addr: [1, 2]\ncolour: red\n").expect_err("three mistakes");
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(errors[0].contains("line 1") && errors[0].contains("Did you mean `domain`?"), "{errors:?}");
        assert!(errors[1].contains("line 2") && errors[1].contains("one value"), "{errors:?}");
        assert!(errors[2].contains("line 3") && errors[2].contains("`colour`"), "{errors:?}");
    }

    #[test]
    fn what_is_no_yaml_names_the_line_and_shows_nothing_else() {
        for wrong in ["domain: x\nstore: secret-text\n  bad: [\n", "- a\n- b\n", "domain: a\ndomain: b\n", "just words"]
        {
            let errors = read(wrong).expect_err(wrong);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(!errors[0].contains("secret-text"), "neighbouring lines stay hidden: {errors:?}");
        }
    }
}
