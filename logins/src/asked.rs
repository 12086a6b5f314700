//! A request, as far as a login is concerned, and how it is read.

use crate::origin::Origin;
use http::{HeaderMap, Method};
use postern_api::{Code, Error};
use std::{borrow::Cow, net::IpAddr};
use url::form_urlencoded;

/// A request.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Where it arrived.
    pub origin: &'a Origin,
    /// How it asks.
    pub method: &'a Method,
    /// For what.
    pub path: &'a str,
    /// What stands behind the question mark.
    pub query: Option<&'a str>,
    /// Everything else it says.
    pub headers: &'a HeaderMap,
    /// Where the visitor is.
    pub address: IpAddr,
}

/// A parameter that must not stand twice: two readers could take different ones.
pub(crate) fn parameter(query: &str, name: &str) -> Result<Option<String>, Error> {
    let mut values =
        form_urlencoded::parse(query.as_bytes()).filter(|(found, _)| found == name).map(|(_, value)| value);
    let first = values.next().map(Cow::into_owned);
    if values.next().is_some() {
        return Err(Error::new(Code::QueryRepeated, format!("The parameter `{name}` stands twice in the address.")));
    }
    Ok(first)
}

/// Refuses other ways to ask.
pub(crate) fn method(asked: Asked<'_>, allowed: &[Method]) -> Result<(), Error> {
    if allowed.contains(asked.method) { Ok(()) } else { Err(Code::MethodNotAllowed.into()) }
}
