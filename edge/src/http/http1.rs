//! How hyper reads HTTP/1.1 behind the guard.

use crate::limits::Limits;
use hyper::{Method, Request, Version, header, server::conn::http1};

/// Header lines that hyper has room for without asking for memory.
const PREALLOCATED_FIELDS: usize = 100;
/// Room above the header block, so that hyper's limit never comes before ours.
const HEADROOM_BYTES: usize = 8 * 1024;

/// HTTP/1.1 as it is read behind the guard.
pub(crate) fn http1(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    if limits.headers > PREALLOCATED_FIELDS {
        builder.max_headers(limits.headers);
    }
    builder.preserve_header_case(true).title_case_headers(true).max_buf_size(limits.head_bytes + HEADROOM_BYTES);
    builder
}

/// Whether an HTTP/1.1 request asks for another protocol or a tunnel: the guard reads nothing after it, see
/// `framing`.
pub(crate) fn leaves_http<B>(request: &Request<B>) -> bool {
    let leaves = request.method() == Method::CONNECT || request.headers().contains_key(header::UPGRADE);
    leaves && request.version() < Version::HTTP_2
}
