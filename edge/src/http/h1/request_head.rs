//! The head of a request: read from a visitor, written to a local service.

use super::{
    body_reader::BodyReader,
    body_writer::BodyWriter,
    head::{HeadError, InlineFields, MAX_INLINE_FIELDS, header_map, is_chunked, is_persistent},
    output::copied_bytes,
    spelling::{Spelling, write_field},
};
use crate::http::{content_length, expectation::CONTINUE, headers::has_token};
use bytes::Bytes;
use http_body::SizeHint;
use hyper::{
    HeaderMap, Method, Request, Uri, Version,
    header::{self, HeaderName},
};
use std::mem::MaybeUninit;

/// Headers that the edge adds to a request on its way: four of them say where it comes from, and `Via`.
const ADDED_HEADERS: usize = 5;

/// A request that was read, and how its connection goes on.
pub(super) struct RequestHead {
    pub(super) request: Request<()>,
    pub(super) body: BodyReader,
    /// Whether the connection stays open behind the response.
    pub(super) is_persistent: bool,
    /// Whether the sender waits to be told that it may send the body (RFC 9110, section 10.1.1).
    pub(super) expects_continue: bool,
    /// Whether trailers may follow the body of the response.
    pub(super) accepts_trailers: bool,
}

impl RequestHead {
    /// Reads a header block of at most `max_fields` lines.
    pub(super) fn parse(head: &Bytes, max_fields: usize) -> Result<Self, HeadError> {
        let mut inline: InlineFields<'_> = [const { MaybeUninit::uninit() }; MAX_INLINE_FIELDS];
        let mut large = Vec::new();
        let room = if max_fields <= MAX_INLINE_FIELDS {
            &mut inline[..]
        } else {
            large.resize(max_fields, MaybeUninit::uninit());
            &mut large[..]
        };
        let mut parsed = httparse::Request::new(&mut []);
        let outcome = parsed.parse_with_uninit_headers(head, room);
        if outcome != Ok(httparse::Status::Complete(head.len())) {
            return Err(HeadError::Malformed);
        }
        let (Some(method), Some(target), Some(minor)) = (parsed.method, parsed.path, parsed.version) else {
            return Err(HeadError::Malformed);
        };
        let (headers, spelling) = header_map(head, parsed.headers, ADDED_HEADERS)?;
        let mut request = Request::new(());
        *request.method_mut() = Method::from_bytes(method.as_bytes()).map_err(|_| HeadError::Malformed)?;
        *request.uri_mut() =
            Uri::from_maybe_shared(head.slice_ref(target.as_bytes())).map_err(|_| HeadError::Malformed)?;
        *request.version_mut() = if minor == 1 { Version::HTTP_11 } else { Version::HTTP_10 };
        *request.headers_mut() = headers;
        if !spelling.is_empty() {
            request.extensions_mut().insert(spelling);
        }
        RequestHead::of(request)
    }

    fn of(request: Request<()>) -> Result<Self, HeadError> {
        let (version, headers) = (request.version(), request.headers());
        let body = if headers.contains_key(header::TRANSFER_ENCODING) {
            // Both lengths, or a coding that is not the last: where the body ends is not certain.
            if version != Version::HTTP_11 || !is_chunked(headers) || headers.contains_key(header::CONTENT_LENGTH) {
                return Err(HeadError::Malformed);
            }
            BodyReader::chunked()
        } else {
            BodyReader::length(content_length::of(headers)?.unwrap_or(0))
        };
        let is_persistent = is_persistent(version, headers);
        let expects = |value: &header::HeaderValue| value.as_bytes().eq_ignore_ascii_case(CONTINUE.as_bytes());
        let expects_continue = version == Version::HTTP_11 && headers.get(header::EXPECT).is_some_and(expects);
        let accepts_trailers = headers.get_all(header::TE).iter().any(|value| has_token(value, "trailers"));
        Ok(RequestHead { request, body, is_persistent, expects_continue, accepts_trailers })
    }
}

/// Writes the head of a request, and returns what frames its body. `body` is the size of the body, or `None` if there is
/// none.
pub(super) fn write<B>(head: &mut Vec<u8>, request: &mut Request<B>, body: Option<SizeHint>) -> BodyWriter {
    let writer = frame(request.headers_mut(), body);
    let headers = request.headers();
    head.reserve(64 + request.uri().path().len() + 48 * headers.len() + copied_bytes(body));
    head.extend_from_slice(request.method().as_str().as_bytes());
    head.push(b' ');
    match request.uri().path_and_query() {
        Some(target) => head.extend_from_slice(target.as_str().as_bytes()),
        None => head.push(b'/'),
    }
    head.extend_from_slice(b" HTTP/1.1\r\n");
    let spelling = request.extensions().get::<Spelling>();
    for (name, value) in headers {
        write_field(head, name, value, spelling);
    }
    head.extend_from_slice(b"\r\n");
    writer
}

/// Says in the headers how the body is framed (RFC 9112, section 6).
fn frame(headers: &mut HeaderMap, body: Option<SizeHint>) -> BodyWriter {
    let had_coding = headers.remove(header::TRANSFER_ENCODING).is_some();
    let Some(size) = body else {
        // A body that is gone cannot have the length that was announced: sending it fails.
        let announced = content_length::of(headers).ok().flatten();
        return BodyWriter::length(announced.filter(|_| !had_coding).unwrap_or(0));
    };
    if !had_coding && let Ok(Some(length)) = content_length::of(headers) {
        return BodyWriter::length(length);
    }
    headers.remove(header::CONTENT_LENGTH);
    if let Some(length) = size.exact() {
        headers.insert(header::CONTENT_LENGTH, length.into());
        return BodyWriter::length(length);
    }
    headers.insert(header::TRANSFER_ENCODING, header::HeaderValue::from_static("chunked"));
    BodyWriter::chunked(announced_trailers(headers))
}

/// The names of trailers that the `Trailer` header announces.
pub(super) fn announced_trailers(headers: &HeaderMap) -> Vec<HeaderName> {
    let values = headers.get_all(header::TRAILER).iter();
    let names = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    names.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok()).collect()
}
