//! Validation of names to reserve.

use crate::resources::Resources;
use postern_api::{Code, Error, Result, host::HostName, resource::DOMAIN_LIMIT};
use std::net::IpAddr;

/// Longest label of a name in bytes (RFC 1035, section 2.3.4).
const MAX_LABEL_BYTES: usize = 63;

/// Parses a name. A single label stands for a name below the server's domain.
pub(super) fn parse(text: &str, ctx: &Resources) -> Result<HostName> {
    let domain = &ctx.settings.domain;
    let bare = !text.contains('.') && text != domain.as_str();
    let text = if bare { format!("{text}.{domain}") } else { text.to_owned() };
    let name = validate(&text)?;
    let own = std::iter::once(domain).chain(&ctx.settings.own_names);
    for own in own {
        let wildcard = name.wildcard_parent() == Some(domain.as_str());
        if wildcard || own.owned_with().any(|owner| owner == name) {
            let sentence = format!(
                "`{name}` cannot be reserved: the server itself needs `{own}`. Take a name below it, like `shop.{domain}`."
            );
            return Err(Error::new(Code::DomainOwn, sentence));
        }
    }
    Ok(name)
}

/// Name in the key of a claim.
pub(super) fn from_claim(key: &str) -> Option<HostName> {
    let reversed: Vec<&str> = key.rsplit('/').next()?.rsplit('.').collect();
    HostName::parse(&reversed.join(".")).ok()
}

/// Validates a name; each mistake has its own code.
fn validate(text: &str) -> Result<HostName> {
    let shown: String = text.chars().take(80).collect();
    let refuse = |code, why: &str| Err(Error::new(code, format!("`{shown}` cannot be reserved: {why}.")));
    if !text.is_ascii() {
        return match HostName::parse(text) {
            Ok(name) => refuse(Code::DomainCharacter, &format!("write it in its encoded form, `{name}`")),
            Err(_) => refuse(Code::DomainCharacter, "it has characters that are not allowed in a name"),
        };
    }
    if text.len() > DOMAIN_LIMIT {
        return refuse(Code::DomainTooLong, &format!("it is longer than {DOMAIN_LIMIT} bytes"));
    }
    if text.parse::<IpAddr>().is_ok() {
        return refuse(Code::DomainCharacter, "it is an IP address");
    }
    let parts: Vec<&str> = text.split('.').collect();
    for (place, part) in parts.iter().enumerate() {
        if *part == "*" && place == 0 && parts.len() > 1 {
            continue;
        }
        let (first, last) = (part.bytes().next(), part.bytes().last());
        let (Some(first), Some(last)) = (first, last) else {
            return refuse(Code::DomainPartEmpty, "it has an empty part");
        };
        if part.contains('*') {
            return refuse(Code::NameInvalid, "`*` can only be its whole first part");
        }
        if part.contains('_') {
            return refuse(Code::DomainUnderscore, "it has an underscore");
        }
        if let Some(letter) = part.chars().find(|letter| !letter.is_ascii_alphanumeric() && *letter != '-') {
            return refuse(Code::DomainCharacter, &format!("`{}` is not allowed in a name", letter.escape_default()));
        }
        if part.len() > MAX_LABEL_BYTES {
            return refuse(Code::DomainPartTooLong, &format!("a part of it is longer than {MAX_LABEL_BYTES} bytes"));
        }
        let top = place + 1 == parts.len();
        if first == b'-' || (top && !first.is_ascii_alphabetic()) {
            let why = if top { "its last part must begin with a letter" } else { "a part of it begins with a hyphen" };
            return refuse(Code::DomainPartStart, why);
        }
        if last == b'-' {
            return refuse(Code::DomainPartEnd, "a part of it ends with a hyphen");
        }
        let encoded = part.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
        if part.get(2..4) == Some("--") && !encoded {
            return refuse(
                Code::DomainHyphens,
                "only encoded names, `xn--…`, have hyphens in the third and fourth place",
            );
        }
    }
    HostName::parse(text).or_else(|_| refuse(Code::DomainEncoding, "a part of it is not encoded correctly"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_mistake_has_its_code() {
        for (text, code) in [
            ("a.*.test", Code::NameInvalid),
            ("a*.test", Code::NameInvalid),
            ("*", Code::NameInvalid),
            ("bücher.test", Code::DomainCharacter),
            ("a b.test", Code::DomainCharacter),
            ("192.0.2.7", Code::DomainCharacter),
            ("-a.test", Code::DomainPartStart),
            ("a.7", Code::DomainPartStart),
            ("a-.test", Code::DomainPartEnd),
            ("a..test", Code::DomainPartEmpty),
            ("a.test.", Code::DomainPartEmpty),
            (".test", Code::DomainPartEmpty),
            ("ab--c.test", Code::DomainHyphens),
            ("xn--a-.test", Code::DomainPartEnd),
            ("xn--0000000.test", Code::DomainEncoding),
            ("a_b.test", Code::DomainUnderscore),
            (&format!("{}.test", "a".repeat(64)), Code::DomainPartTooLong),
            (&format!("{}test", "a.".repeat(125)), Code::DomainTooLong),
        ] {
            assert_eq!(validate(text).expect_err(text).code, code, "{text}");
        }
        for (text, name) in [
            ("Shop.Example.COM", "shop.example.com"),
            ("*.shop.test", "*.shop.test"),
            ("xn--bcher-kva.test", "xn--bcher-kva.test"),
            ("a--b.test", "a--b.test"),
        ] {
            assert_eq!(validate(text).expect(text).as_str(), name);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_validated_without_a_panic(text in "\\PC{0,60}") {
            if let Ok(name) = validate(&text) {
                prop_assert_eq!(validate(name.as_str()).expect("canonical"), name.clone());
                prop_assert_eq!(from_claim(&format!("claims/host/{}", name.reversed())), Some(name));
            }
        }
    }
}
