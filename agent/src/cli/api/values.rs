//! Converts arguments of flags to values.

use super::description::{ApiField, FieldFormat};
use postern_api::{Code, Error};
use serde_json::{Map, Value};
use std::io::Read;

/// Maximum size of a file that `@` reads, in bytes; no request body may be larger.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The value of a flag that may have been repeated.
pub(super) fn value(field: &ApiField, given: &[String]) -> Result<Value, Error> {
    let last = given.last().map(String::as_str).unwrap_or_default();
    let refuse = |why: &str| {
        let shown: String = last.chars().take(80).collect();
        let flag = field.name.replace('_', "-");
        Error::new(Code::FieldInvalid, format!("`{shown}` is invalid for --{flag}: {why}.")).with("field", &field.name)
    };
    match field.format {
        FieldFormat::Text => text(last).map(Value::String),
        FieldFormat::Switch => Ok(Value::Bool(last == "true")),
        FieldFormat::Number => number(last).ok_or_else(|| refuse("it is not a number")),
        FieldFormat::Texts => Ok(Value::Array(texts(given))),
        FieldFormat::Pairs => {
            pairs(given, |value| Some(Value::String(value.to_owned()))).ok_or_else(|| refuse("write key=value"))
        }
        FieldFormat::NumberedPairs => pairs(given, number).ok_or_else(|| refuse("write key=number")),
        FieldFormat::Json => json(last).map_err(|error| error.with("field", &field.name)),
    }
}

/// A JSON text, or the JSON in a file.
pub(super) fn json(given: &str) -> Result<Value, Error> {
    let text = text(given)?;
    serde_json::from_str(&text).map_err(|error| Error::new(Code::BodyMalformed, format!("This is not JSON: {error}.")))
}

/// `@file` reads a file, `@-` reads standard input, `@@…` is a text that begins with `@`.
fn text(given: &str) -> Result<String, Error> {
    let Some(file) = given.strip_prefix('@') else { return Ok(given.to_owned()) };
    if file.starts_with('@') {
        return Ok(file.to_owned());
    }
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().take(MAX_FILE_BYTES).read_to_string(&mut text),
        file => std::fs::File::open(file).and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text)),
    };
    read.map(|_| text).map_err(|error| {
        Error::new(
            Code::BodyUnreadable,
            format!("`{file}` cannot be read: {error}. For a text that begins with @ write @@."),
        )
    })
}

/// A single empty text is an empty list.
fn texts(given: &[String]) -> Vec<Value> {
    match given {
        [only] if only.is_empty() => Vec::new(),
        many => many.iter().cloned().map(Value::String).collect(),
    }
}

fn pairs(given: &[String], read: impl Fn(&str) -> Option<Value>) -> Option<Value> {
    let mut map = Map::new();
    for pair in given.iter().filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=')?;
        map.insert(key.to_owned(), read(value)?);
    }
    Some(Value::Object(map))
}

fn number(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: FieldFormat, given: &[&str]) -> Result<Value, Code> {
        let field = ApiField { name: "a_field".into(), format, help: String::new(), choices: Vec::new() };
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        value(&field, &given).map_err(|error| error.code)
    }

    #[test]
    fn each_format_reads_its_values() {
        use serde_json::json;
        for (format, given, expected) in [
            (FieldFormat::Text, &["plain"][..], Ok(json!("plain"))),
            (FieldFormat::Text, &["@@home"], Ok(json!("@home"))),
            (FieldFormat::Text, &["@/nowhere/at/all"], Err(Code::BodyUnreadable)),
            (FieldFormat::Switch, &["true"], Ok(json!(true))),
            (FieldFormat::Switch, &["false"], Ok(json!(false))),
            (FieldFormat::Number, &["0.5"], Ok(json!(0.5))),
            (FieldFormat::Number, &["10"], Ok(json!(10))),
            (FieldFormat::Number, &["ten"], Err(Code::FieldInvalid)),
            (FieldFormat::Texts, &["a", "b,c"], Ok(json!(["a", "b,c"]))),
            (FieldFormat::Texts, &[""], Ok(json!([]))),
            (FieldFormat::Pairs, &["app=shop", "tier="], Ok(json!({"app": "shop", "tier": ""}))),
            (FieldFormat::Pairs, &["app"], Err(Code::FieldInvalid)),
            (FieldFormat::NumberedPairs, &["bkdtg_1=3"], Ok(json!({"bkdtg_1": 3}))),
            (FieldFormat::NumberedPairs, &["bkdtg_1=x"], Err(Code::FieldInvalid)),
            (FieldFormat::Json, &[r#"{"a":[1]}"#], Ok(json!({"a": [1]}))),
            (FieldFormat::Json, &["{"], Err(Code::BodyMalformed)),
        ] {
            assert_eq!(read(format, given), expected, "{format:?} {given:?}");
        }
    }
}
