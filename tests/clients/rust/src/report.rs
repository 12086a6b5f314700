//! One line for each step, and the checks that all steps share.

use futures::{Stream, StreamExt};
use serde::Serialize;
use serde_json::{Map, Value};
use std::process::ExitCode;

/// The result of a step.
pub type Step<T = String> = Result<T, Wrong>;

/// The description of a failure.
pub struct Wrong(String);

impl From<&str> for Wrong {
    fn from(text: &str) -> Wrong {
        Wrong(text.to_owned())
    }
}

impl From<ngrok_api::Error> for Wrong {
    fn from(error: ngrok_api::Error) -> Wrong {
        // `Display` is one word; `Debug` has the server's code or the decoding error.
        Wrong(format!("{error:?}"))
    }
}

/// Counts failures.
#[derive(Default)]
pub struct Report {
    failed: usize,
}

impl Report {
    /// Prints the result of a step.
    pub fn tells(&mut self, name: &str, step: Step) {
        match step {
            Ok(done) => println!("ok   {name}: {done}"),
            Err(Wrong(wrong)) => {
                println!("FAIL {name}: {wrong}");
                self.failed += 1;
            }
        }
    }

    /// The exit status of the program.
    pub fn end(self) -> ExitCode {
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// All items of a list, over all its pages.
pub async fn collect<T>(items: impl Stream<Item = Result<T, ngrok_api::Error>> + Unpin) -> Step<Vec<T>> {
    let mut found = Vec::new();
    // Bounded, in case the server repeats the same next page.
    let mut items = items.take(10_000);
    while let Some(item) = items.next().await {
        found.push(item?);
    }
    Ok(found)
}

/// Asserts that the call was refused with a code of the server.
pub fn gone<T>(call: Result<T, ngrok_api::Error>) -> Step<()> {
    match call {
        Err(ngrok_api::Error::Ngrok(refused)) if refused.error_code.starts_with("ERR_POSTERN_") => Ok(()),
        Err(other) => Err(other.into()),
        Ok(_) => Err("it is still there".into()),
    }
}

/// Asserts that both are equal as JSON.
pub fn same<T: Serialize + ?Sized>(what: &str, shown: &T, expected: &T) -> Step<()> {
    let (shown, expected) = (json(shown), json(expected));
    if shown == expected { Ok(()) } else { Err(Wrong(format!("{what} is {shown}, expected {expected}"))) }
}

/// Asserts that every member that was sent has the same value in the response. Null is not sent, and empty strings and zero
/// are members that this SDK omits.
pub fn agree(what: &str, sent: &impl Serialize, shown: &impl Serialize) -> Step<()> {
    members_agree(what, &json(sent), &json(shown))
}

/// Asserts that an update changed the sent members and no others.
pub fn changed(update: &impl Serialize, before: &impl Serialize, after: &impl Serialize) -> Step<()> {
    agree("the record after the update", update, after)?;
    let (update, before, after) = (members(update), members(before), members(after));
    for (name, value) in &before {
        if update.get(name).is_none_or(Value::is_null) && after.get(name) != Some(value) {
            return Err(Wrong(format!("{name} was not to change: {value} became {:?}", after.get(name))));
        }
    }
    Ok(())
}

/// The record as later responses have it: a token is only in the first one.
pub fn without_token(record: &impl Serialize) -> Value {
    let mut members = members(record);
    if let Some(token) = members.get_mut("token") {
        *token = Value::Null;
    }
    Value::Object(members)
}

fn members_agree(what: &str, sent: &Value, shown: &Value) -> Step<()> {
    let left_out = sent.is_null() || sent == "" || sent == 0;
    match (sent, shown) {
        _ if left_out || sent == shown => Ok(()),
        (Value::Object(sent), Value::Object(shown)) => sent
            .iter()
            .filter_map(|(name, value)| Some((name, value, shown.get(name)?)))
            .try_for_each(|(name, value, shown)| members_agree(&format!("{what}: {name}"), value, shown)),
        _ => Err(Wrong(format!("{what} is {shown}, expected {sent}"))),
    }
}

fn members(record: &impl Serialize) -> Map<String, Value> {
    match json(record) {
        Value::Object(members) => members,
        other => panic!("the SDK's types are objects, not {other}"),
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).expect("the SDK's types are JSON")
}
