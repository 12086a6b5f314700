//! Turns a refusal into the response a visitor gets: JSON, or a small page for browsers.

use crate::{http::headers::wants_html, refusal::Refusal, upstream::ResponseBody};
use bytes::Bytes;
use hyper::{
    HeaderMap, Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
};
use postern_api::{Code, html};
use std::fmt::Write;

pub(crate) const ERROR_CODE: HeaderName = HeaderName::from_static("postern-error-code");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("postern-request-id");

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// How a refusal is written, according to the request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorFormat {
    pub(crate) html: bool,
    pub(crate) cross_origin: bool,
}

impl ErrorFormat {
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        ErrorFormat { html: wants_html(headers), cross_origin: headers.contains_key(header::ORIGIN) }
    }
}

/// The response to a refused request. `id` names the request in the log.
pub(crate) fn response(refusal: &Refusal, format: ErrorFormat, id: &str) -> Response<ResponseBody> {
    let custom_page = if format.html { refusal.custom_page(id) } else { None };
    let has_own_body = refusal.custom_body().is_some() || custom_page.is_some();
    let (kind, body) = match (refusal.custom_body(), custom_page) {
        (Some((kind, body)), _) => (kind.clone(), body.clone()),
        (None, Some(page)) => (HTML, Bytes::from(page)),
        (None, None) if format.html => (HTML, Bytes::from(page(refusal, id))),
        (None, None) => {
            let json = refusal.error.clone().with("operation_id", id).body().to_string();
            (HeaderValue::from_static("application/json"), Bytes::from(json))
        }
    };
    let mut response = Response::new(ResponseBody::full(body));
    *response.status_mut() = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept, Origin"));
    // The policy fits the server's page only.
    if format.html && !has_own_body {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    }
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
    if let Some(location) = refusal.location() {
        headers.insert(header::LOCATION, location.clone());
    } else if let Ok(value) = HeaderValue::from_str(&refusal.error.code.to_string()) {
        headers.insert(ERROR_CODE, value);
    }
    if refusal.status() == StatusCode::METHOD_NOT_ALLOWED.as_u16() {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"));
    }
    if refusal.error.code == Code::WebsocketExpected {
        headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    }
    if refusal.error.code == Code::PasswordNeeded {
        headers
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"postern\", charset=\"UTF-8\""));
    }
    if let Some(pause) = refusal.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(pause.as_secs().max(1)));
    }
    headers.extend(refusal.headers().cloned());
    if format.cross_origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("Postern-Error-Code, Postern-Request-Id, Retry-After"),
        );
    }
    response
}

/// The head and the body of the response in HTTP/1.1, for a connection whose request could not be parsed.
pub(crate) fn raw_response(refusal: &Refusal, id: &str) -> (String, String) {
    let body = refusal.error.clone().with("operation_id", id).body().to_string();
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Postern-Error-Code: {}\r\nPostern-Request-Id: {id}\r\nConnection: close\r\n\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or("Error"),
        body.len(),
        refusal.error.code,
    );
    (head, body)
}

fn page(refusal: &Refusal, id: &str) -> String {
    let status = refusal.status();
    let title = StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("Error");
    let mut page = String::with_capacity(1536);
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{status} {title}</title><style>\
         :root{{color-scheme:light dark}}body{{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;\
         place-items:center;background:Canvas;color:CanvasText}}main{{max-width:40rem;padding:2rem}}h1{{font-size:1.5rem;\
         margin:0 0 1rem}}code{{font:.875rem ui-monospace,monospace;overflow-wrap:anywhere}}dl{{display:grid;\
         grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1.5rem 0 0}}dt{{font-weight:600}}dd{{margin:0}}</style>\
         </head><body><main><h1>{status} {title}</h1><p>{}</p>",
        prose(&refusal.error.message)
    );
    if let Some(location) = refusal.location().and_then(|value| value.to_str().ok()) {
        let location = html::escape(location);
        let _ = write!(page, "<p><a href=\"{location}\">{location}</a></p>");
    }
    if let Some(pause) = refusal.retry_after {
        let _ = write!(page, "<p>Try again in about {} seconds.</p>", pause.as_secs().max(1));
    }
    let _ = write!(
        page,
        "<dl><dt>Code</dt><dd><code>{}</code></dd><dt>Request</dt><dd><code>{}</code></dd></dl></main></body></html>",
        refusal.error.code,
        html::escape(id)
    );
    page
}

/// A sentence as HTML, in which `x` marks what is typed or looked up: it is shown as code.
fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len() + 32);
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // The part behind a backtick that none follows is not code.
        let (open, close) = match (is_code, parts.peek()) {
            (true, Some(_)) => ("<code>", "</code>"),
            (true, None) => ("`", ""),
            (false, _) => ("", ""),
        };
        let _ = write!(prose, "{open}{}{close}", html::escape(part));
        is_code = !is_code;
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(accept: &'static str, origin: bool) -> ErrorFormat {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        if origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static("https://app.test"));
        }
        ErrorFormat::new(&headers)
    }

    #[test]
    fn browsers_get_a_page_and_programs_get_json() {
        assert!(format("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", false).html);
        for accept in ["*/*", "application/json", "text/plain", "text/htmlx"] {
            assert!(!format(accept, false).html, "{accept}");
        }
        let response = response(&Refusal::offline("a.test"), format("*/*", false), "op_1");
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()[&ERROR_CODE], "ERR_POSTERN_3201");
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        assert!(!response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
    }

    #[test]
    fn a_page_of_another_origin_may_read_the_refusal() {
        let response = response(&Refusal::unknown_host("a.test"), format("*/*", true), "op_1");
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }

    #[test]
    fn what_is_between_backticks_is_code() {
        let page = page(&Refusal::unknown_host("a.test"), "op_1");
        assert!(page.contains("<code>a.test</code>") && !page.contains('`'), "{page}");
        for (text, expected) in [
            ("`a`", "<code>a</code>"),
            ("it is `<a>` or `b`.", "it is <code>&lt;a&gt;</code> or <code>b</code>."),
            ("one ` alone", "one ` alone"),
            ("", ""),
        ] {
            assert_eq!(prose(text), expected);
        }
    }

    #[test]
    fn nothing_from_outside_becomes_markup() {
        let page = page(&Refusal::unknown_host("<script>alert('x')</script>"), "op_<b>");
        assert!(!page.contains("<script") && !page.contains("<b>"));
    }
}
