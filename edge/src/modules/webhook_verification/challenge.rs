//! Challenges: requests by which a provider validates an endpoint.

use super::{
    rejection::Rejection,
    request::{RequestHead, WebhookRequest},
    signature_scheme::Challenge,
};
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
/// Maximum length of a challenge token; providers' are far shorter.
const MAX_TOKEN_BYTES: usize = 1024;

/// Maximum size of Xero's challenge, which may have a wrong signature.
pub(super) const MAX_XERO_CHALLENGE_BYTES: u64 = 4096;

/// Outcome of a challenge.
pub(super) enum ChallengeOutcome {
    /// The service behind the edge responds.
    Forward,
    Respond(Box<Response<ResponseBody>>),
}

/// Handles unsigned challenges, none of which has a body.
pub(super) fn unsigned(
    challenge: Challenge,
    secret: &Secret,
    head: &RequestHead<'_>,
    empty: bool,
) -> Result<Option<ChallengeOutcome>, Rejection> {
    if *head.method != Method::GET || !empty {
        return Ok(None);
    }
    Ok(match challenge {
        Challenge::Forwarded(names) if names.iter().all(|name| head.query_value(name).is_some()) => {
            Some(ChallengeOutcome::Forward)
        }
        Challenge::Twitter => head.query_value("crc_token").map(|token| twitter(secret, token)).transpose()?,
        Challenge::Worldline if head.has(VERIFICATION) => {
            let said = head.single(VERIFICATION)?;
            if said.len() > MAX_TOKEN_BYTES {
                return Err(Rejection::InvalidChallenge);
            }
            Some(ChallengeOutcome::respond(StatusCode::OK, "text/plain", said.to_owned()))
        }
        _ => None,
    })
}

/// Signs the token of Twitter's challenge, as the provider requires, with the key of its webhooks. Text that could be
/// the body of a webhook is never signed: otherwise anyone could have a forged webhook signed here.
fn twitter(secret: &Secret, token: &str) -> Result<ChallengeOutcome, Rejection> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
    if token.is_empty() || token.len() > MAX_TOKEN_BYTES || !token.bytes().all(plain) {
        return Err(Rejection::InvalidChallenge);
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    let signed = BASE64_STANDARD.encode(hmac::sign(&key, token.as_bytes()));
    let answer = json!({ "response_token": format!("sha256={signed}") });
    Ok(ChallengeOutcome::respond(StatusCode::OK, "application/json", answer.to_string()))
}

/// Handles signed challenges after their verification.
pub(super) fn signed(
    challenge: Challenge,
    secret: &Secret,
    message: &WebhookRequest<'_>,
    verdict: Result<(), Rejection>,
) -> Result<Option<ChallengeOutcome>, Rejection> {
    match challenge {
        // Xero also sends challenges with wrong signatures and expects status 401 for them.
        Challenge::Xero if intends_to_receive(message) => {
            let status = if verdict.is_ok() { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
            Ok(Some(ChallengeOutcome::respond(status, "text/plain", String::new())))
        }
        Challenge::Zoom => {
            verdict?;
            Ok(zoom(secret, message))
        }
        _ => verdict.map(|()| None),
    }
}

/// Xero's challenge: a webhook without events.
#[derive(Deserialize)]
struct Intent {
    events: Vec<IgnoredAny>,
}

fn intends_to_receive(message: &WebhookRequest<'_>) -> bool {
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

/// Signs the given token, so the request must have been verified.
fn zoom(secret: &Secret, message: &WebhookRequest<'_>) -> Option<ChallengeOutcome> {
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
    Some(ChallengeOutcome::respond(StatusCode::OK, "application/json", answer.to_string()))
}

impl ChallengeOutcome {
    fn respond(status: StatusCode, kind: &'static str, text: String) -> Self {
        let mut response = Response::new(ResponseBody::full(Bytes::from(text)));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        ChallengeOutcome::Respond(Box::new(response))
    }
}
