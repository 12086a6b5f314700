//! Full-text search in lists of records.

use postern_api::{
    Code, Error, Result,
    resource::{Record, Resource},
};

/// Words that a record must all contain, anywhere and in any case.
pub(super) struct ListSearch(Vec<String>);

impl ListSearch {
    pub(super) fn new(search: &str) -> Self {
        ListSearch(search.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Matches every record.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a record with this text is found; see [`search_text`].
    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.iter().all(|word| text.contains(word))
    }
}

/// The text of a record that searches compare: only what callers see, so that hidden values cannot be guessed.
pub(super) fn search_text<R: Resource>(record: &Record<R>) -> Result<String> {
    let shown = serde_json::to_value(record)
        .map_err(|error| Error::new(Code::Internal, format!("A record could not be searched: {error}.")))?;
    let mut text = String::new();
    collect_text(&shown, &mut text);
    Ok(text.to_lowercase())
}

/// Collects all texts and numbers of a value, without member names and URIs.
fn collect_text(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                // The keys of a map of backends are ids.
                if name.contains('_') && name.len() > 27 {
                    text.push_str(name);
                    text.push('\n');
                }
                if name != "uri" {
                    collect_text(member, text);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_text(item, text)),
        serde_json::Value::String(words) => {
            text.push_str(words);
            text.push('\n');
        }
        serde_json::Value::Number(number) => {
            text.push_str(&number.to_string());
            text.push('\n');
        }
        serde_json::Value::Bool(_) | serde_json::Value::Null => {}
    }
}
