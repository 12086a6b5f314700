//! An unfinished sign-in by an OpenID provider: kept by the browser, in a cookie that is sealed with the key that all nodes
//! share. Any node can finish what another one has begun, and a sign-in that is given up needs no memory.

use super::session_cookie;
use crate::{console_provider::ATTEMPT_LIFETIME, resources::Codec};
use http::{HeaderValue, request::Parts};
use postern_api::{Code, Error, Result};
use postern_logins::OpenIdAttempt;
use serde::{Deserialize, Serialize};

/// Over HTTPS. Browsers accept the prefix only with `Secure`, with `Path=/` and without `Domain`.
const SECURE_NAME: &str = "__Host-postern_console_oidc";
/// Over HTTP; the port of the server follows.
const PLAIN_NAME: &str = "postern_console_oidc_";
const PURPOSE: &str = "console_sign_in";
/// Longest place of the console to return to, in bytes.
const MAX_PLACE_BYTES: usize = 1024;

/// An unfinished sign-in.
#[derive(Serialize, Deserialize)]
pub(super) struct SignInAttempt {
    pub(super) attempt: OpenIdAttempt,
    /// Place of the console where the browser is sent afterwards.
    pub(super) place: Place,
    /// The issuer, which another one must not answer for.
    pub(super) issuer: String,
    /// Seconds since 1970.
    pub(super) begun_at: i64,
}

/// A place of the console: what follows the `#` of its address. No text in it leads to another page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place(String);

impl Place {
    /// The place, or the console's first page if it is none.
    pub(super) fn from_query(text: &str) -> Self {
        let plain = |byte: u8| byte.is_ascii_graphic() && !br#"\"<>#"#.contains(&byte);
        let is_place = text.starts_with('/') && !text.starts_with("//") && text.len() <= MAX_PLACE_BYTES;
        if is_place && text.bytes().all(plain) { Place(text.to_owned()) } else { Place("/".to_owned()) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl SignInAttempt {
    /// The `Set-Cookie` header that keeps the attempt. The provider's redirect back comes from another site, so the cookie cannot
    /// be `SameSite=Strict`.
    ///
    /// # Errors
    /// If the attempt cannot be sealed.
    pub(super) fn cookie(&self, codec: &Codec, parts: &Parts, secure: bool) -> Result<HeaderValue> {
        let text = serde_json::to_vec(self).map_err(|_| Error::from(Code::Internal))?;
        let sealed = codec.seal_text(&text, PURPOSE)?;
        let mut cookie = header(parts, secure, &sealed, ATTEMPT_LIFETIME.as_secs())?;
        cookie.set_sensitive(true);
        Ok(cookie)
    }

    /// The attempt of a browser.
    ///
    /// # Errors
    /// `LoginForeign` if it has none, `LoginUnknown` if it has expired.
    pub(super) fn of_browser(codec: &Codec, parts: &Parts, secure: bool, now: i64) -> Result<Self> {
        let opened = session_cookie::value(parts, &name(parts, secure)).and_then(|text| codec.open_text(text, PURPOSE));
        let attempt = opened.and_then(|text| serde_json::from_slice::<SignInAttempt>(&text).ok());
        let attempt = attempt.ok_or_else(|| {
            Error::new(
                Code::LoginForeign,
                "This sign-in was begun in another browser or at another address, or has been finished already. Begin it \
                 again, and let the browser keep cookies.",
            )
        })?;
        let age = now.saturating_sub(attempt.begun_at);
        // Clocks of nodes differ a little.
        if age > i64::try_from(ATTEMPT_LIFETIME.as_secs()).unwrap_or(i64::MAX) || age < -60 {
            let message = "This sign-in took longer than ten minutes and has expired. Begin it again.";
            return Err(Error::new(Code::LoginUnknown, message));
        }
        Ok(attempt)
    }
}

/// The `Set-Cookie` header that removes an attempt.
///
/// # Errors
/// If the request has no usable host.
pub(super) fn removed(parts: &Parts, secure: bool) -> Result<HeaderValue> {
    header(parts, secure, "", 0)
}

fn header(parts: &Parts, secure: bool, value: &str, max_age: u64) -> Result<HeaderValue> {
    let (name, secure) = (name(parts, secure), if secure { "; Secure" } else { "" });
    let text = format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).map_err(|_| Code::Internal.into())
}

fn name(parts: &Parts, secure: bool) -> String {
    if secure { SECURE_NAME.to_owned() } else { format!("{PLAIN_NAME}{}", session_cookie::port(parts)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_one_of_the_console_only() {
        for place in ["/", "/ip_policies/new", "/edges/https?search=a%20b&page=2"] {
            assert_eq!(Place::from_query(place).as_str(), place);
        }
        let long = format!("/{}", "x".repeat(MAX_PLACE_BYTES));
        for other in [
            "",
            "edges",
            "//evil.test",
            "https://evil.test",
            "/a\r\nSet-Cookie: a",
            "/\\evil.test",
            "/a#b",
            "/é",
            &long,
        ] {
            assert_eq!(Place::from_query(other).as_str(), "/", "{other}");
        }
    }
}
