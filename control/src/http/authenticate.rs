//! Authentication of a call: by its API key, or by a session of the console.

use super::{same_origin, session_cookie};
use crate::{
    console_sessions::SessionUse,
    resources::{Caller, Resources},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, header, request::Parts};
use postern_api::{Code, Error, Result, Secret, resource::ConsoleSession, token::Token};
use std::sync::Arc;

/// Authenticated caller, as an [`AdmissionCheck`](super::AdmissionCheck) sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiCaller {
    /// Id of the API key.
    pub key: String,
    /// Id of the user or bot user that owns the key.
    pub owner: String,
    /// The owner is an administrator.
    pub admin: bool,
    /// The call is made in a session of the console.
    pub console: bool,
}

/// Caller of a call, and the session that it is made in, if it is made in one.
pub(super) struct Identified {
    pub(super) caller: Arc<Caller>,
    pub(super) session: Option<ConsoleSession>,
}

/// Identifies the caller. A key takes precedence over a session.
pub(super) async fn identify(resources: &Arc<Resources>, parts: &Parts) -> Result<Identified> {
    if !parts.headers.contains_key(header::AUTHORIZATION)
        && let Some(cookie) = session_cookie::find(parts)
    {
        let activity = same_origin::check_session_call(parts)?;
        let how = SessionUse { secure: cookie.secure, active: activity.is_active() };
        let current = resources.session(&cookie.token, how).await?;
        return Ok(Identified { caller: current.caller, session: Some(current.session) });
    }
    let caller = resources.authenticate(api_key(&parts.headers)?.reveal()).await?;
    Ok(Identified { caller, session: None })
}

/// Key in the `Authorization` header: `Bearer` (RFC 6750), or `Basic` (RFC 7617) with the key as user name or password.
fn api_key(headers: &HeaderMap) -> Result<Secret> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values
        .next()
        .ok_or_else(|| Error::new(Code::KeyMissing, "Send an API key: `Authorization: Bearer <API_KEY>`."))?;
    if values.next().is_some() {
        return Err(Error::new(Code::HeaderInvalid, "The header Authorization was sent more than once."));
    }
    let scheme = || Error::new(Code::KeyScheme, "Write the Authorization header as `Bearer <API_KEY>`, or use Basic.");
    let text = value.to_str().map_err(|_| scheme())?;
    let (name, rest) = text.trim().split_once(' ').ok_or_else(scheme)?;
    let rest = rest.trim();
    if name.eq_ignore_ascii_case("bearer") {
        return Ok(Secret::new(rest));
    }
    if !name.eq_ignore_ascii_case("basic") {
        return Err(scheme());
    }
    let decoded = BASE64_STANDARD.decode(rest).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.ok_or_else(|| Error::new(Code::KeyShape, "The Basic credentials cannot be decoded."))?;
    let (user, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    Ok(Secret::new(if Token::parse(user).is_some() || password.is_empty() { user } else { password }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(values: &[&str]) -> Result<String, Code> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().expect("a header value"));
        }
        api_key(&headers).map(|key| key.reveal().to_owned()).map_err(|error| error.code)
    }

    #[test]
    fn bearer_and_basic_carry_the_key() {
        let token = Token::generate(&postern_api::id::ksuid(1_700_000_000, [1; 16]));
        let text = token.secret().reveal();
        assert_eq!(sent(&[&format!("Bearer {text}")]).as_deref(), Ok(text));
        assert_eq!(sent(&[&format!("bearer  {text} ")]).as_deref(), Ok(text));
        for pair in
            [format!("{text}:"), format!("{text}:x"), format!("key:{text}"), format!(":{text}"), text.to_owned()]
        {
            assert_eq!(sent(&[&format!("Basic {}", BASE64_STANDARD.encode(&pair))]).as_deref(), Ok(text), "{pair}");
        }
    }

    #[test]
    fn other_headers_have_their_code() {
        assert_eq!(sent(&[]), Err(Code::KeyMissing));
        assert_eq!(sent(&["Bearer a", "Bearer b"]), Err(Code::HeaderInvalid));
        for wrong in ["Token x", "x", "", "Bearer"] {
            assert_eq!(sent(&[wrong]), Err(Code::KeyScheme), "{wrong}");
        }
        assert_eq!(sent(&["Basic ***"]), Err(Code::KeyShape));
    }
}
