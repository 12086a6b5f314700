//! One way of signing at work: first the head of a request is read, then its body is held against it.

use super::{
    message::{Field, Head, Message},
    moment,
    reason::Reason,
    scheme::{At, Digest, Encoding, Given, KeyForm, Part, Way},
};
use aws_lc_rs::{constant_time::verify_slices_are_equal, digest, hmac};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD},
};
use postern_api::Secret;
use smallvec::SmallVec;
use std::borrow::Cow;

/// A way, and the key for it.
pub(super) struct Check {
    way: &'static Way,
    key: Key,
    secret: Secret,
}

enum Key {
    Hmac(Box<hmac::Key>),
    None,
    /// The secret is not one that the provider gives.
    Unusable,
}

/// What the head of a request says.
pub(super) struct Claim<'a> {
    check: &'a Check,
    signatures: SmallVec<[Vec<u8>; 2]>,
    time: String,
}

impl Check {
    pub(super) fn of(way: &'static Way, secret: &Secret) -> Self {
        let algorithm = match way.digest {
            _ if way.given == Given::Secret => None,
            Digest::HmacSha1 => Some(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
            Digest::HmacSha256 => Some(hmac::HMAC_SHA256),
            Digest::HmacSha512 => Some(hmac::HMAC_SHA512),
            Digest::Sha256 => None,
        };
        let key = match (algorithm, key_bytes(way.key, secret.reveal())) {
            (None, _) => Key::None,
            (Some(algorithm), Some(bytes)) => Key::Hmac(Box::new(hmac::Key::new(algorithm, &bytes))),
            (Some(_), None) => Key::Unusable,
        };
        Check { way, key, secret: secret.clone() }
    }

    /// Whether a request is signed in this way, right or wrong.
    fn fits(&self, head: &Head<'_>) -> bool {
        let Way { header, second, given, also, .. } = self.way;
        let there = match given {
            Given::After(mark) => {
                head.headers.get_all(*header).iter().any(|value| value.as_bytes().starts_with(mark.as_bytes()))
            }
            Given::Numbered => head.has(&format!("{header}-1")),
            Given::Whole | Given::Listed { .. } | Given::Secret => {
                head.has(header) || second.is_some_and(|second| head.has(second))
            }
        };
        there && also.iter().all(|(name, value)| head.one(name).is_ok_and(|said| said == *value))
    }

    /// Reads the head of a request.
    fn claim<'a>(&'a self, head: &Head<'_>) -> Result<Claim<'a>, Reason> {
        if matches!(self.key, Key::Unusable) {
            return Err(Reason::Secret("the secret of the route is not one of this provider: it is not base64"));
        }
        let signatures = self.signatures(head)?;
        let mut time = String::new();
        if let Some(expected) = self.way.time {
            let said = match expected.at {
                At::Header(name) => Some(head.one(name)?),
                At::Listed(mark) => Some(self.listed(head, mark)?),
                At::Member(_) => None,
            };
            if let Some(said) = said {
                moment::judge(said, expected.tolerance, head.now)?;
                time = said.to_owned();
            }
        }
        for part in self.way.over {
            if let Part::Header(name) = part {
                head.one(name)?;
            }
        }
        Ok(Claim { check: self, signatures, time })
    }

    fn signatures(&self, head: &Head<'_>) -> Result<SmallVec<[Vec<u8>; 2]>, Reason> {
        let Way { header, second, given, encoding, .. } = self.way;
        let read = |name: &str, text: &str| bytes(*encoding, text).ok_or_else(|| Reason::Unreadable(name.to_owned()));
        let mut signatures = SmallVec::new();
        match given {
            Given::Whole => {
                for name in [Some(*header), *second].into_iter().flatten().filter(|name| head.has(name)) {
                    signatures.push(read(name, head.one(name)?)?);
                }
            }
            Given::After(mark) => {
                let said = head.one(header)?;
                let said = said.strip_prefix(mark).ok_or_else(|| Reason::Unreadable((*header).to_owned()))?;
                signatures.push(read(header, said)?);
            }
            Given::Listed { separator, mark } => {
                let said = head.one(header)?.split(*separator).filter_map(|one| one.trim().strip_prefix(mark));
                for one in said {
                    signatures.push(read(header, one)?);
                }
            }
            Given::Numbered => {
                for number in 1.. {
                    let name = format!("{header}-{number}");
                    if !head.has(&name) {
                        break;
                    }
                    signatures.push(read(&name, head.one(&name)?)?);
                }
            }
            Given::Secret => signatures.push(head.bytes(header)?.to_vec()),
        }
        if signatures.is_empty() { Err(Reason::Unreadable((*header).to_owned())) } else { Ok(signatures) }
    }

    /// What stands behind a mark in the list with the signatures, once.
    fn listed<'h>(&self, head: &Head<'h>, mark: &str) -> Result<&'h str, Reason> {
        let Given::Listed { separator, .. } = self.way.given else { return Err(Reason::Time) };
        let mut found = head.one(self.way.header)?.split(separator).filter_map(|one| one.trim().strip_prefix(mark));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(Reason::Unreadable(self.way.header.to_owned())),
        }
    }
}

