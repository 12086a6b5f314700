//! The inspector page, built into the program.

use super::ApiError;
use axum::{
    extract::Request,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};

/// Scripts, styles and connections of our own only; pictures may also be made by the page itself.
pub(super) const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page: its path without the leading slash, its bytes.
struct Page {
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Postern</title>\
    <h1>Postern</h1><p>The inspector page was not built into this program. Run <code>make build</code> \
    and start the agent again.</p><p>The <a href=\"/api/\">local API</a> works without it.</p>";

/// Everything that is not an operation.
pub(super) async fn show(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") || path == "/api" {
        return ApiError::from(Error::new(Code::NotFound, "There is no such operation.")).into_response();
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return ApiError::from(Error::from(Code::MethodNotAllowed)).into_response();
    }
    let wanted = match path.trim_start_matches('/') {
        // The page finds its way by itself; addresses without a dot are places inside it.
        "" => "inspector.html",
        other if !other.rsplit('/').next().unwrap_or_default().contains('.') => "inspector.html",
        other => other,
    };
    match PAGES.iter().find(|page| page.path == wanted) {
        Some(page) => {
            // Built files carry a hash in their names, pages do not.
            let cache =
                if page.path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
            ([(header::CONTENT_TYPE, kind(page.path)), (header::CACHE_CONTROL, cache)], page.bytes).into_response()
        }
        None if PAGES.is_empty() && wanted == "inspector.html" => {
            ([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")], NOT_BUILT)
                .into_response()
        }
        None => {
            (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], "There is no such page.\n")
                .into_response()
        }
    }
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
