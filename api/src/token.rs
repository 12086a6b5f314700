//! Tokens: API keys and agents' authtokens share one form, `<ksuid of the record>_<secret>`.

use crate::{Secret, id::KSUID_LENGTH};
use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Random characters after the underscore: 43 of base 62 are 256 bits.
const SECRET_LENGTH: usize = 43;
const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

/// Stored hash of a token: SHA-256 of the full text, in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(String);

/// A received token: well-formed, not yet verified.
#[derive(Clone, Debug)]
pub struct Token(Secret);

impl Token {
    /// A new token for the record with this KSUID.
    pub fn generate(ksuid: &str) -> Self {
        use rand::{Rng, distr::Alphanumeric};
        let secret: String = rand::rng().sample_iter(Alphanumeric).take(SECRET_LENGTH).map(char::from).collect();
        Token(Secret::new(format!("{ksuid}_{secret}")))
    }

    /// Parses a token; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let (ksuid, secret) = text.split_once('_')?;
        let alphanumeric = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric());
        let shaped = ksuid.len() == KSUID_LENGTH
            && (16..=128).contains(&secret.len())
            && alphanumeric(ksuid)
            && alphanumeric(secret);
        shaped.then(|| Token(Secret::new(text)))
    }

    /// KSUID of the record it claims to belong to.
    pub fn ksuid(&self) -> &str {
        self.0.reveal().split_once('_').map_or("", |(ksuid, _)| ksuid)
    }

    /// Text of the token, shown once.
    pub fn secret(&self) -> &Secret {
        &self.0
    }

    /// Hash to be stored.
    pub fn hash(&self) -> TokenHash {
        let hash = digest(&SHA256, self.0.reveal().as_bytes());
        let digits = hash.as_ref().iter().flat_map(|byte| [byte >> 4, byte & 15]);
        TokenHash(digits.map(|digit| char::from(HEXADECIMAL[usize::from(digit)])).collect())
    }
}

impl TokenHash {
    /// Whether a token matches the hash; takes constant time.
    pub fn verifies(&self, token: &Token) -> bool {
        self.0.as_bytes().ct_eq(token.hash().0.as_bytes()).into()
    }
}

impl std::fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_verified_by_its_hash_only() {
        let ksuid = crate::id::ksuid(1_700_000_000, [7; 16]);
        let token = Token::generate(&ksuid);
        let read = Token::parse(token.secret().reveal()).expect("its own shape");
        assert_eq!(read.ksuid(), ksuid);
        assert!(token.hash().verifies(&read));
        assert!(!token.hash().verifies(&Token::generate(&ksuid)));
        // A stored hash must be recognized by every later version.
        let known = Token::parse("0ujtsYcgvSTl8PAuAdqWYSMnLOv_abcdefghijklmnopqrstuvwxyz").expect("a token");
        assert_eq!(known.hash().0, "8132fa93dc6d755dc4972bad56bf758f02b4df8e13ba5c49bd5bb47035d944eb");
        assert!(!format!("{token:?} {:?}", token.hash()).contains(token.secret().reveal()));
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for wrong in [
            "",
            "abc",
            "ak_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "0ujtsYcgvSTl8PAuAdqWYSMnLOv_short",
            "0ujtsYcgvSTl8PAuAdqWYSMnLOv_aaaaaaaaaaaaaaaaaaaa!",
        ] {
            assert!(Token::parse(wrong).is_none(), "{wrong}");
        }
    }
}
