//! Streaming compression of responses for clients that accept it (RFC 9110, section 8.4): data from the backend is
//! never held back.

mod accept;
mod body;
mod encoder;

pub(super) use encoder::Coding;

use super::Trace;
use crate::{limits::Quota, upstream::ResponseBody};
use body::Compressed;
use encoder::Encoder;
use http_body::Body;
use hyper::{
    HeaderMap, Method, Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
    http::request,
};
use std::sync::Arc;
use tokio::time::Instant;

const NAME: &str = "compression";
/// Smaller bodies are not worth compressing.
const MIN_BODY_BYTES: u64 = 256;
/// Unit in which encoder memory is reserved, in bytes.
const MEMORY_UNIT_BYTES: usize = 64 * 1024;

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");

/// The memory that the encoders of all routes share.
#[derive(Clone)]
pub(crate) struct EncoderRoom(Arc<Quota>);

impl EncoderRoom {
    /// A budget of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        EncoderRoom(Quota::new(bytes / MEMORY_UNIT_BYTES))
    }

    /// Changes the budget.
    pub(super) fn set_bytes(&self, bytes: usize) {
        self.0.set_limit(bytes / MEMORY_UNIT_BYTES);
    }
}

/// The coding that the client prefers, by the request as it was sent.
pub(super) fn preferred_coding(room: Option<&EncoderRoom>, parts: &request::Parts) -> Option<Coding> {
    room?;
    // A response to HEAD has no body.
    if parts.method == Method::HEAD { None } else { accept::best(&parts.headers) }
}

/// Compresses one response, if that is worthwhile and allowed.
pub(super) fn stage(
    room: Option<&EncoderRoom>,
    coding: Option<Coding>,
    response: Response<ResponseBody>,
    trace: &mut Trace,
) -> Response<ResponseBody> {
    let (Some(room), Some(coding)) = (room, coding) else { return response };
    let began = Instant::now();
    if !should_compress(response.status(), response.headers(), response.body()) {
        return response;
    }
    let Some(room) = room.0.acquire(coding.cost()) else {
        tracing::debug!("no memory for another encoder: the response is not compressed");
        return response;
    };
    trace.record(NAME, Some(coding.name().to_owned()), true, began);
    let (mut parts, body) = response.into_parts();
    rewrite(&mut parts.headers, coding);
    Response::from_parts(parts, ResponseBody::boxed(Compressed::new(body, Encoder::new(coding), room)))
}

fn should_compress(status: StatusCode, headers: &HeaderMap, body: &ResponseBody) -> bool {
    let partial = matches!(
        status,
        StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::PARTIAL_CONTENT | StatusCode::NOT_MODIFIED
    );
    let encoded = headers.get_all(header::CONTENT_ENCODING).iter().any(|value| value != "identity");
    !status.is_informational()
        && !partial
        && !encoded
        && !headers.contains_key(header::CONTENT_RANGE)
        && !names(headers, &header::CACHE_CONTROL, "no-transform")
        && headers.get(header::CONTENT_TYPE).is_some_and(|kind| is_compressible(kind.as_bytes()))
        && !body.is_end_stream()
        && body.size_hint().exact().is_none_or(|size| size >= MIN_BODY_BYTES)
}

/// Adapts the headers. The new length is unknown, and digests of the former bytes are no longer valid.
fn rewrite(headers: &mut HeaderMap, coding: Coding) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    for name in [header::CONTENT_LENGTH, header::ACCEPT_RANGES, CONTENT_DIGEST, CONTENT_MD5] {
        headers.remove(name);
    }
    if !names(headers, &header::VARY, "accept-encoding") && !names(headers, &header::VARY, "*") {
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    // A strong entity tag would promise identical bytes (RFC 9110, section 8.8.1).
    if let Some(tag) = headers.get(header::ETAG)
        && !tag.as_bytes().starts_with(b"W/")
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat())
    {
        headers.insert(header::ETAG, weak);
    }
}

/// Whether a list header has this member.
fn names(headers: &HeaderMap, name: &HeaderName, member: &str) -> bool {
    let members = headers.get_all(name).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    members.into_iter().any(|found| found.trim_ascii().eq_ignore_ascii_case(member.as_bytes()))
}

/// Whether content of this type compresses well: text does, images and archives are compressed already.
fn is_compressible(kind: &[u8]) -> bool {
    let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let Ok(essence) = str::from_utf8(&essence) else { return false };
    // gRPC frames and compresses its messages itself.
    if essence.starts_with("application/grpc") {
        return false;
    }
    essence.starts_with("text/")
        || ["+json", "+xml", "+text", "+yaml"].iter().any(|suffix| essence.ends_with(suffix))
        || COMPRESSIBLE_TYPES.contains(&essence)
}

/// Types other than text that compress well.
const COMPRESSIBLE_TYPES: [&str; 23] = [
    "application/dart",
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json-seq",
    "application/jsonl",
    "application/ndjson",
    "application/rtf",
    "application/toml",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
];

#[cfg(test)]
mod tests;
