//! Hygraph, called GraphCMS before: a JSON text that holds the body as a string.

use super::{Encoding, Head, Message, Reason, USUAL, bytes, judged, moment, signs};
use aws_lc_rs::hmac;

const HEADER: &str = "gcms-signature";

struct Said<'a> {
    signature: Vec<u8>,
    environment: &'a str,
    time: &'a str,
}

pub(in super::super) fn head(head: &Head<'_>) -> Result<(), Reason> {
    read(head).map(|_| ())
}

fn read<'a>(head: &Head<'a>) -> Result<Said<'a>, Reason> {
    let unreadable = || Reason::Unreadable(HEADER.to_owned());
    let said = head.one(HEADER)?;
    let one = |mark: &str| {
        let mut found = said.split(',').filter_map(|one| one.trim().strip_prefix(mark));
        found.next().filter(|_| found.next().is_none()).ok_or_else(unreadable)
    };
    let signature = bytes(Encoding::Base64, one("sign=")?).ok_or_else(unreadable)?;
    let (environment, time) = (one("env=")?, one("t=")?);
    // In the text it is a number: nothing else may get in there.
    if time.is_empty() || time.starts_with('0') || !time.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Reason::Time);
    }
    moment::judge(time, USUAL, head.now)?;
    Ok(Said { signature, environment, time })
}

pub(in super::super) fn judge(key: &hmac::Key, message: &Message<'_>) -> Result<(), Reason> {
    let said = read(message.head)?;
    let body = std::str::from_utf8(message.body).map_err(|_| Reason::Body("its body is not text"))?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let (body, environment) = (quoted(body), quoted(said.environment));
    let text = [r#"{"Body":"#, &body, r#","EnvironmentName":"#, &environment, r#","TimeStamp":"#, said.time, "}"];
    judged(signs(key, text.into_iter().map(str::as_bytes), &said.signature))
}
