//! Compresses answers for visitors who understand it, as they stream: whatever the backend has sent so far is always
//! on its way.

mod accept;
mod body;
mod encoder;

pub(super) use encoder::Coding;

use super::Trace;
use crate::upstream::ResponseBody;
use body::Compressed;
use encoder::Encoder;
use http_body::Body;
use hyper::{
    HeaderMap, Method, Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
    http::request,
};
use std::{sync::Arc, time::Instant};
use tokio::sync::Semaphore;

const NAME: &str = "compression";
/// Below this size the work costs more than it saves.
const SMALLEST: u64 = 256;
/// Room is given away in pieces of this size.
const PIECE: usize = 64 * 1024;

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");

/// The room that the encoders of all routes share.
#[derive(Clone)]
pub(crate) struct EncoderRoom(Arc<Semaphore>);

impl EncoderRoom {
    /// With so many bytes for all of them together.
    pub(super) fn new(bytes: usize) -> Self {
        EncoderRoom(Arc::new(Semaphore::new((bytes / PIECE).min(Semaphore::MAX_PERMITS))))
    }
}

/// The coding the visitor likes best, while the request is as they sent it.
pub(super) fn wanted(room: Option<&EncoderRoom>, parts: &request::Parts) -> Option<Coding> {
    room?;
    // An answer to HEAD has no body to measure.
    if parts.method == Method::HEAD { None } else { accept::best(&parts.headers) }
}

/// Compresses one answer, if that is worth it and changes nothing of what it means.
pub(super) fn stage(
    room: Option<&EncoderRoom>,
    wanted: Option<Coding>,
    response: Response<ResponseBody>,
    trace: &mut Trace,
) -> Response<ResponseBody> {
    let (Some(room), Some(coding)) = (room, wanted) else { return response };
    let began = Instant::now();
    if !is_worth_it(response.status(), response.headers(), response.body()) {
        return response;
    }
    let Ok(room) = room.0.clone().try_acquire_many_owned(coding.cost()) else {
        tracing::debug!("no room for another encoder: the answer goes as it is");
        return response;
    };
    trace.record(NAME, Some(coding.name().to_owned()), true, began);
    let (mut parts, body) = response.into_parts();
    rewrite(&mut parts.headers, coding);
    Response::from_parts(parts, ResponseBody::boxed(Compressed::new(body, Encoder::new(coding), room)))
}

fn is_worth_it(status: StatusCode, headers: &HeaderMap, body: &ResponseBody) -> bool {
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
        && headers.get(header::CONTENT_TYPE).is_some_and(|kind| shrinks(kind.as_bytes()))
        && !body.is_end_stream()
        && body.size_hint().exact().is_none_or(|size| size >= SMALLEST)
}

/// Says what the answer is now. Its length is not known any more, and what was computed of its bytes is no longer true.
fn rewrite(headers: &mut HeaderMap, coding: Coding) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    for name in [header::CONTENT_LENGTH, header::ACCEPT_RANGES, CONTENT_DIGEST, CONTENT_MD5] {
        headers.remove(name);
    }
    if !names(headers, &header::VARY, "accept-encoding") && !names(headers, &header::VARY, "*") {
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    // The same meaning in other bytes: a strong tag would promise the same bytes.
    if let Some(tag) = headers.get(header::ETAG)
        && !tag.as_bytes().starts_with(b"W/")
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat())
    {
        headers.insert(header::ETAG, weak);
    }
}

/// Whether a header that is a list has this member.
fn names(headers: &HeaderMap, name: &HeaderName, member: &str) -> bool {
    let members = headers.get_all(name).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    members.into_iter().any(|found| found.trim_ascii().eq_ignore_ascii_case(member.as_bytes()))
}

/// Whether content of this type becomes smaller: text does, pictures and archives are compressed already.
fn shrinks(kind: &[u8]) -> bool {
    let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let Ok(essence) = str::from_utf8(&essence) else { return false };
    // Its messages are framed and compressed by its own rules.
    if essence.starts_with("application/grpc") {
        return false;
    }
    essence.starts_with("text/")
        || ["+json", "+xml", "+text", "+yaml"].iter().any(|suffix| essence.ends_with(suffix))
        || WORTHWHILE.contains(&essence)
}

/// Types beside text that become smaller.
const WORTHWHILE: [&str; 23] = [
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
