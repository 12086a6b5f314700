//! Mailgun: the signature stands in the body and covers a timestamp and a token, each of which may come once.

use super::{Encoding, Field, Message, Reason, USUAL, bytes, judged, moment, signs};
use crate::modules::webhook_verification::{json::Leaf, multipart};
use aws_lc_rs::hmac;
use jiff::Timestamp;
use serde::Deserialize;
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

/// The object in the body, as far as it matters.
#[derive(Deserialize)]
struct Sent {
    signature: Said,
}

#[derive(Deserialize)]
struct Said {
    timestamp: Leaf,
    token: Leaf,
    signature: Leaf,
}

pub(in super::super) fn judge(key: &hmac::Key, used: &Used, message: &Message<'_>) -> Result<(), Reason> {
    let said = match message.head.boundary() {
        // With attachments.
        Some(boundary) => of_form(&multipart::fields(message.body, boundary)?),
        None if message.head.is_form() => of_form(&message.form()?),
        None => message.object::<Sent>()?.signature,
    };
    let (Leaf(Some(timestamp)), Leaf(Some(token)), Leaf(Some(signature))) =
        (said.timestamp, said.token, said.signature)
    else {
        return Err(Reason::Body("its body has no timestamp, token and signature"));
    };
    let given = bytes(Encoding::Hex, &signature).ok_or(Reason::Wrong)?;
    moment::judge(&timestamp, USUAL, message.head.now)?;
    judged(signs(key, [timestamp.as_bytes(), token.as_bytes()], &given))?;
    // What is signed counts as one: nobody can make a new token of an old one by moving digits into the timestamp.
    let once = timestamp + &token;
    if used.take(once, message.head.now) { Ok(()) } else { Err(Reason::Used) }
}

fn of_form(fields: &[Field]) -> Said {
    let text = |wanted: &str| {
        let mut values = fields.iter().filter(|(name, _)| name == wanted.as_bytes()).map(|(_, value)| value);
        let once = values.next().filter(|_| values.next().is_none());
        Leaf(once.and_then(|value| String::from_utf8(value.clone()).ok()))
    };
    Said { timestamp: text("timestamp"), token: text("token"), signature: text("signature") }
}
