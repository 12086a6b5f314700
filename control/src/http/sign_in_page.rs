//! Page that tells why a sign-in by an OpenID provider has failed, and what to do.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};
use postern_api::{Error, html::escape};

/// Allows nothing but the page itself.
const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const STYLE: &str = ":root{color-scheme:light dark;--ink:#1c2024;--quiet:#5b646d;--line:#d5dadf;--page:#f4f6f8;\
--card:#fff;--link:#0b57d0}@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--quiet:#a3adb6;--line:#3a424a;--page:#14181c;\
--card:#1d2328;--link:#8ab4f8}}body{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;\
place-items:center;background:var(--page);color:var(--ink)}main{box-sizing:border-box;width:min(30rem,calc(100% - 2rem));\
padding:1.75rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}h1{font-size:1.3rem;margin:0 0 .75rem}\
p{margin:0 0 1rem;overflow-wrap:anywhere}.code{color:var(--quiet);font:.875rem ui-monospace,monospace}\
a{color:var(--link);font-weight:600}p:last-child{margin:0}";

/// The page. `console` is the URL of the console.
pub(super) fn failed(error: &Error, console: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>You are not signed in - Postern</title><style>{STYLE}</style></head>\
         <body><main><h1>You are not signed in</h1><p>{}</p><p class=\"code\">{}</p><p><a href=\"{}\">Back to the \
         sign-in</a></p></main></body></html>",
        escape(&error.message),
        error.code,
        escape(console)
    );
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    private(response)
}

/// A redirect to be followed with GET (RFC 9110, section 15.4.4).
pub(super) fn redirect(location: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    private(response)
}

/// Forbids caching, and keeps the URL out of `Referer`.
pub(super) fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::Code;

    #[tokio::test]
    async fn what_others_sent_is_shown_and_not_interpreted() {
        let error = Error::new(Code::ConsoleUserUnknown, "<script>\"&'");
        let response = failed(&error, "https://a.test/console/");
        assert_eq!(response.status(), 403);
        let body = axum::body::to_bytes(response.into_body(), 1 << 16).await.expect("a body");
        let page = String::from_utf8_lossy(&body).into_owned();
        assert!(page.contains("&lt;script&gt;&quot;&amp;&#39;") && !page.contains("<script"), "{page}");
        assert!(page.contains("ERR_POSTERN_225"), "{page}");
    }
}
