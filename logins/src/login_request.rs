//! The parts of an HTTP request that a login needs.

use crate::origin::Origin;
use http::{HeaderMap, Method};
use postern_api::{Code, Error};
use std::{borrow::Cow, net::IpAddr};
use url::form_urlencoded;

/// Path prefix of the login endpoints of a host.
pub const LOGIN_PATH_PREFIX: &str = "/.postern/";

/// A request to a login endpoint, or one that starts a login.
#[derive(Clone, Copy)]
pub struct LoginRequest<'a> {
    /// Origin that received the request.
    pub origin: &'a Origin,
    /// Request method.
    pub method: &'a Method,
    /// Path of the request target.
    pub path: &'a str,
    /// Query of the request target, without the question mark.
    pub query: Option<&'a str>,
    /// Request headers.
    pub headers: &'a HeaderMap,
    /// Address of the visitor.
    pub address: IpAddr,
}

/// The value of a parameter. A repeated one is refused: two readers could pick different values.
pub(crate) fn parameter(query: &str, name: &str) -> Result<Option<String>, Error> {
    let mut values =
        form_urlencoded::parse(query.as_bytes()).filter(|(found, _)| found == name).map(|(_, value)| value);
    let first = values.next().map(Cow::into_owned);
    if values.next().is_some() {
        return Err(Error::new(Code::QueryRepeated, format!("The parameter `{name}` appears twice in the address.")));
    }
    Ok(first)
}

/// Refuses any other method.
pub(crate) fn check_method(request: LoginRequest<'_>, allowed: &[Method]) -> Result<(), Error> {
    if allowed.contains(request.method) { Ok(()) } else { Err(Code::MethodNotAllowed.into()) }
}
