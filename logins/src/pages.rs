//! The few pages that are no refusals.

/// Nothing but what stands in the page itself.
pub(crate) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// What somebody sees who has logged out, with the address to log in at again. Addresses are ours: nothing in them
/// could end the attribute.
pub(crate) fn logged_out(again: Option<&str>) -> String {
    let again = again.map_or_else(String::new, |address| format!("<p><a href=\"{address}\">Log in again</a></p>"));
    let before = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
     <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Logged out</title><style>\
     :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;\
     place-items:center;background:Canvas;color:CanvasText}main{max-width:40rem;padding:2rem}h1{font-size:1.5rem;\
     margin:0 0 1rem}</style></head><body><main><h1>Logged out</h1>\
     <p>Your session here has ended. You may still be logged in at your identity provider.</p>";
    format!("{before}{again}</main></body></html>")
}
