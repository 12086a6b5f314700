//! HTML pages of login endpoints that are not error pages.

/// Allows nothing but the page itself.
pub(crate) const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// The page after a logout, with an optional link to log in again. The URL is this server's own and contains nothing
/// that could end the attribute.
pub(crate) fn logged_out(login_url: Option<&str>) -> String {
    let link = login_url.map_or_else(String::new, |url| format!("<p><a href=\"{url}\">Log in again</a></p>"));
    let before = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
     <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Logged out</title><style>\
     :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;\
     place-items:center;background:Canvas;color:CanvasText}main{max-width:40rem;padding:2rem}h1{font-size:1.5rem;\
     margin:0 0 1rem}</style></head><body><main><h1>Logged out</h1>\
     <p>Your session here has ended. You may still be logged in at your identity provider.</p>";
    format!("{before}{link}</main></body></html>")
}
