//! Contentful: method, path, some headers and the body; one of the headers tells which.

use super::{Encoding, Head, Message, Reason, USUAL, judged, moment, signature, signs};
use aws_lc_rs::hmac;
use std::fmt::Write;

const SIGNATURE: &str = "x-contentful-signature";
const SIGNED: &str = "x-contentful-signed-headers";
const TIMESTAMP: &str = "x-contentful-timestamp";
/// Far more headers than it signs.
const MOST: usize = 64;

pub(in super::super) fn head(head: &Head<'_>) -> Result<(), Reason> {
    signature(head, SIGNATURE, Encoding::Hex)?;
    moment::judge(head.one(TIMESTAMP)?, USUAL, head.now)?;
    headers(head).map(|_| ())
}

pub(in super::super) fn judge(key: &hmac::Key, message: &Message<'_>) -> Result<(), Reason> {
    let given = signature(message.head, SIGNATURE, Encoding::Hex)?;
    let headers = headers(message.head)?;
    let target = message.head.target();
    let fits = |target: &str| {
        let parts = [message.head.method.as_str(), "\n", target, "\n", &headers, "\n"];
        signs(key, parts.into_iter().map(str::as_bytes).chain([message.body]), &given)
    };
    judged(fits(target) || fits(&escaped(target)))
}

/// The headers that are signed, in their order. The list must hold itself and the timestamp: otherwise anybody could
/// change them.
fn headers(head: &Head<'_>) -> Result<String, Reason> {
    let unreadable = || Reason::Unreadable(SIGNED.to_owned());
    let mut names: Vec<String> =
        head.one(SIGNED)?.split(',').map(|name| name.trim().to_ascii_lowercase()).take(MOST + 1).collect();
    let itself = [SIGNED, TIMESTAMP].iter().all(|needed| names.iter().any(|name| name == needed));
    if !itself || names.len() > MOST {
        return Err(unreadable());
    }
    names.sort();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(unreadable());
    }
    let mut text = String::new();
    for name in &names {
        let gap = if text.is_empty() { "" } else { ";" };
        let _ = write!(text, "{gap}{name}:{}", head.one(name)?.trim());
    }
    Ok(text)
}

/// The target as the provider's own library spells it: the query is escaped as if it were one value, and then all of
/// it once more as an address.
fn escaped(target: &str) -> String {
    const VALUE: &[u8] = b"-_.!~*'()";
    const ADDRESS: &[u8] = b";,/?:@&=+$-_.!~*'()#";
    let mut pieces = target.split('?');
    let path = pieces.next().unwrap_or_default();
    match pieces.next().filter(|query| !query.is_empty()) {
        Some(query) => with_percent_signs(&format!("{path}?{}", with_percent_signs(query, VALUE)), ADDRESS),
        None => with_percent_signs(path, ADDRESS),
    }
}

fn with_percent_signs(text: &str, plain: &[u8]) -> String {
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
            assert_eq!(escaped(target), expected);
        }
    }
}
