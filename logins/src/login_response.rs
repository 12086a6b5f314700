//! Responses of login endpoints: redirects, small pages and refusals.

use crate::pages;
use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};
use postern_api::{Code, Error};

/// A response for the visitor, which the edge sends unchanged.
pub type LoginResponse = Response<Bytes>;

/// A redirect.
pub(crate) fn redirect(method: &Method, location: &str) -> Result<LoginResponse, Error> {
    // After 303, clients continue with GET (RFC 9110, section 15.4.4).
    let status =
        if method == Method::GET || method == Method::HEAD { StatusCode::FOUND } else { StatusCode::SEE_OTHER };
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    let location = HeaderValue::try_from(location).map_err(|_| {
        Error::new(Code::LoginRefused, "The login leads to an address with characters that a redirect cannot contain.")
    })?;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(private(response))
}

/// An HTML page.
pub(crate) fn page(html: String) -> LoginResponse {
    let mut response = Response::new(Bytes::from(html));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(pages::CONTENT_SECURITY_POLICY));
    private(response)
}

/// Forbids caching, and keeps the URL out of `Referer`.
pub(crate) fn private(mut response: LoginResponse) -> LoginResponse {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Adds a `Set-Cookie` header.
pub(crate) fn add_cookie(response: &mut LoginResponse, cookie: &str) {
    if let Ok(value) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// The refusal of an unknown login attempt.
pub(crate) fn expired() -> Error {
    let message =
        "This login has expired, is already finished, or did not begin here. Open the page you wanted to see again.";
    Error::new(Code::LoginUnknown, message)
}

/// The refusal after the provider refused the login.
pub(crate) fn refused_by_provider(reason: &str) -> Error {
    let reason: String =
        reason.chars().filter(|letter| letter.is_ascii_alphanumeric() || "_- ".contains(*letter)).take(60).collect();
    let message = format!(
        "The login provider refused your login (`{reason}`). Log in again, or ask the administrator of the provider."
    );
    Error::new(Code::LoginRefused, message)
}

/// The refusal after the provider could not be reached or sent an invalid response. The reason is only logged.
pub(crate) fn unreachable() -> Error {
    let message = "The login provider cannot be reached, or sent an invalid response. Try again in a moment.";
    Error::new(Code::IssuerUnreachable, message)
}
