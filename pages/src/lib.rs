//! The pages of the web app, built into the programs that serve them.
//!
//! A program says which of the pages are its own; scripts, styles and pictures are everybody's.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Scripts, workers, styles and connections of our own only; pictures may also be made by the page itself.
///
/// No frame loads anything: the one that shows a captured page has its content from the page around it and inherits this
/// policy. For its sake styles may be `data:`; they can load nothing either. Text becomes script or markup in one named
/// place only.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' data:; \
    connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; frame-src 'none'; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types postern";

/// A built file: its path without a leading slash, its bytes.
struct Page {
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The pages of one program.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// What is shown where no file is named; the page finds its way by itself.
    pub start: &'static str,
    /// Further pages that may be asked for by their names.
    pub others: &'static [&'static str],
    /// The body of an HTML page that stands in when the pages were not built into the program.
    pub not_built: &'static str,
}

impl Pages {
    /// The answer for a path without its leading slash, with all headers of safety.
    #[must_use]
    pub fn show(&self, path: &str) -> Response {
        let mut response = self.find(path);
        harden(response.headers_mut());
        response
    }

    fn find(&self, path: &str) -> Response {
        // Addresses without a dot are places inside the page.
        let names_a_file = path.rsplit('/').next().unwrap_or_default().contains('.');
        let wanted = if names_a_file { path } else { self.start };
        let foreign = wanted.ends_with(".html") && wanted != self.start && !self.others.contains(&wanted);
        match PAGES.iter().find(|page| page.path == wanted && !foreign) {
            Some(page) => {
                // Built files carry a hash in their names, pages do not.
                let cache =
                    if page.path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
                ([(header::CONTENT_TYPE, kind(page.path)), (header::CACHE_CONTROL, cache)], page.bytes).into_response()
            }
            None if PAGES.is_empty() && wanted == self.start => {
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

/// Headers for everything a browser is answered: nothing is guessed, framed, leaked or run from elsewhere.
/// What an answer says itself stays.
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
    fn places_inside_the_page_are_the_page() {
        for place in ["", "edges/https"] {
            let answer = PAGES.show(place);
            assert_eq!(answer.status(), 200, "{place}");
            assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        }
    }

    #[test]
    fn pages_of_other_programs_and_files_that_are_not_there_are_refused_as_safely_as_pages_are_shown() {
        for path in ["inspector.html", "assets/none.js", "../Cargo.toml"] {
            let answer = PAGES.show(path);
            assert_eq!(answer.status(), 404, "{path}");
            let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
            assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
            assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }
}
