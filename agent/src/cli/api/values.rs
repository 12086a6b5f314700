//! From what stands behind a flag to the value it means.

use super::description::{Field, Form};
use postern_api::{Code, Error};
use serde_json::{Map, Value};
use std::io::Read;

/// The largest file that `@` reads: more than any body may have.
const FILE_LIMIT: u64 = 1 << 20;

/// The value of a flag that may have been given several times.
pub(super) fn value(field: &Field, given: &[String]) -> Result<Value, Error> {
    let last = given.last().map(String::as_str).unwrap_or_default();
    let refuse = |why: &str| {
        let shown: String = last.chars().take(80).collect();
        let flag = field.name.replace('_', "-");
        Error::new(Code::FieldInvalid, format!("`{shown}` does not fit --{flag}: {why}.")).with("field", &field.name)
    };
    match field.form {
        Form::Text => text(last).map(Value::String),
        Form::Switch => Ok(Value::Bool(last == "true")),
        Form::Number => number(last).ok_or_else(|| refuse("it is no number")),
        Form::Texts => Ok(Value::Array(texts(given))),
        Form::Pairs => {
            pairs(given, |value| Some(Value::String(value.to_owned()))).ok_or_else(|| refuse("write key=value"))
        }
        Form::NumberedPairs => pairs(given, number).ok_or_else(|| refuse("write key=number")),
        Form::Json => json(last).map_err(|error| error.with("field", &field.name)),
    }
}

/// A JSON text, or the one in a file.
pub(super) fn json(given: &str) -> Result<Value, Error> {
    let text = text(given)?;
    serde_json::from_str(&text).map_err(|error| Error::new(Code::BodyMalformed, format!("This is not JSON: {error}.")))
}

/// `@file` is what the file holds, `@-` what standard input does, `@@…` begins with one `@`.
fn text(given: &str) -> Result<String, Error> {
    let Some(file) = given.strip_prefix('@') else { return Ok(given.to_owned()) };
    if file.starts_with('@') {
        return Ok(file.to_owned());
    }
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().take(FILE_LIMIT).read_to_string(&mut text),
        file => std::fs::File::open(file).and_then(|file| file.take(FILE_LIMIT).read_to_string(&mut text)),
    };
    read.map(|_| text).map_err(|error| {
        Error::new(
            Code::BodyUnreadable,
            format!("`{file}` cannot be read: {error}. For a text that begins with @ write @@."),
        )
    })
}

/// An empty text alone is an empty list.
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

    fn read(form: Form, given: &[&str]) -> Result<Value, Code> {
        let field = Field { name: "a_field".into(), form, help: String::new(), choices: Vec::new() };
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        value(&field, &given).map_err(|error| error.code)
    }

    #[test]
    fn each_form_reads_its_own() {
        use serde_json::json;
        for (form, given, expected) in [
            (Form::Text, &["plain"][..], Ok(json!("plain"))),
            (Form::Text, &["@@home"], Ok(json!("@home"))),
            (Form::Text, &["@/nowhere/at/all"], Err(Code::BodyUnreadable)),
            (Form::Switch, &["true"], Ok(json!(true))),
            (Form::Switch, &["false"], Ok(json!(false))),
            (Form::Number, &["0.5"], Ok(json!(0.5))),
            (Form::Number, &["10"], Ok(json!(10))),
            (Form::Number, &["ten"], Err(Code::FieldInvalid)),
            (Form::Texts, &["a", "b,c"], Ok(json!(["a", "b,c"]))),
            (Form::Texts, &[""], Ok(json!([]))),
            (Form::Pairs, &["app=shop", "tier="], Ok(json!({"app": "shop", "tier": ""}))),
            (Form::Pairs, &["app"], Err(Code::FieldInvalid)),
            (Form::NumberedPairs, &["bkdtg_1=3"], Ok(json!({"bkdtg_1": 3}))),
            (Form::NumberedPairs, &["bkdtg_1=x"], Err(Code::FieldInvalid)),
            (Form::Json, &[r#"{"a":[1]}"#], Ok(json!({"a": [1]}))),
            (Form::Json, &["{"], Err(Code::BodyMalformed)),
        ] {
            assert_eq!(read(form, given), expected, "{form:?} {given:?}");
        }
    }
}
