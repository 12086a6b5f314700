//! Mailgun: the signature stands in the body and covers a timestamp and a token, each of which may come once.

use super::{Encoding, Message, Reason, USUAL, bytes, judged, moment, signs};
use aws_lc_rs::hmac;
use jiff::Timestamp;
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Tokens kept at once. Only the provider can make them, so this is never reached by a visitor.
const MOST: usize = 100_000;

/// Tokens that were used, until their timestamps are too old to be used again.
#[derive(Debug, Default)]
pub(in super::super) struct Used(Mutex<HashMap<String, i64>>);

impl Used {
    /// Takes a token; whether it is a new one.
    fn take(&self, token: String, now: Timestamp) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.as_second();
        if used.len() >= MOST {
            used.retain(|_, until| *until >= now);
        }
        if used.len() >= MOST || used.get(&token).is_some_and(|until| *until >= now) {
            return false;
        }
        // A timestamp may lie ahead by the tolerance, and be used until it lies back by the same.
        used.insert(token, now + 2 * i64::from(USUAL));
        true
    }
}

struct Said {
    timestamp: String,
    token: String,
    signature: String,
}

pub(in super::super) fn judge(key: &hmac::Key, used: &Used, message: &Message<'_>) -> Result<(), Reason> {
    let said = if message.head.is_form() { of_form(message) } else { of_object(message)? };
    let said = said.ok_or(Reason::Body("its body has no timestamp, token and signature"))?;
    let given = bytes(Encoding::Hex, &said.signature).ok_or(Reason::Wrong)?;
    moment::judge(&said.timestamp, USUAL, message.head.now)?;
    judged(signs(key, [said.timestamp.as_bytes(), said.token.as_bytes()], &given))?;
    // What is signed counts as one: nobody can make a new token of an old one by moving digits into the timestamp.
    let once = said.timestamp + &said.token;
    if used.take(once, message.head.now) { Ok(()) } else { Err(Reason::Used) }
}

fn of_object(message: &Message<'_>) -> Result<Option<Said>, Reason> {
    let object = message.object()?;
    let Some(Value::Object(signature)) = object.get("signature") else { return Ok(None) };
    let text = |name: &str| match signature.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    Ok(text("timestamp").zip(text("token")).zip(text("signature")).map(Said::of))
}

fn of_form(message: &Message<'_>) -> Option<Said> {
    let fields = message.form().ok()?;
    let text = |wanted: &str| {
        let mut values = fields.iter().filter(|(name, _)| name == wanted.as_bytes()).map(|(_, value)| value);
        let value = values.next().filter(|_| values.next().is_none())?;
        String::from_utf8(value.clone()).ok()
    };
    text("timestamp").zip(text("token")).zip(text("signature")).map(Said::of)
}

impl Said {
    fn of(((timestamp, token), signature): ((String, String), String)) -> Self {
        Said { timestamp, token, signature }
    }
}
