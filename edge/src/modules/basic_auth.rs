//! HTTP Basic authentication (RFC 7617).
//!
//! The credentials are for the edge alone: the header is removed, so that passwords reach neither the local service nor
//! captured requests.

use super::RequestContext;
use crate::refusal::{Fault, Refusal};
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use hyper::{HeaderMap, header};
use postern_api::{Code, Error, Secret, tunnel_modules::user_and_password};
use std::time::Instant;
use subtle::{Choice, ConstantTimeEq};

const NAME: &str = "basic_auth";

/// The users as keyed hashes. The key is random and never leaves the process.
pub(super) struct Passwords {
    key: hmac::Key,
    known: Vec<hmac::Tag>,
}

impl Passwords {
    /// # Errors
    /// If an entry does not have the form `user:password`.
    pub(super) fn of(users: &[Secret]) -> Result<Self, Error> {
        users.iter().try_for_each(user_and_password)?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>());
        let known = users.iter().map(|user| hmac::sign(&key, user.reveal().as_bytes())).collect();
        Ok(Passwords { key, known })
    }

    /// Compares with every user, so that the duration reveals nothing.
    fn is_known(&self, given: &[u8]) -> bool {
        let given = hmac::sign(&self.key, given);
        let same = |known: &hmac::Tag| known.as_ref().ct_eq(given.as_ref());
        self.known.iter().fold(Choice::from(0), |found, known| found | same(known)).into()
    }

    /// Whether a request has exactly one `Authorization` header, with a known user.
    fn admit(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(only), None) = (given.next(), given.next()) else { return false };
        let Some((scheme, rest)) = only.to_str().ok().and_then(|text| text.split_once(' ')) else { return false };
        let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64_STANDARD.decode(rest.trim()).ok()).flatten();
        decoded.is_some_and(|decoded| self.is_known(&decoded))
    }
}

/// Checks one request.
pub(super) fn stage(passwords: Option<&Passwords>, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    let Some(passwords) = passwords else { return Ok(()) };
    let began = Instant::now();
    let passed = passwords.admit(&context.parts.headers);
    context.trace.record(NAME, None, passed, began);
    if !passed {
        let message = "This address requires a user name and a password. None were given, or they are wrong.";
        return Err(Refusal::new(Fault::Route, Error::new(Code::PasswordNeeded, message)));
    }
    context.parts.headers.remove(header::AUTHORIZATION);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn admitted(values: &[String]) -> bool {
        let users = [Secret::new("ada:longenough"), Secret::new("bob:pass:word:s")];
        let passwords = Passwords::of(&users).expect("users");
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).expect("a value"));
        }
        passwords.admit(&headers)
    }

    #[test]
    fn only_one_header_with_a_known_user_is_accepted() {
        let basic = |text: &str| format!("Basic {}", BASE64_STANDARD.encode(text));
        for right in ["ada:longenough", "bob:pass:word:s"] {
            assert!(admitted(&[basic(right)]), "{right}");
        }
        assert!(admitted(&[basic("ada:longenough").replacen("Basic", "bAsIc", 1)]), "schemes have no case");
        for wrong in ["ada:longenougH", "ada:", "ada", ":longenough", "", "bob:longenough", "ada:longenough "] {
            assert!(!admitted(&[basic(wrong)]), "{wrong}");
        }
        let right = basic("ada:longenough");
        assert!(!admitted(&[]) && !admitted(&["Basic".to_owned()]) && !admitted(&["Basic ***".to_owned()]));
        assert!(!admitted(&[right.replacen("Basic", "Bearer", 1)]));
        assert!(!admitted(&[right.clone(), right.clone()]), "two headers are ambiguous");
        assert!(!admitted(&[right.clone(), basic("x:y")]) && !admitted(&[basic("x:y"), right]));
    }

    #[test]
    fn invalid_users_are_refused() {
        assert!(Passwords::of(&[Secret::new("ada:short")]).is_err());
    }
}
