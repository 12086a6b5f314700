//! Protects an API without a login from other sites' pages, DNS rebinding and publication through a tunnel.

use super::{ApiError, add_security_headers};
use crate::{config::settings::AllowedHost, context::AgentContext};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, Uri, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error, host::HostName};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

/// The hosts that `Host` may name.
pub(super) struct OwnNames<'a> {
    /// The address that the API listens on, if it is a single one.
    pub(super) listening: Option<IpAddr>,
    /// Hosts that the configuration allows.
    pub(super) allowed: &'a [AllowedHost],
}

/// Runs before every path, files and live feeds included.
pub(super) async fn enforce(State(context): State<Arc<AgentContext>>, request: Request, next: Next) -> Response {
    let config = context.config();
    let names = OwnNames {
        listening: context.web_addr().map(|address| address.ip()).filter(|ip| !ip.is_unspecified()),
        allowed: &config.settings.web_allow_hosts,
    };
    match check(request.method(), request.uri(), request.headers(), &names) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            tracing::debug!(code = %error.code, method = %request.method(), path = request.uri().path(), "a request to the local API was refused");
            let mut response = ApiError::from(error).into_response();
            add_security_headers(&mut response, true);
            response
        }
    }
}

/// Checks the head of a request.
pub(super) fn check(method: &Method, uri: &Uri, headers: &HeaderMap, names: &OwnNames<'_>) -> Result<(), Error> {
    let host = request_host(uri, headers, names)?;
    if headers.keys().any(|name| is_forwarding(name.as_str())) {
        return Err(Error::new(
            Code::HostRefused,
            "The request came through a proxy or a tunnel. The agent's own API is not to be published.",
        ));
    }
    check_site(headers, &host)?;
    check_json(method, headers)
}

/// The host that the request names, which must be one of this agent.
fn request_host(uri: &Uri, headers: &HeaderMap, names: &OwnNames<'_>) -> Result<Authority, Error> {
    let refuse = |why: &str| {
        Err(Error::new(
            Code::HostRefused,
            format!("{why} Open the agent by 127.0.0.1 or localhost, or add the name to web_allow_hosts."),
        ))
    };
    let mut written = headers.get_all(header::HOST).iter();
    let first = written.next();
    if written.next().is_some() {
        return refuse("The request has two Host headers.");
    }
    let from_header = match first {
        Some(value) => match value.to_str().ok().and_then(|text| text.parse::<Authority>().ok()) {
            Some(authority) => Some(authority),
            None => return refuse("The Host header cannot be understood."),
        },
        None => None,
    };
    let in_target = uri.authority().cloned();
    for authority in [&from_header, &in_target].into_iter().flatten() {
        if authority.as_str().contains('@') || !names.is_own(authority.host()) {
            return refuse("The Host header does not name this agent.");
        }
    }
    match from_header.or(in_target) {
        Some(authority) => Ok(authority),
        None => refuse("The request names no host."),
    }
}

impl OwnNames<'_> {
    fn is_own(&self, host: &str) -> bool {
        if let Some(literal) = host.strip_prefix('[') {
            let literal = literal.strip_suffix(']').and_then(|text| text.parse::<Ipv6Addr>().ok());
            return literal.is_some_and(|ip| self.is_own_ip(ip.into()));
        }
        // Only dotted decimal is accepted; other spellings of IPv4 addresses serve attacks.
        if let Ok(ip) = host.parse::<Ipv4Addr>() {
            return self.is_own_ip(ip.into());
        }
        let name = host.strip_suffix('.').unwrap_or(host);
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        HostName::parse(name).is_ok_and(|name| {
            self.allowed.iter().any(|allowed| match allowed {
                AllowedHost::Name(own) => *own == name,
                AllowedHost::Below(parent) => name
                    .as_str()
                    .strip_suffix(parent.as_str())
                    .is_some_and(|head| head.len() > 1 && head.ends_with('.')),
                AllowedHost::Network(_) => false,
            })
        })
    }

    fn is_own_ip(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        let listed = |allowed: &AllowedHost| matches!(allowed, AllowedHost::Network(network) if network.contains(&ip));
        ip.is_loopback()
            || self.listening.is_some_and(|own| own.to_canonical() == ip)
            || self.allowed.iter().any(listed)
    }
}

/// Whether only proxies and tunnels set this header.
fn is_forwarding(name: &str) -> bool {
    name == "forwarded" || name == "x-real-ip" || name.starts_with("x-forwarded-") || name.starts_with("postern-")
}

fn check_site(headers: &HeaderMap, host: &Authority) -> Result<(), Error> {
    let refuse = || Err(Error::new(Code::OriginRefused, "Pages of other sites may not use the agent."));
    for origin in headers.get_all(header::ORIGIN) {
        let same = origin
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("http://"))
            .is_some_and(|own| own.eq_ignore_ascii_case(host.as_str()));
        if !same {
            return refuse();
        }
    }
    for site in headers.get_all("sec-fetch-site") {
        if !matches!(site.as_bytes(), b"same-origin" | b"none") {
            return refuse();
        }
    }
    Ok(())
}

/// Requires JSON bodies, which a page of another site cannot send without a CORS preflight.
fn check_json(method: &Method, headers: &HeaderMap) -> Result<(), Error> {
    let kind = headers.get(header::CONTENT_TYPE);
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
    let needed = match *method {
        Method::GET | Method::HEAD => false,
        // A DELETE without a body needs a preflight as well.
        Method::DELETE | Method::OPTIONS => has_body || kind.is_some(),
        _ => true,
    };
    let essence =
        kind.and_then(|kind| kind.to_str().ok()).map(|kind| kind.split(';').next().unwrap_or_default().trim());
    if needed && !essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Err(Error::new(Code::JsonOnly, "Send the header `Content-Type: application/json`."));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
