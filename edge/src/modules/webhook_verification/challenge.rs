//! Requests by which a provider finds out whether an endpoint is what it seems.

use super::{message::Head, message::Message, reason::Reason, scheme::Challenge};
use crate::upstream::ResponseBody;
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use hyper::{
    Method, Response, StatusCode,
    header::{self, HeaderValue},
};
use postern_api::Secret;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::json;
use std::fmt::Write;

const VERIFICATION: &str = "X-GCS-Webhooks-Endpoint-Verification";
/// No provider's challenge comes near.
const LONGEST: usize = 1024;

/// The question of a provider that may be signed wrongly is far shorter.
pub(super) const LONGEST_QUESTION: u64 = 4096;

/// What a challenge leads to.
pub(super) enum Asked {
    /// The service behind the edge answers.
    Passes,
    Answered(Box<Response<ResponseBody>>),
}

/// Requests that are not signed. None of them has a body.
pub(super) fn unsigned(
    challenge: Challenge,
    secret: &Secret,
    head: &Head<'_>,
    empty: bool,
) -> Result<Option<Asked>, Reason> {
    if *head.method != Method::GET || !empty {
        return Ok(None);
    }
    Ok(match challenge {
        Challenge::Passes(names) if names.iter().all(|name| head.asked(name).is_some()) => Some(Asked::Passes),
        Challenge::Twitter => head.asked("crc_token").map(|token| twitter(secret, token)).transpose()?,
        Challenge::Worldline if head.has(VERIFICATION) => {
            let said = head.one(VERIFICATION)?;
            if said.len() > LONGEST {
                return Err(Reason::Challenge);
            }
            Some(Asked::answered(StatusCode::OK, "text/plain", said.to_owned()))
        }
        _ => None,
    })
}

/// The provider wants its token signed, by the key that it signs its webhooks with. Whatever could be the body of a
/// webhook is therefore never signed: else anybody could have one signed here and send it in the provider's name.
fn twitter(secret: &Secret, token: &str) -> Result<Asked, Reason> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
    if token.is_empty() || token.len() > LONGEST || !token.bytes().all(plain) {
        return Err(Reason::Challenge);
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    let signed = BASE64_STANDARD.encode(hmac::sign(&key, token.as_bytes()));
    let answer = json!({ "response_token": format!("sha256={signed}") });
    Ok(Asked::answered(StatusCode::OK, "application/json", answer.to_string()))
}

/// Requests that are signed, and were judged.
pub(super) fn signed(
    challenge: Challenge,
    secret: &Secret,
    message: &Message<'_>,
    verdict: Result<(), Reason>,
) -> Result<Option<Asked>, Reason> {
    match challenge {
        // It sends some with wrong signatures, and wants them refused in its own way.
        Challenge::Xero if intends_to_receive(message) => {
            let status = if verdict.is_ok() { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
            Ok(Some(Asked::answered(status, "text/plain", String::new())))
        }
        Challenge::Zoom => {
            verdict?;
            Ok(zoom(secret, message))
        }
        _ => verdict.map(|()| None),
    }
}

/// A question in the form of a webhook without events.
#[derive(Deserialize)]
struct Intent {
    events: Vec<IgnoredAny>,
}

fn intends_to_receive(message: &Message<'_>) -> bool {
    message.object::<Intent>().is_ok_and(|intent| intent.events.is_empty())
}

#[derive(Deserialize)]
struct Validation {
    event: String,
    payload: Token,
}

#[derive(Deserialize)]
struct Token {
    #[serde(rename = "plainToken")]
    plain: String,
}

/// Signs what it is given, so it must come from somebody who can sign anyway.
fn zoom(secret: &Secret, message: &Message<'_>) -> Option<Asked> {
    let asked: Validation = message.object().ok()?;
    if asked.event != "endpoint.url_validation" {
        return None;
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    let mut encrypted = String::new();
    for byte in hmac::sign(&key, asked.payload.plain.as_bytes()).as_ref() {
        let _ = write!(encrypted, "{byte:02x}");
    }
    let answer = json!({ "plainToken": asked.payload.plain, "encryptedToken": encrypted });
    Some(Asked::answered(StatusCode::OK, "application/json", answer.to_string()))
}

impl Asked {
    fn answered(status: StatusCode, kind: &'static str, text: String) -> Self {
        let mut response = Response::new(ResponseBody::full(Bytes::from(text)));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Asked::Answered(Box::new(response))
    }
}
