//! Mailgun: the signature is in the body and covers a timestamp and a one-time token.

use super::{
    DEFAULT_TOLERANCE, Encoding, Field, Rejection, WebhookRequest, decode_signature, hmac_matches, timestamp, verified,
};
use crate::modules::webhook_verification::{json::JsonScalar, multipart};
use aws_lc_rs::hmac;
use jiff::Timestamp;
use serde::Deserialize;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Stored tokens. Only the provider can create them, so visitors cannot fill the store.
const MAX_TOKENS: usize = 100_000;

/// Used tokens, until their timestamps are too old to be used again.
#[derive(Debug, Default)]
pub(in super::super) struct UsedTokens(Mutex<HashMap<String, i64>>);

impl UsedTokens {
    /// Stores a token; whether it is new.
    fn take(&self, token: String, now: Timestamp) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.as_second();
        if used.len() >= MAX_TOKENS {
            used.retain(|_, until| *until >= now);
        }
        if used.len() >= MAX_TOKENS || used.get(&token).is_some_and(|until| *until >= now) {
            return false;
        }
        // A timestamp may be ahead by the tolerance, and is valid until it is behind by the same.
        used.insert(token, now + 2 * i64::from(DEFAULT_TOLERANCE));
        true
    }
}

/// The object in the body; other members are skipped.
#[derive(Deserialize)]
struct WebhookBody {
    signature: SignatureFields,
}

#[derive(Deserialize)]
struct SignatureFields {
    timestamp: JsonScalar,
    token: JsonScalar,
    signature: JsonScalar,
}

pub(in super::super) fn verify(
    key: &hmac::Key,
    used: &UsedTokens,
    message: &WebhookRequest<'_>,
) -> Result<(), Rejection> {
    let fields = match message.head.boundary() {
        // A webhook with attachments.
        Some(boundary) => of_form(&multipart::fields(message.body, boundary)?),
        None if message.head.is_form() => of_form(&message.form()?),
        None => message.object::<WebhookBody>()?.signature,
    };
    let (JsonScalar(Some(timestamp)), JsonScalar(Some(token)), JsonScalar(Some(signature))) =
        (fields.timestamp, fields.token, fields.signature)
    else {
        return Err(Rejection::InvalidBody("its body has no timestamp, token and signature"));
    };
    let given = decode_signature(Encoding::Hex, &signature).ok_or(Rejection::WrongSignature)?;
    timestamp::check(&timestamp, DEFAULT_TOLERANCE, message.head.now)?;
    verified(hmac_matches(key, [timestamp.as_bytes(), token.as_bytes()], &given))?;
    // Timestamp and token are stored as one text, so digits moved between them do not make a new token.
    let once = timestamp + &token;
    if used.take(once, message.head.now) { Ok(()) } else { Err(Rejection::Replayed) }
}

fn of_form(fields: &[Field]) -> SignatureFields {
    let text = |parameter: &str| {
        let mut values = fields.iter().filter(|(name, _)| name == parameter.as_bytes()).map(|(_, value)| value);
        let once = values.next().filter(|_| values.next().is_none());
        JsonScalar(once.and_then(|value| String::from_utf8(value.clone()).ok()))
    };
    SignatureFields { timestamp: text("timestamp"), token: text("token"), signature: text("signature") }
}
