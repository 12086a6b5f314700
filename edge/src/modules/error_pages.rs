//! Pages of one's own in place of the errors of the backend. The errors of the edge get them where refusals are rendered.

use super::Trace;
use crate::{http::headers::wants_html, upstream::ResponseBody};
use hyper::{
    HeaderMap, Response,
    header::{self, HeaderValue},
};
use postern_api::error_pages::{PageFacts, PreparedPages};
use tokio::time::Instant;

const NAME: &str = "error_pages";
/// Headers that describe the body which is replaced.
const OF_BODY: [header::HeaderName; 8] = [
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::CONTENT_RANGE,
    header::CONTENT_LANGUAGE,
    header::ACCEPT_RANGES,
    header::TRANSFER_ENCODING,
    header::ETAG,
    header::LAST_MODIFIED,
];

/// Whether errors of the backend shall be replaced for this visitor.
pub(super) fn applies(pages: Option<&PreparedPages>, headers: &HeaderMap) -> bool {
    pages.is_some_and(|pages| pages.upstream && wants_html(headers))
}

/// Replaces the body of one response of the backend.
pub(super) fn stage(
    pages: Option<&PreparedPages>,
    applies: bool,
    response: Response<ResponseBody>,
    trace: &mut Trace,
) -> Response<ResponseBody> {
    let (Some(pages), true) = (pages, applies) else { return response };
    let status = response.status();
    let began = Instant::now();
    let message = status.canonical_reason().unwrap_or("Error");
    let facts = PageFacts { status: status.as_u16(), code: None, message, id: trace.id() };
    let Some(page) = pages.render(&facts) else { return response };
    let mut response = response.map(|_| ResponseBody::full(page.into()));
    let headers = response.headers_mut();
    for name in OF_BODY {
        headers.remove(name);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    trace.record(NAME, Some(status.as_str().to_owned()), true, began);
    response
}
