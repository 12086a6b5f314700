//! Replaces the `Host` header with the local service's own name, and maps redirects to that name back to the public
//! one.

use super::RequestContext;
use hyper::{
    HeaderMap,
    header::{self, HeaderName, HeaderValue},
};
use postern_api::{Code, Error};

const ORIGINAL: HeaderName = HeaderName::from_static("x-original-host");

/// The host name of the local service.
pub(super) struct Rewrite(HeaderValue);

/// The public host name.
pub(super) struct Original {
    host: HeaderValue,
    tls: bool,
}

impl Rewrite {
    /// # Errors
    /// If the name is not a valid header value.
    pub(super) fn of(host: &str) -> Result<Self, Error> {
        Ok(Rewrite(HeaderValue::from_str(host).map_err(|_| Code::HeaderValue)?))
    }

    /// Whether an authority is this service; case and the default port of the scheme make no difference.
    fn is(&self, authority: &str, port: &str) -> bool {
        let plain = |text: &str| text.to_ascii_lowercase().trim_end_matches(port).to_owned();
        self.0.to_str().is_ok_and(|own| plain(own) == plain(authority))
    }
}

/// Replaces the `Host` header and returns the original.
pub(super) fn stage(rewrite: Option<&Rewrite>, context: &mut RequestContext<'_>) -> Option<Box<Original>> {
    let Rewrite(own) = rewrite?;
    let headers = &mut context.parts.headers;
    let host = headers.insert(header::HOST, own.clone())?;
    headers.insert(ORIGINAL, host.clone());
    Some(Box::new(Original { host, tls: context.visitor.is_tls() }))
}

/// Maps a redirect to the service back to the public name.
pub(super) fn map_redirect(rewrite: Option<&Rewrite>, original: Option<Box<Original>>, headers: &mut HeaderMap) {
    let (Some(rewrite), Some(original)) = (rewrite, original) else { return };
    let mapped =
        headers.get(header::LOCATION).and_then(|location| map_location(rewrite, &original, location.to_str().ok()?));
    if let Some(location) = mapped {
        headers.insert(header::LOCATION, location);
    }
}

fn map_location(rewrite: &Rewrite, original: &Original, location: &str) -> Option<HeaderValue> {
    let (scheme, rest) = location.split_once("://")?;
    let port = match scheme.to_ascii_lowercase().as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if !rewrite.is(authority, port) {
        return None;
    }
    let scheme = if original.tls { "https" } else { "http" };
    HeaderValue::try_from(format!("{scheme}://{}{path}", original.host.to_str().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_to_the_service_lead_to_the_public_name() {
        let original = Original { host: HeaderValue::from_static("shop.test:4443"), tls: true };
        for (own, location, expected) in [
            ("localhost:8080", "http://localhost:8080/login?x=1", Some("https://shop.test:4443/login?x=1")),
            ("localhost:8080", "http://LOCALHOST:8080", Some("https://shop.test:4443")),
            ("localhost", "http://localhost:80/a", Some("https://shop.test:4443/a")),
            ("localhost:443", "https://localhost/a", Some("https://shop.test:4443/a")),
            ("localhost:8080", "http://localhost/a", None),
            ("localhost:8080", "http://localhost:8080.evil.test/", None),
            ("localhost:8080", "http://localhost:8080@evil.test/", None),
            ("localhost:8080", "/relative", None),
            ("localhost:8080", "//localhost:8080/a", None),
            ("localhost:8080", "ftp://localhost:8080/a", None),
        ] {
            let rewrite = Rewrite::of(own).expect("a host");
            let mapped = map_location(&rewrite, &original, location);
            assert_eq!(mapped.as_ref().map(|value| value.to_str().expect("text")), expected, "{own} {location}");
        }
    }
}
