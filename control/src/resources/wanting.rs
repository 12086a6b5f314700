//! What a list is searched for.

use postern_api::{
    Code, Error, Result,
    resource::{Record, Resource},
};

/// Words that a record must say, all of them, anywhere and in any case.
pub(super) struct Wanting(Vec<String>);

impl Wanting {
    pub(super) fn new(search: &str) -> Self {
        Wanting(search.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Nothing in particular is searched.
    pub(super) fn everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges what the caller would be shown, so that nothing can be found out that is not shown.
    pub(super) fn says<R: Resource>(&self, record: &Record<R>) -> Result<bool> {
        if self.everything() {
            return Ok(true);
        }
        let shown = serde_json::to_value(record)
            .map_err(|error| Error::new(Code::Internal, format!("A record could not be searched: {error}.")))?;
        let mut text = String::new();
        gather(&shown, &mut text);
        let text = text.to_lowercase();
        Ok(self.0.iter().all(|word| text.contains(word)))
    }
}

/// All texts and numbers of a value, without the names of its members. Addresses of records say nothing new.
fn gather(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                // The keys of a map of backends are ids.
                if name.contains('_') && name.len() > 27 {
                    text.push_str(name);
                    text.push('\n');
                }
                if name != "uri" {
                    gather(member, text);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| gather(item, text)),
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
