//! The pages of the web app.

use super::ApiError;
use axum::{
    extract::Request,
    http::Method,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};
use postern_pages::Pages;

const PAGES: Pages = Pages {
    start: "inspector.html",
    others: &["index.html"],
    not_built: "<h1>Postern</h1><p>The inspector page was not built into this program. Run <code>make build</code> \
        and start the agent again.</p><p>The <a href=\"/api/\">local API</a> works without it.</p>",
};

/// Serves every path that is not an operation.
pub(super) async fn show(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") || path == "/api" {
        return ApiError::from(Error::new(Code::NotFound, "There is no such operation.")).into_response();
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return ApiError::from(Error::from(Code::MethodNotAllowed)).into_response();
    }
    PAGES.show(path.trim_start_matches('/'))
}
