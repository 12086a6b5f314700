//! Parser of public SSH keys: one line of an `authorized_keys` or `.pub` file.

use super::{MAX_RSA_BITS, MIN_RSA_BITS};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ECDSA_P521_SHA512_FIXED, ED25519, ParsedPublicKey,
};
use postern_api::{Code, Error, KeyType, Result};
use ssh_key::{PublicKey, public::KeyData};

/// Longest text in bytes; enough for an RSA key of 16384 bits with a comment.
const MAX_BYTES: usize = 16 * 1024;
const FIELD: &str = "public_key";
const SUPPORTED: &[&str] =
    &["ssh-rsa", "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"];

/// A public key that may be certified.
#[derive(Clone, Debug)]
pub(crate) struct SubjectKey {
    pub(super) data: KeyData,
    key_type: KeyType,
}

impl SubjectKey {
    /// Parses one line: the type of the key, the key in base 64, and an optional comment.
    ///
    /// # Errors
    /// If the text is not a supported public key.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Err(refused(Code::SshKeyMissing, "`public_key` is empty. Give the line of a `.pub` file."));
        }
        if text.len() > MAX_BYTES {
            return Err(unreadable(&format!("`public_key` is longer than {MAX_BYTES} bytes.")));
        }
        if text.contains("PRIVATE KEY") {
            return Err(unreadable("`public_key` holds a private key. Give the line of the `.pub` file beside it."));
        }
        if text.starts_with("-----BEGIN ") || text.starts_with("---- BEGIN ") {
            return Err(unreadable(
                "`public_key` is in another form than OpenSSH's. Convert it with `ssh-keygen -i` and give the line it prints.",
            ));
        }
        if text.contains(['\n', '\r']) {
            return Err(unreadable("`public_key` has more than one line. Give one key, in one line."));
        }
        let mut words = text.split_ascii_whitespace();
        let (name, encoded) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if !SUPPORTED.contains(&name) {
            return Err(unsupported(name));
        }
        // The comment is dropped: it is not part of the key.
        let key = PublicKey::from_openssh(&format!("{name} {encoded}"))
            .map_err(|_| unreadable(&format!("What follows `{name}` in `public_key` is not such a key.")))?;
        SubjectKey::from_data(key.key_data().clone())
    }

    /// Type of the key.
    pub(crate) fn key_type(&self) -> KeyType {
        self.key_type
    }

    fn from_data(data: KeyData) -> Result<Self> {
        let no_point = |_| unreadable("`public_key` is not a point of its curve.");
        let key_type = match &data {
            KeyData::Rsa(key) => {
                let (Some(n), Some(e)) = (key.n.as_positive_bytes(), key.e.as_positive_bytes()) else {
                    return Err(unreadable("`public_key` is not an RSA key: a number in it is not positive."));
                };
                let bits = (n.len() * 8).saturating_sub(n.first().map_or(0, |byte| byte.leading_zeros() as usize));
                if bits < MIN_RSA_BITS {
                    let sentence = format!(
                        "The RSA key has {bits} bits, and OpenSSH requires at least {MIN_RSA_BITS}. Use a longer one, or an Ed25519 key."
                    );
                    return Err(refused(Code::SshKeyUnsupported, &sentence));
                }
                if bits > MAX_RSA_BITS {
                    let sentence = format!("The RSA key has {bits} bits, and OpenSSH accepts at most {MAX_RSA_BITS}.");
                    return Err(refused(Code::SshKeyUnsupported, &sentence));
                }
                let odd = |number: &[u8]| number.last().is_some_and(|byte| byte & 1 == 1);
                if !odd(n) || !odd(e) || e == [1] || e.len() > 8 {
                    return Err(unreadable("`public_key` is not an RSA key: its numbers cannot belong to one."));
                }
                KeyType::Rsa
            }
            KeyData::Ecdsa(key) => {
                let point = key.as_sec1_bytes();
                match key.curve() {
                    ssh_key::EcdsaCurve::NistP256 => ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point),
                    ssh_key::EcdsaCurve::NistP384 => ParsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point),
                    ssh_key::EcdsaCurve::NistP521 => ParsedPublicKey::new(&ECDSA_P521_SHA512_FIXED, point),
                }
                .map_err(no_point)?;
                KeyType::Ecdsa
            }
            KeyData::Ed25519(key) => {
                ParsedPublicKey::new(&ED25519, key.0).map_err(no_point)?;
                KeyType::Ed25519
            }
            _ => return Err(unsupported("this")),
        };
        Ok(SubjectKey { data, key_type })
    }
}

