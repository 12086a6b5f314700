//! Answers that logins give by themselves: redirects, small pages and refusals.

use crate::{logins::Reply, pages};
use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};
use postern_api::{Code, Error};

/// Sends a visitor on.
pub(crate) fn redirect(method: &Method, location: &str) -> Result<Reply, Error> {
    // After 303 everybody asks with GET.
    let status =
        if method == Method::GET || method == Method::HEAD { StatusCode::FOUND } else { StatusCode::SEE_OTHER };
    let mut reply = Response::new(Bytes::new());
    *reply.status_mut() = status;
    let location = HeaderValue::try_from(location)
        .map_err(|_| Error::new(Code::LoginRefused, "The login leads to an address that cannot be written down."))?;
    reply.headers_mut().insert(header::LOCATION, location);
    Ok(private(reply))
}

/// Shows a page.
pub(crate) fn page(text: String) -> Reply {
    let mut reply = Response::new(Bytes::from(text));
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(pages::POLICY));
    private(reply)
}

/// Nobody keeps it, and nobody else learns the address.
pub(crate) fn private(mut reply: Reply) -> Reply {
    let headers = reply.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    reply
}

/// Has the browser keep a cookie, or forget it.
pub(crate) fn add_cookie(reply: &mut Reply, cookie: &str) {
    if let Ok(value) = HeaderValue::try_from(cookie) {
        reply.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// The refusal of a login that nobody knows of.
pub(crate) fn expired() -> Error {
    let sentence =
        "This login has expired, is finished already, or did not begin here. Open the page you wanted again.";
    Error::new(Code::LoginUnknown, sentence)
}

/// The refusal of somebody whom the provider refused.
pub(crate) fn refused_by_provider(why: &str) -> Error {
    let why: String =
        why.chars().filter(|letter| letter.is_ascii_alphanumeric() || "_- ".contains(*letter)).take(60).collect();
    let sentence =
        format!("The login provider did not let you in (`{why}`). Log in again, or ask who runs the provider.");
    Error::new(Code::LoginRefused, sentence)
}

/// The refusal where the provider cannot be asked, or makes no sense. Why is for the log alone.
pub(crate) fn unreachable() -> Error {
    let sentence =
        "The login provider cannot be reached, or answers something that makes no sense. Try again in a moment.";
    Error::new(Code::IssuerUnreachable, sentence)
}