impl<'a> Claim<'a> {
    /// The first of these ways that the request is signed in.
    pub(super) fn first(checks: &'a [Check], head: &Head<'_>) -> Result<Self, Reason> {
        if let Some(check) = checks.iter().find(|check| check.fits(head)) {
            return check.claim(head);
        }
        // Tells what is closest to right: a header that is there and cannot be read, or the newest one.
        for check in checks {
            let name = check.way.header;
            if head.has(name) {
                let other = check.way.also.iter().find(|(name, value)| head.one(name).ok() != Some(value));
                let Some((other, _)) = other else { return Err(Reason::Unreadable(name.to_owned())) };
                head.one(other)?;
                return Err(Reason::Unreadable((*other).to_owned()));
            }
        }
        let newest = checks.first().map_or("", |check| check.way.header);
        let numbered = checks.first().is_some_and(|check| check.way.given == Given::Numbered);
        Err(Reason::Missing(if numbered { format!("{newest}-1") } else { newest.to_owned() }))
    }

    /// Holds all of the request against what its head says.
    pub(super) fn judge(&self, message: &Message<'_>) -> Result<(), Reason> {
        let Check { way, key, secret } = self.check;
        if way.given == Given::Secret {
            return if self.signatures.iter().all(|given| same_secret(secret.reveal().as_bytes(), given)) {
                Ok(())
            } else {
                Err(Reason::Wrong)
            };
        }
        let fixed = Fixed::of(way, message)?;
        let addresses = if way.over.contains(&Part::Url) { message.head.addresses()? } else { SmallVec::new() };
        let mut spellings = addresses.iter().map(String::as_str).chain(addresses.is_empty().then_some(""));
        let fits = spellings.any(|address| {
            let feed = |sink: &mut dyn FnMut(&[u8])| self.feed(message, &fixed, address, sink);
            match key {
                Key::Hmac(key) => {
                    let mut context = hmac::Context::with_key(key);
                    feed(&mut |bytes| context.update(bytes));
                    self.given(context.sign().as_ref())
                }
                Key::None => {
                    let mut context = digest::Context::new(&digest::SHA256);
                    feed(&mut |bytes| context.update(bytes));
                    self.given(context.finish().as_ref())
                }
                Key::Unusable => false,
            }
        });
        if !fits {
            return Err(Reason::Wrong);
        }
        // The time in a body says nothing before the body is known to be genuine.
        match way.time {
            Some(time) => match time.at {
                At::Member(name) => judge_member(message, name, time.tolerance),
                At::Header(_) | At::Listed(_) => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Whether one of the signatures is this one.
    fn given(&self, expected: &[u8]) -> bool {
        let mut fits = false;
        for signature in &self.signatures {
            fits |= verify_slices_are_equal(expected, signature).is_ok();
        }
        fits
    }

    fn feed(&self, message: &Message<'_>, fixed: &Fixed<'_>, address: &str, sink: &mut dyn FnMut(&[u8])) {
        for part in self.check.way.over {
            match part {
                Part::Text(text) => sink(text.as_bytes()),
                Part::Body => sink(message.body),
                Part::Unpacked => sink(&fixed.unpacked),
                Part::Time => sink(self.time.as_bytes()),
                Part::Header(name) => sink(message.head.one(name).unwrap_or_default().as_bytes()),
                Part::Method => sink(message.head.method.as_str().as_bytes()),
                Part::Url => sink(address.as_bytes()),
                Part::Form => fixed.form.iter().for_each(|(name, value)| {
                    sink(name);
                    sink(value);
                }),
                Part::Secret => sink(self.check.secret.reveal().as_bytes()),
            }
        }
    }
}

/// Parts that must be made of the body first.
#[derive(Default)]
struct Fixed<'a> {
    unpacked: Cow<'a, [u8]>,
    form: Vec<Field>,
}

impl<'a> Fixed<'a> {
    fn of(way: &Way, message: &Message<'a>) -> Result<Self, Reason> {
        let mut fixed = Fixed::default();
        if way.over.contains(&Part::Unpacked) {
            fixed.unpacked = message.unpacked()?;
        }
        if way.over.contains(&Part::Form) {
            fixed.form = message.form()?;
            fixed.form.sort();
        }
        Ok(fixed)
    }
}

fn judge_member(message: &Message<'_>, name: &str, tolerance: u16) -> Result<(), Reason> {
    moment::judge(message.members()?.text(name).ok_or(Reason::Time)?, tolerance, message.head.now)
}

/// The bytes of a signature, written in exactly one way.
pub(super) fn bytes(encoding: Encoding, text: &str) -> Option<Vec<u8>> {
    match encoding {
        Encoding::Base64 => BASE64_STANDARD.decode(text).ok(),
        Encoding::Hex => {
            let nibble = |digit: &u8| match digit {
                b'0'..=b'9' => Some(digit - b'0'),
                b'a'..=b'f' => Some(digit - b'a' + 10),
                _ => None,
            };
            let (pairs, rest) = text.as_bytes().as_chunks::<2>();
            if !rest.is_empty() {
                return None;
            }
            pairs.iter().map(|[high, low]| Some(nibble(high)? << 4 | nibble(low)?)).collect()
        }
    }
}

fn key_bytes(form: KeyForm, secret: &str) -> Option<Vec<u8>> {
    match form {
        KeyForm::Text => Some(secret.as_bytes().to_vec()),
        KeyForm::Base64(prefix) => {
            let text = secret.strip_prefix(prefix).unwrap_or(secret).trim_end_matches('=');
            BASE64_STANDARD_NO_PAD.decode(text).ok().filter(|bytes| !bytes.is_empty())
        }
    }
}

/// Compares secrets of any length; how long it takes tells nothing about them.
pub(super) fn same_secret(one: &[u8], other: &[u8]) -> bool {
    let hash = |bytes| digest::digest(&digest::SHA256, bytes);
    verify_slices_are_equal(hash(one).as_ref(), hash(other).as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_written_in_one_way_only() {
        assert_eq!(bytes(Encoding::Hex, "00ff"), Some(vec![0, 255]));
        for text in ["00FF", "0", "0g", "00 ff", "\u{e9}"] {
            assert_eq!(bytes(Encoding::Hex, text), None, "{text}");
        }
        assert_eq!(bytes(Encoding::Base64, "AP8="), Some(vec![0, 255]));
        for text in ["AP8", "AP9=", "AP8= ", "AP-_", "AP8\u{e9}"] {
            assert_eq!(bytes(Encoding::Base64, text), None, "{text}");
        }
    }

    #[test]
    fn keys_in_base64_may_have_a_prefix_and_padding() {
        let form = KeyForm::Base64("whsec_");
        for secret in ["whsec_AP8=", "AP8=", "AP8"] {
            assert_eq!(key_bytes(form, secret), Some(vec![0, 255]), "{secret}");
        }
        for secret in ["whsec_", "", "not base64!"] {
            assert_eq!(key_bytes(form, secret), None, "{secret}");
        }
    }
}
