//! The built web app, embedded in the programs that serve it.
//!
//! Each program serves its own pages; scripts, styles and images are shared.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Content Security Policy: scripts, workers, styles and connections of the own origin only; images may also be created
/// by the page.
///
/// No frame loads a URL: the frame that shows a captured page gets its content from the page around it and inherits this
/// policy. It needs `data:` styles, which cannot load anything either. Only one named Trusted Types policy turns text
/// into script or markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' data:; \
    connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; frame-src 'none'; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types postern";

/// A built file: its path without a leading slash, and its content.
struct Page {
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Pages of one program.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// Page for all paths that are not files; it routes the path itself.
    pub start: &'static str,
    /// Further pages, served by their names.
    pub others: &'static [&'static str],
    /// Body of the HTML page that is served if the web app was not built into the program.
    pub not_built: &'static str,
}

impl Pages {
    /// Response for a path without its leading slash, with security headers.
    #[must_use]
    pub fn show(&self, path: &str) -> Response {
        let mut response = self.find(path);
        harden(response.headers_mut());
        response
    }

    fn find(&self, path: &str) -> Response {
        // Paths without a dot are routes inside the page.
        let names_a_file = path.rsplit('/').next().unwrap_or_default().contains('.');
        let file = if names_a_file { path } else { self.start };
        let is_foreign = file.ends_with(".html") && file != self.start && !self.others.contains(&file);
        match PAGES.iter().find(|page| page.path == file && !is_foreign) {
            Some(page) => {
                // Names of built assets contain a hash, names of pages do not.
                let cache =
                    if page.path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
                ([(header::CONTENT_TYPE, kind(page.path)), (header::CACHE_CONTROL, cache)], page.bytes).into_response()
            }
            None if PAGES.is_empty() && file == self.start => {
                let page = format!(
                    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Postern</title>{}",
                    self.not_built
                );
                let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
                (headers, page).into_response()
            }
            None => {
                let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
                (StatusCode::NOT_FOUND, kind, "There is no such page.\n").into_response()
            }
        }
    }
}

/// Adds security headers against MIME sniffing, framing, referrer leaks and foreign scripts. Headers that are already
/// set are kept.
pub fn harden(headers: &mut HeaderMap) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(header::CONTENT_SECURITY_POLICY, POLICY);
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: Pages = Pages { start: "console.html", others: &[], not_built: "<h1>Not built</h1>" };

    #[test]
    fn routes_inside_the_page_serve_the_page() {
        for place in ["", "edges/https"] {
            let answer = PAGES.show(place);
            assert_eq!(answer.status(), 200, "{place}");
            assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        }
    }

    #[test]
    fn pages_of_other_programs_and_missing_files_get_404_with_security_headers() {
        for path in ["inspector.html", "assets/none.js", "../Cargo.toml"] {
            let answer = PAGES.show(path);
            assert_eq!(answer.status(), 404, "{path}");
            let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
            assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
            assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }
}
