//! Hygraph, formerly GraphCMS: the signature covers a JSON text that contains the body as a string.

use super::{
    DEFAULT_TOLERANCE, Encoding, Rejection, RequestHead, WebhookRequest, decode_signature, hmac_matches, timestamp,
    verified,
};
use aws_lc_rs::hmac;

const HEADER: &str = "gcms-signature";

struct SignatureFields<'a> {
    signature: Vec<u8>,
    environment: &'a str,
    time: &'a str,
}

pub(in super::super) fn head(head: &RequestHead<'_>) -> Result<(), Rejection> {
    parse(head).map(|_| ())
}

fn parse<'a>(head: &RequestHead<'a>) -> Result<SignatureFields<'a>, Rejection> {
    let unreadable = || Rejection::MalformedHeader(HEADER.to_owned());
    let value = head.single(HEADER)?;
    let one = |mark: &str| {
        let mut found = value.split(',').filter_map(|one| one.trim().strip_prefix(mark));
        found.next().filter(|_| found.next().is_none()).ok_or_else(unreadable)
    };
    let signature = decode_signature(Encoding::Base64, one("sign=")?).ok_or_else(unreadable)?;
    let (environment, time) = (one("env=")?, one("t=")?);
    // The time becomes a number in the signed text, so it must contain nothing but digits.
    if time.is_empty() || time.starts_with('0') || !time.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Rejection::InvalidTimestamp);
    }
    timestamp::check(time, DEFAULT_TOLERANCE, head.now)?;
    Ok(SignatureFields { signature, environment, time })
}

pub(in super::super) fn verify(key: &hmac::Key, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
    let fields = parse(message.head)?;
    let body = std::str::from_utf8(message.body).map_err(|_| Rejection::InvalidBody("its body is not text"))?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let (body, environment) = (quoted(body), quoted(fields.environment));
    let text = [r#"{"Body":"#, &body, r#","EnvironmentName":"#, &environment, r#","TimeStamp":"#, fields.time, "}"];
    verified(hmac_matches(key, text.into_iter().map(str::as_bytes), &fields.signature))
}
