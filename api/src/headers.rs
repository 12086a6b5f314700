//! Header changes: allowed names and values (RFC 9110, section 5), and their canonical form.

pub mod variables;

use crate::{Code, Error, Result, module::HeaderChanges};
use http::HeaderName;
use std::collections::{BTreeMap, BTreeSet};

/// Limit of headers to add, and of headers to remove.
pub const COUNT_LIMIT: usize = 100;
/// Longest name in bytes.
pub const NAME_LIMIT: usize = 256;
/// Longest value in bytes.
pub const VALUE_LIMIT: usize = 4096;
/// Total bytes of all added names and values; most HTTP programs refuse more.
pub const ADDED_LIMIT: usize = 32 << 10;
/// Pattern of header names.
pub const NAME_PATTERN: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
/// Pattern of header values.
pub const VALUE_PATTERN: &str = "^[\\t -~]*$";

/// Connection-specific and framing headers (RFC 9110, section 7.6.1); changing them would break the message.
const FRAMING: [&str; 12] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// Prefix of headers that only this server sets.
const OWN_PREFIX: &str = "postern-";

/// Whether a byte may be part of a token: of the name of a method, a header or a cookie (RFC 9110, section 5.6.2).
#[inline]
pub fn is_token_byte(byte: u8) -> bool {
    TOKEN_BYTES[byte as usize]
}

/// Looked up for each byte of a header block.
static TOKEN_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut others: &[u8] = b"!#$%&'*+-.^_`|~";
    while let [first, rest @ ..] = others {
        table[*first as usize] = true;
        others = rest;
    }
    table
};

/// Direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the backend (requests).
    Request,
    /// To the visitor (responses).
    Response,
}

/// Validates changes and makes them canonical: names in lower case.
///
/// # Errors
/// The code of the first invalid name or value, with the `field` detail.
pub fn canonical(changes: HeaderChanges, direction: Direction) -> Result<HeaderChanges> {
    let HeaderChanges { enabled, add, remove } = changes;
    count(add.len(), "add")?;
    count(remove.len(), "remove")?;
    let removed = names(&remove, direction, "remove")?;
    let added = names(add.keys(), direction, "add")?;
    if let Some(own) = added.iter().find(|name| name.starts_with(OWN_PREFIX)) {
        let sentence =
            format!("`{own}` cannot be added: only this server says headers that begin with `{OWN_PREFIX}`.");
        return Err(refused(Code::HeaderForbidden, sentence, "add", own));
    }
    let host = |names: &[String]| names.iter().any(|name| name == "host");
    if host(&removed) && !host(&added) {
        let sentence = "A request must have a `host`: it can be removed only if `add` holds another one.";
        return Err(refused(Code::HeaderHostRemoved, sentence, "remove", "host"));
    }
    let add: BTreeMap<String, String> = added.into_iter().zip(add.into_values()).collect();
    for (name, text) in &add {
        value(name, text)?;
    }
    let total: usize = add.iter().map(|(name, value)| name.len() + value.len()).sum();
    if total > ADDED_LIMIT {
        let sentence = format!("The added headers have {total} bytes together; at most {ADDED_LIMIT} are allowed.");
        return Err(Error::new(Code::HeaderValueLength, sentence).with("field", "add"));
    }
    Ok(HeaderChanges { enabled, add, remove: removed })
}

fn count(number: usize, field: &str) -> Result<()> {
    if number <= COUNT_LIMIT {
        return Ok(());
    }
    let sentence = format!("`{field}` has {number} headers; at most {COUNT_LIMIT} are allowed.");
    Err(Error::new(Code::HeaderCount, sentence).with("field", field))
}

/// Names of a list in lower case, in the same order.
fn names<'a>(
    list: impl IntoIterator<Item = &'a String>,
    direction: Direction,
    field: &'static str,
) -> Result<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for text in list {
        let name = name(text, direction, field)?;
        if !seen.insert(name.clone()) {
            let sentence = format!("`{field}` has `{name}` twice: upper and lower case are the same.");
            return Err(refused(Code::HeaderTwice, sentence, field, &name));
        }
        names.push(name);
    }
    Ok(names)
}

fn name(text: &str, direction: Direction, field: &'static str) -> Result<String> {
    let shown: String = text.chars().take(64).collect();
    if text.len() > NAME_LIMIT {
        let sentence = format!("The name `{shown}…` has {} bytes; at most {NAME_LIMIT} are allowed.", text.len());
        return Err(refused(Code::HeaderNameLength, sentence, field, &shown));
    }
    let name = HeaderName::from_bytes(text.as_bytes()).map_err(|_| {
        let sentence = format!("`{shown}` is not the name of a header: letters, digits and `-` are.");
        refused(Code::HeaderName, sentence, field, &shown)
    })?;
    if FRAMING.contains(&name.as_str()) {
        let sentence = format!("`{name}` cannot be changed: it concerns one connection or says where a message ends.");
        return Err(refused(Code::HeaderForbidden, sentence, field, name.as_str()));
    }
    if direction == Direction::Request && name == http::header::USER_AGENT {
        let sentence = "`user-agent` cannot be changed: the backend is told what the visitor says.";
        return Err(refused(Code::HeaderForbidden, sentence, field, "user-agent"));
    }
    Ok(name.as_str().to_owned())
}

/// Validates a value. Errors never contain it, because it may be a password.
fn value(name: &str, text: &str) -> Result<()> {
    if text.len() > VALUE_LIMIT {
        let sentence = format!("The value of `{name}` has {} bytes; at most {VALUE_LIMIT} are allowed.", text.len());
        return Err(refused(Code::HeaderValueLength, sentence, "add", name));
    }
    if !text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)) {
        let sentence =
            format!("The value of `{name}` holds what a header cannot: only printable ASCII and tabs can be.");
        return Err(refused(Code::HeaderValue, sentence, "add", name));
    }
    Ok(())
}

fn refused(code: Code, sentence: impl Into<String>, field: &str, name: &str) -> Error {
    Error::new(code, sentence).with("field", field).with("name", name)
}

#[cfg(test)]
mod tests;
