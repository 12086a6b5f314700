//! Verification by a signature scheme: first the head of a request is read, then the body is checked against it.

use super::{
    rejection::Rejection,
    request::{Field, RequestHead, WebhookRequest},
    signature_scheme::{
        DigestAlgorithm, Encoding, KeyForm, SignatureFormat, SignatureScheme, SignedPart, TimestampLocation,
    },
    timestamp,
};
use aws_lc_rs::{constant_time::verify_slices_are_equal, digest, hmac};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD},
};
use postern_api::Secret;
use smallvec::SmallVec;
use std::borrow::Cow;

/// A scheme with its key.
pub(super) struct SchemeVerifier {
    scheme: &'static SignatureScheme,
    key: Key,
    secret: Secret,
}

enum Key {
    Hmac(Box<hmac::Key>),
    None,
    /// The secret does not have the provider's format.
    Unusable,
}

/// The signatures and the timestamp in the head of a request.
pub(super) struct ReceivedSignature<'a> {
    check: &'a SchemeVerifier,
    signatures: SmallVec<[Vec<u8>; 2]>,
    time: String,
}

impl SchemeVerifier {
    pub(super) fn of(scheme: &'static SignatureScheme, secret: &Secret) -> Self {
        let algorithm = match scheme.digest {
            _ if scheme.format == SignatureFormat::Secret => None,
            DigestAlgorithm::HmacSha1 => Some(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
            DigestAlgorithm::HmacSha256 => Some(hmac::HMAC_SHA256),
            DigestAlgorithm::HmacSha512 => Some(hmac::HMAC_SHA512),
            DigestAlgorithm::Sha256 => None,
        };
        let key = match (algorithm, key_bytes(scheme.key, secret.reveal())) {
            (None, _) => Key::None,
            (Some(algorithm), Some(bytes)) => Key::Hmac(Box::new(hmac::Key::new(algorithm, &bytes))),
            (Some(_), None) => Key::Unusable,
        };
        SchemeVerifier { scheme, key, secret: secret.clone() }
    }

    /// Whether a request has the headers of this scheme, valid or not.
    fn applies_to(&self, head: &RequestHead<'_>) -> bool {
        let SignatureScheme { header, second, format, also, .. } = self.scheme;
        let is_present = match format {
            SignatureFormat::After(mark) => {
                head.headers.get_all(*header).iter().any(|value| value.as_bytes().starts_with(mark.as_bytes()))
            }
            SignatureFormat::Numbered => head.has(&format!("{header}-1")),
            SignatureFormat::Whole | SignatureFormat::Listed { .. } | SignatureFormat::Secret => {
                head.has(header) || second.is_some_and(|second| head.has(second))
            }
        };
        is_present && also.iter().all(|(name, value)| head.single(name).is_ok_and(|said| said == *value))
    }

    /// Reads the signatures of a head and checks its timestamp.
    fn claim<'a>(&'a self, head: &RequestHead<'_>) -> Result<ReceivedSignature<'a>, Rejection> {
        if matches!(self.key, Key::Unusable) {
            return Err(Rejection::InvalidSecret(
                "the secret of the route does not have this provider's format: it is not base64",
            ));
        }
        let signatures = self.signatures(head)?;
        let mut time = String::new();
        if let Some(expected) = self.scheme.time {
            let said = match expected.at {
                TimestampLocation::Header(name) => Some(head.single(name)?),
                TimestampLocation::Listed(mark) => Some(self.listed(head, mark)?),
                TimestampLocation::Member(_) => None,
            };
            if let Some(said) = said {
                timestamp::check(said, expected.tolerance, head.now)?;
                time = said.to_owned();
            }
        }
        for part in self.scheme.over {
            if let SignedPart::Header(name) = part {
                head.single(name)?;
            }
        }
        Ok(ReceivedSignature { check: self, signatures, time })
    }

    fn signatures(&self, head: &RequestHead<'_>) -> Result<SmallVec<[Vec<u8>; 2]>, Rejection> {
        let SignatureScheme { header, second, format, encoding, .. } = self.scheme;
        let read = |name: &str, text: &str| {
            decode_signature(*encoding, text).ok_or_else(|| Rejection::MalformedHeader(name.to_owned()))
        };
        let mut signatures = SmallVec::new();
        match format {
            SignatureFormat::Whole => {
                for name in [Some(*header), *second].into_iter().flatten().filter(|name| head.has(name)) {
                    signatures.push(read(name, head.single(name)?)?);
                }
            }
            SignatureFormat::After(mark) => {
                let said = head.single(header)?;
                let said = said.strip_prefix(mark).ok_or_else(|| Rejection::MalformedHeader((*header).to_owned()))?;
                signatures.push(read(header, said)?);
            }
            SignatureFormat::Listed { separator, mark } => {
                let said = head.single(header)?.split(*separator).filter_map(|one| one.trim().strip_prefix(mark));
                for one in said {
                    signatures.push(read(header, one)?);
                }
            }
            SignatureFormat::Numbered => {
                for number in 1.. {
                    let name = format!("{header}-{number}");
                    if !head.has(&name) {
                        break;
                    }
                    signatures.push(read(&name, head.single(&name)?)?);
                }
            }
            SignatureFormat::Secret => signatures.push(head.bytes(header)?.to_vec()),
        }
        if signatures.is_empty() { Err(Rejection::MalformedHeader((*header).to_owned())) } else { Ok(signatures) }
    }

    /// The single list entry that begins with a mark, without the mark.
    fn listed<'h>(&self, head: &RequestHead<'h>, mark: &str) -> Result<&'h str, Rejection> {
        let SignatureFormat::Listed { separator, .. } = self.scheme.format else {
            return Err(Rejection::InvalidTimestamp);
        };
        let mut found =
            head.single(self.scheme.header)?.split(separator).filter_map(|one| one.trim().strip_prefix(mark));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(Rejection::MalformedHeader(self.scheme.header.to_owned())),
        }
    }
}