/// Error for an unsupported type of key, or a text that is not a key.
fn unsupported(name: &str) -> Error {
    let plain = name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-@._".contains(&byte));
    let kind = ["ssh-", "ecdsa-", "sk-", "rsa-", "webauthn-"].iter().any(|start| name.starts_with(start));
    if !plain || !kind {
        return unreadable(
            "`public_key` does not begin with the type of a key. Give one line like `ssh-ed25519 AAAA…`, with no options before it.",
        );
    }
    if name.contains("-cert-v01@") {
        return refused(
            Code::SshKeyUnsupported,
            "`public_key` is a certificate already. Give the key it was made for.",
        );
    }
    let sentence = format!("Keys of type `{name}` are not supported. Use an RSA, ECDSA or Ed25519 key.");
    refused(Code::SshKeyUnsupported, &sentence)
}

fn unreadable(sentence: &str) -> Error {
    refused(Code::SshKeyUnreadable, sentence)
}

fn refused(code: Code, sentence: &str) -> Error {
    Error::new(code, sentence).with("field", FIELD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificates::ssh::{AuthorityKey, SshKeyType};
    use proptest::prelude::*;

    fn code(text: &str) -> Code {
        let error = SubjectKey::parse(text).expect_err("refused");
        assert_eq!(error.details["field"], "public_key");
        error.code
    }

    fn line() -> String {
        AuthorityKey::generate(SshKeyType::Ed25519).expect("a key").public_line().expect("a line")
    }

    #[test]
    fn a_line_is_read_with_and_without_a_comment() {
        let line = line();
        for text in
            [line.clone(), format!("{line} alice@häuschen with words\n"), format!("  {}", line.replace(' ', "\t"))]
        {
            assert_eq!(SubjectKey::parse(&text).expect("a key").key_type(), KeyType::Ed25519, "{text}");
        }
    }

    #[test]
    fn missing_invalid_and_unsupported_keys_have_different_codes() {
        let line = line();
        let encoded = line.split(' ').nth(1).expect("a key");
        assert_eq!(code(""), Code::SshKeyMissing);
        assert_eq!(code(" \n"), Code::SshKeyMissing);
        for text in [
            "planted".to_owned(),
            encoded.to_owned(),
            "ssh-ed25519".to_owned(),
            "ssh-ed25519 AAAA".to_owned(),
            "ssh-ed25519 !!!!".to_owned(),
            format!("ssh-rsa {encoded}"),
            format!("ecdsa-sha2-nistp256 {encoded}"),
            format!("ssh-ed25519 {}", &encoded[..encoded.len() - 4]),
            format!("no-pty {line}"),
            format!("command=\"x\" {line}"),
            format!("{line}\n{line}"),
            "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----".to_owned(),
            "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----".to_owned(),
            "-----BEGIN OPENSSH PRIVATE KEY-----\nplanted".to_owned(),
            "x".repeat(MAX_BYTES + 1),
        ] {
            assert_eq!(code(&text), Code::SshKeyUnreadable, "{text}");
        }
        for name in ["ssh-dss", "sk-ssh-ed25519@openssh.com", "ssh-ed25519-cert-v01@openssh.com", "ssh-ed448"] {
            assert_eq!(code(&format!("{name} AAAA")), Code::SshKeyUnsupported, "{name}");
        }
        let secret = SubjectKey::parse("-----BEGIN OPENSSH PRIVATE KEY-----\nplanted").expect_err("refused");
        assert!(!secret.message.contains("planted"), "{secret}");
    }

    #[test]
    fn a_point_off_the_curve_is_refused() {
        use ssh_key::public::EcdsaPublicKey;
        let mut point = vec![4];
        point.extend([1; 64]);
        let data = KeyData::Ecdsa(EcdsaPublicKey::from_sec1_bytes(&point).expect("the form of a point"));
        let line = PublicKey::from(data).to_openssh().expect("a line");
        assert_eq!(code(&line), Code::SshKeyUnreadable);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "\\PC{0,200}") {
            let _ = SubjectKey::parse(&text);
        }

        #[test]
        fn any_bytes_after_a_known_type_are_parsed_without_a_panic(
            kind in proptest::sample::select(SUPPORTED),
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
        ) {
            use base64::{Engine, engine::general_purpose::STANDARD};
            let mut wire = u32::try_from(kind.len()).expect("short").to_be_bytes().to_vec();
            wire.extend(kind.as_bytes());
            wire.extend(bytes);
            let _ = SubjectKey::parse(&format!("{kind} {}", STANDARD.encode(wire)));
        }
    }
}
