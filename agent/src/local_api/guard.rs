//! What keeps web pages, other sites and the product itself away from an API without a login.

use super::{ApiError, harden};
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

/// Who may be meant by `Host`.
pub(super) struct OwnNames<'a> {
    /// The address it listens on, if that is one address.
    pub(super) listening: Option<IpAddr>,
    /// What the configuration adds.
    pub(super) allowed: &'a [AllowedHost],
}

/// Stands in front of every path, files and live feeds included.
pub(super) async fn stand(State(context): State<Arc<AgentContext>>, request: Request, next: Next) -> Response {
    let config = context.config();
    let names = OwnNames {
        listening: context.web_addr().map(|address| address.ip()).filter(|ip| !ip.is_unspecified()),
        allowed: &config.settings.web_allow_hosts,
    };
    match judge(request.method(), request.uri(), request.headers(), &names) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            tracing::debug!(code = %error.code, method = %request.method(), path = request.uri().path(), "a request to the local API was refused");
            let mut response = ApiError::from(error).into_response();
            harden(&mut response, true);
            response
        }
    }
}

/// Judges a request by its head.
pub(super) fn judge(method: &Method, uri: &Uri, headers: &HeaderMap, names: &OwnNames<'_>) -> Result<(), Error> {
    let host = own_host(uri, headers, names)?;
    if headers.keys().any(|name| is_forwarding(name.as_str())) {
        return Err(Error::new(
            Code::HostRefused,
            "The request came through a proxy or a tunnel. The agent's own API is not to be published.",
        ));
    }
    same_site(headers, &host)?;
    json_only(method, headers)
}

/// The one host the request names, which must be one of our own.
fn own_host(uri: &Uri, headers: &HeaderMap, names: &OwnNames<'_>) -> Result<Authority, Error> {
    let refuse = |why: &str| {
        Err(Error::new(
            Code::HostRefused,
            format!("{why} Open the agent by 127.0.0.1 or localhost, or add the name to web_allow_hosts."),
        ))
    };
    let mut written = headers.get_all(header::HOST).iter();
    let first = written.next();
    if written.next().is_some() {
        return refuse("The request names its host twice.");
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
        if authority.as_str().contains('@') || !names.own(authority.host()) {
            return refuse("The Host header does not name this agent.");
        }
    }
    match from_header.or(in_target) {
        Some(authority) => Ok(authority),
        None => refuse("The request names no host."),
    }
}

impl OwnNames<'_> {
    fn own(&self, host: &str) -> bool {
        if let Some(literal) = host.strip_prefix('[') {
            let literal = literal.strip_suffix(']').and_then(|text| text.parse::<Ipv6Addr>().ok());
            return literal.is_some_and(|ip| self.own_ip(ip.into()));
        }
        // Only the canonical four decimal numbers are an address here: other spellings are nobody's habit.
        if let Ok(ip) = host.parse::<Ipv4Addr>() {
            return self.own_ip(ip.into());
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

    fn own_ip(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        let listed = |allowed: &AllowedHost| matches!(allowed, AllowedHost::Network(network) if network.contains(&ip));
        ip.is_loopback()
            || self.listening.is_some_and(|own| own.to_canonical() == ip)
            || self.allowed.iter().any(listed)
    }
}

/// Headers that only proxies and tunnels write.
fn is_forwarding(name: &str) -> bool {
    name == "forwarded" || name == "x-real-ip" || name.starts_with("x-forwarded-") || name.starts_with("postern-")
}

fn same_site(headers: &HeaderMap, host: &Authority) -> Result<(), Error> {
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

/// A page of another site can send forms and texts without asking, JSON it cannot.
fn json_only(method: &Method, headers: &HeaderMap) -> Result<(), Error> {
    let kind = headers.get(header::CONTENT_TYPE);
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
    let needed = match *method {
        Method::GET | Method::HEAD => false,
        // A bare DELETE cannot be sent across sites without being asked about either.
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