impl<'a> ReceivedSignature<'a> {
    /// Reads the head by the first scheme whose headers the request has.
    pub(super) fn first(checks: &'a [SchemeVerifier], head: &RequestHead<'_>) -> Result<Self, Rejection> {
        if let Some(check) = checks.iter().find(|check| check.applies_to(head)) {
            return check.claim(head);
        }
        // Report the most helpful error: a malformed header that is present, or the missing one of the newest scheme.
        for check in checks {
            let name = check.scheme.header;
            if head.has(name) {
                let other = check.scheme.also.iter().find(|(name, value)| head.single(name).ok() != Some(value));
                let Some((other, _)) = other else { return Err(Rejection::MalformedHeader(name.to_owned())) };
                head.single(other)?;
                return Err(Rejection::MalformedHeader((*other).to_owned()));
            }
        }
        let newest = checks.first().map_or("", |check| check.scheme.header);
        let numbered = checks.first().is_some_and(|check| check.scheme.format == SignatureFormat::Numbered);
        Err(Rejection::MissingHeader(if numbered { format!("{newest}-1") } else { newest.to_owned() }))
    }

    /// Compares the whole request with its signatures.
    pub(super) fn verify(&self, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
        let SchemeVerifier { scheme, key, secret } = self.check;
        if scheme.format == SignatureFormat::Secret {
            return if self.signatures.iter().all(|signature| secrets_match(secret.reveal().as_bytes(), signature)) {
                Ok(())
            } else {
                Err(Rejection::WrongSignature)
            };
        }
        let fixed = PreparedParts::of(scheme, message)?;
        let addresses =
            if scheme.over.contains(&SignedPart::Url) { message.head.public_urls()? } else { SmallVec::new() };
        let mut spellings = addresses.iter().map(String::as_str).chain(addresses.is_empty().then_some(""));
        let is_valid = spellings.any(|address| {
            let feed = |sink: &mut dyn FnMut(&[u8])| self.feed(message, &fixed, address, sink);
            match key {
                Key::Hmac(key) => {
                    let mut context = hmac::Context::with_key(key);
                    feed(&mut |bytes| context.update(bytes));
                    self.has_signature(context.sign().as_ref())
                }
                Key::None => {
                    let mut context = digest::Context::new(&digest::SHA256);
                    feed(&mut |bytes| context.update(bytes));
                    self.has_signature(context.finish().as_ref())
                }
                Key::Unusable => false,
            }
        });
        if !is_valid {
            return Err(Rejection::WrongSignature);
        }
        // A time in the body is only meaningful once the body is authentic.
        match scheme.time {
            Some(time) => match time.at {
                TimestampLocation::Member(name) => check_member_time(message, name, time.tolerance),
                TimestampLocation::Header(_) | TimestampLocation::Listed(_) => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Whether one of the signatures equals this one, in constant time.
    fn has_signature(&self, expected: &[u8]) -> bool {
        let mut found = false;
        for signature in &self.signatures {
            found |= verify_slices_are_equal(expected, signature).is_ok();
        }
        found
    }

    fn feed(
        &self,
        message: &WebhookRequest<'_>,
        fixed: &PreparedParts<'_>,
        address: &str,
        sink: &mut dyn FnMut(&[u8]),
    ) {
        for part in self.check.scheme.over {
            match part {
                SignedPart::Text(text) => sink(text.as_bytes()),
                SignedPart::Body => sink(message.body),
                SignedPart::DecompressedBody => sink(&fixed.decompressed),
                SignedPart::Time => sink(self.time.as_bytes()),
                SignedPart::Header(name) => sink(message.head.single(name).unwrap_or_default().as_bytes()),
                SignedPart::Method => sink(message.head.method.as_str().as_bytes()),
                SignedPart::Url => sink(address.as_bytes()),
                SignedPart::Form => fixed.form.iter().for_each(|(name, value)| {
                    sink(name);
                    sink(value);
                }),
                SignedPart::Secret => sink(self.check.secret.reveal().as_bytes()),
            }
        }
    }
}

/// Signed parts that are derived from the body.
#[derive(Default)]
struct PreparedParts<'a> {
    decompressed: Cow<'a, [u8]>,
    form: Vec<Field>,
}

impl<'a> PreparedParts<'a> {
    fn of(scheme: &SignatureScheme, message: &WebhookRequest<'a>) -> Result<Self, Rejection> {
        let mut fixed = PreparedParts::default();
        if scheme.over.contains(&SignedPart::DecompressedBody) {
            fixed.decompressed = message.decompressed()?;
        }
        if scheme.over.contains(&SignedPart::Form) {
            fixed.form = message.form()?;
            fixed.form.sort();
        }
        Ok(fixed)
    }
}

fn check_member_time(message: &WebhookRequest<'_>, name: &str, tolerance: u16) -> Result<(), Rejection> {
    timestamp::check(message.members()?.text(name).ok_or(Rejection::InvalidTimestamp)?, tolerance, message.head.now)
}

/// Decodes a signature; only the canonical encoding is accepted.
pub(super) fn decode_signature(encoding: Encoding, text: &str) -> Option<Vec<u8>> {
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

/// Compares secrets of any length in constant time.
pub(super) fn secrets_match(one: &[u8], other: &[u8]) -> bool {
    let hash = |bytes| digest::digest(&digest::SHA256, bytes);
    verify_slices_are_equal(hash(one).as_ref(), hash(other).as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_encodings_are_accepted() {
        assert_eq!(decode_signature(Encoding::Hex, "00ff"), Some(vec![0, 255]));
        for text in ["00FF", "0", "0g", "00 ff", "\u{e9}"] {
            assert_eq!(decode_signature(Encoding::Hex, text), None, "{text}");
        }
        assert_eq!(decode_signature(Encoding::Base64, "AP8="), Some(vec![0, 255]));
        for text in ["AP8", "AP9=", "AP8= ", "AP-_", "AP8\u{e9}"] {
            assert_eq!(decode_signature(Encoding::Base64, text), None, "{text}");
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
