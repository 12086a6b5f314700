//! Contentful: method, path, some headers and the body are signed; one header lists the signed ones.

use super::{
    DEFAULT_TOLERANCE, Encoding, Rejection, RequestHead, WebhookRequest, hmac_matches, signature, timestamp, verified,
};
use aws_lc_rs::hmac;
use std::fmt::Write;

const SIGNATURE_HEADER: &str = "x-contentful-signature";
const SIGNED: &str = "x-contentful-signed-headers";
const TIMESTAMP_HEADER: &str = "x-contentful-timestamp";
/// Maximum number of signed headers; the provider signs far fewer.
const MAX_HEADERS: usize = 64;

pub(in super::super) fn head(head: &RequestHead<'_>) -> Result<(), Rejection> {
    signature(head, SIGNATURE_HEADER, Encoding::Hex)?;
    timestamp::check(head.single(TIMESTAMP_HEADER)?, DEFAULT_TOLERANCE, head.now)?;
    headers(head).map(|_| ())
}

pub(in super::super) fn verify(key: &hmac::Key, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
    let given = signature(message.head, SIGNATURE_HEADER, Encoding::Hex)?;
    let headers = headers(message.head)?;
    let target = message.head.target();
    let matches_signature = |target: &str| {
        let parts = [message.head.method.as_str(), "\n", target, "\n", &headers, "\n"];
        hmac_matches(key, parts.into_iter().map(str::as_bytes).chain([message.body]), &given)
    };
    verified(matches_signature(target) || matches_signature(&escape_target(target)))
}

/// The signed headers, sorted by name. The list must contain itself and the timestamp: otherwise both could be changed.
fn headers(head: &RequestHead<'_>) -> Result<String, Rejection> {
    let unreadable = || Rejection::MalformedHeader(SIGNED.to_owned());
    let mut names: Vec<String> =
        head.single(SIGNED)?.split(',').map(|name| name.trim().to_ascii_lowercase()).take(MAX_HEADERS + 1).collect();
    let itself = [SIGNED, TIMESTAMP_HEADER].iter().all(|needed| names.iter().any(|name| name == needed));
    if !itself || names.len() > MAX_HEADERS {
        return Err(unreadable());
    }
    names.sort();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(unreadable());
    }
    let mut text = String::new();
    for name in &names {
        let gap = if text.is_empty() { "" } else { ";" };
        let _ = write!(text, "{gap}{name}:{}", head.single(name)?.trim());
    }
    Ok(text)
}

/// The target as spelt by the provider's library: the query is escaped like a single value, then the whole target again
/// like a URL.
fn escape_target(target: &str) -> String {
    const VALUE: &[u8] = b"-_.!~*'()";
    const ADDRESS: &[u8] = b";,/?:@&=+$-_.!~*'()#";
    let mut pieces = target.split('?');
    let path = pieces.next().unwrap_or_default();
    match pieces.next().filter(|query| !query.is_empty()) {
        Some(query) => percent_encode(&format!("{path}?{}", percent_encode(query, VALUE)), ADDRESS),
        None => percent_encode(path, ADDRESS),
    }
}

fn percent_encode(text: &str, plain: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            escaped.push(byte as char);
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_escaped_as_the_library_does_it() {
        for (target, expected) in [
            ("/api/x", "/api/x"),
            ("/a%20b?", "/a%2520b"),
            ("/x?a=b&c=d", "/x?a%253Db%2526c%253Dd"),
            ("/x?a?b", "/x?a"),
        ] {
            assert_eq!(escape_target(target), expected);
        }
    }
}
