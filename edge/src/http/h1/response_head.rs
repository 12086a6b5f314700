//! The head of a response: read from a local service, written to a visitor.

use super::{
    body_reader::BodyReader,
    body_writer::BodyWriter,
    date,
    head::{HeadError, InlineFields, MAX_INLINE_FIELDS, header_map, is_chunked, is_persistent},
    output::copied_bytes,
    request_head::announced_trailers,
    spelling::{Spelling, write_field},
};
use crate::http::{content_length, headers::has_token};
use bytes::Bytes;
use http_body::SizeHint;
use hyper::{
    HeaderMap, Method, Response, StatusCode, Version,
    ext::ReasonPhrase,
    header::{self, HeaderName},
    http::response,
};
use std::{io::Write, mem::MaybeUninit};

/// Reads the head of a response.
pub(super) fn parse(head: &Bytes) -> Result<Response<()>, HeadError> {
    let mut room: InlineFields<'_> = [const { MaybeUninit::uninit() }; MAX_INLINE_FIELDS];
    let mut parsed = httparse::Response::new(&mut []);
    let outcome = httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut parsed, head, &mut room);
    if outcome != Ok(httparse::Status::Complete(head.len())) {
        return Err(HeadError::Malformed);
    }
    let (Some(code), Some(minor)) = (parsed.code, parsed.version) else { return Err(HeadError::Malformed) };
    let (headers, spelling) = header_map(head, parsed.headers, 0)?;
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::from_u16(code).map_err(|_| HeadError::Malformed)?;
    *response.version_mut() = if minor == 1 { Version::HTTP_11 } else { Version::HTTP_10 };
    *response.headers_mut() = headers;
    if !spelling.is_empty() {
        response.extensions_mut().insert(spelling);
    }
    if let Some(reason) = parsed.reason.filter(|reason| Some(*reason) != response.status().canonical_reason())
        && let Ok(reason) = ReasonPhrase::try_from(reason.as_bytes())
    {
        response.extensions_mut().insert(reason);
    }
    Ok(response)
}

/// How the body behind the head of a final response ends (RFC 9112, section 6.3), and whether the connection stays open
/// behind it.
pub(super) fn body(response: &Response<()>, method: &Method) -> Result<(BodyReader, bool), HeadError> {
    let (status, headers) = (response.status(), response.headers());
    let is_persistent = is_persistent(response.version(), headers);
    if *method == Method::HEAD || !has_content(status) {
        return Ok((BodyReader::Ended, is_persistent));
    }
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return match (response.version(), is_chunked(headers)) {
            (Version::HTTP_10, _) => Err(HeadError::Malformed),
            // With a length beside it the end is not certain, and nothing may follow.
            (_, true) => Ok((BodyReader::chunked(), is_persistent && !headers.contains_key(header::CONTENT_LENGTH))),
            (_, false) => Ok((BodyReader::UntilClose, false)),
        };
    }
    Ok(match content_length::of(headers)? {
        Some(length) => (BodyReader::length(length), is_persistent),
        None => (BodyReader::UntilClose, false),
    })
}

/// Whether a response of this status has content, if the request does not forbid it (RFC 9110, section 6.4.1).
fn has_content(status: StatusCode) -> bool {
    !status.is_informational() && !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// The request that a response is written for.
#[derive(Debug)]
pub(super) struct AnsweredRequest {
    pub(super) version: Version,
    pub(super) is_head: bool,
    /// Whether the connection stays open, unless the response says otherwise.
    pub(super) is_persistent: bool,
    pub(super) accepts_trailers: bool,
}

/// Writes the head of a response, and returns what frames its body. `body` is the size of the body, or `None` if there is
/// none. `request.is_persistent` tells afterwards whether the connection stays open.
pub(super) fn write(
    head: &mut Vec<u8>,
    parts: &response::Parts,
    body: Option<SizeHint>,
    request: &mut AnsweredRequest,
) -> BodyWriter {
    head.reserve(128 + 48 * parts.headers.len() + copied_bytes(body));
    write_status_line(head, parts, request.version);
    let own_length = content_length::of(&parts.headers).ok().flatten();
    let writer = frame(parts, own_length, body, request);
    let spelling = parts.extensions.get::<Spelling>();
    let (mut has_date, mut says_close, mut says_keep_alive) = (false, false, false);
    let passes_length = passes_length(&writer, own_length, parts.status, request);
    for (name, value) in &parts.headers {
        match *name {
            // Written by the framing of this connection.
            header::TRANSFER_ENCODING => continue,
            header::CONTENT_LENGTH if !passes_length => continue,
            header::TRAILER if !matches!(writer, BodyWriter::Chunked(_)) => continue,
            header::CONNECTION => {
                says_close |= has_token(value, "close");
                says_keep_alive |= has_token(value, "keep-alive");
            }
            header::DATE => has_date = true,
            _ => {}
        }
        write_field(head, name, value, spelling);
    }
    match &writer {
        BodyWriter::Chunked(_) => head.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
        BodyWriter::Length(length) if !passes_length && (*length > 0 || has_length_of_zero(parts.status, request)) => {
            let _ = write!(head, "Content-Length: {length}\r\n");
        }
        BodyWriter::Length(_) | BodyWriter::UntilClose => {}
    }
    let switches = parts.status == StatusCode::SWITCHING_PROTOCOLS;
    request.is_persistent &= !says_close && !switches && !writer.ends_connection();
    if !switches && !says_close && !says_keep_alive {
        match (request.version, request.is_persistent) {
            (Version::HTTP_10, true) => head.extend_from_slice(b"Connection: keep-alive\r\n"),
            (Version::HTTP_11, false) => head.extend_from_slice(b"Connection: close\r\n"),
            _ => {}
        }
    }
    if !has_date {
        head.extend_from_slice(b"Date: ");
        date::write(head);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    writer
}

fn write_status_line(head: &mut Vec<u8>, parts: &response::Parts, version: Version) {
    let reason = parts.extensions.get::<ReasonPhrase>();
    if version == Version::HTTP_11 && parts.status == StatusCode::OK && reason.is_none() {
        return head.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    }
    head.extend_from_slice(if version == Version::HTTP_10 { b"HTTP/1.0 " } else { b"HTTP/1.1 " });
    head.extend_from_slice(parts.status.as_str().as_bytes());
    head.push(b' ');
    match reason {
        Some(reason) => head.extend_from_slice(reason.as_bytes()),
        None => head.extend_from_slice(parts.status.canonical_reason().unwrap_or("Unknown").as_bytes()),
    }
    head.extend_from_slice(b"\r\n");
}

fn frame(
    parts: &response::Parts,
    own_length: Option<u64>,
    body: Option<SizeHint>,
    request: &AnsweredRequest,
) -> BodyWriter {
    let Some(size) = body.filter(|_| !request.is_head && has_content(parts.status)) else { return BodyWriter::none() };
    match size.exact().or(own_length) {
        Some(length) => BodyWriter::length(length),
        None if request.version == Version::HTTP_10 => BodyWriter::UntilClose,
        None => BodyWriter::chunked(accepted_trailers(&parts.headers, request)),
    }
}

fn accepted_trailers(headers: &HeaderMap, request: &AnsweredRequest) -> Vec<HeaderName> {
    if request.accepts_trailers { announced_trailers(headers) } else { Vec::new() }
}

/// Whether the response's own `Content-Length` is written: the one of a response to HEAD says what GET would get.
fn passes_length(writer: &BodyWriter, own_length: Option<u64>, status: StatusCode, request: &AnsweredRequest) -> bool {
    match (writer, own_length) {
        (BodyWriter::Length(_), Some(_)) if request.is_head => {
            has_content(status) || status == StatusCode::NOT_MODIFIED
        }
        (BodyWriter::Length(length), Some(own)) => *length == own && has_content(status),
        _ => false,
    }
}

/// Whether a response without a body says so by a length.
fn has_length_of_zero(status: StatusCode, request: &AnsweredRequest) -> bool {
    !request.is_head && has_content(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(response: Response<()>, body: Option<SizeHint>, version: Version, is_head: bool) -> (String, bool) {
        let mut request = AnsweredRequest { version, is_head, is_persistent: true, accepts_trailers: true };
        let mut head = Vec::new();
        let response = Response::builder()
            .status(response.status())
            .header("date", "D")
            .body(())
            .map(|mut plain| {
                plain.headers_mut().extend(response.headers().clone());
                *plain.extensions_mut() = response.extensions().clone();
                plain
            })
            .expect("a response");
        write(&mut head, &response.into_parts().0, body, &mut request);
        (String::from_utf8(head).expect("ASCII").replace("\r\n", "|"), request.is_persistent)
    }

    fn response(status: u16, headers: &[(&str, &str)]) -> Response<()> {
        let response =
            headers.iter().fold(Response::builder().status(status), |r, (name, value)| r.header(*name, *value));
        response.body(()).expect("a response")
    }

    #[test]
    fn the_head_says_how_the_body_is_framed() {
        let (exact, unknown) = (|length| Some(SizeHint::with_exact(length)), Some(SizeHint::new()));
        let length = [("content-length", "5")];
        let table = [
            (200, &[][..], exact(5), false, "HTTP/1.1 200 OK|Date: D|Content-Length: 5||"),
            (200, &length[..], exact(5), false, "HTTP/1.1 200 OK|Date: D|Content-Length: 5||"),
            (200, &length[..], unknown, false, "HTTP/1.1 200 OK|Date: D|Content-Length: 5||"),
            (200, &[][..], unknown, false, "HTTP/1.1 200 OK|Date: D|Transfer-Encoding: chunked||"),
            (200, &[][..], None, false, "HTTP/1.1 200 OK|Date: D|Content-Length: 0||"),
            (200, &length[..], None, true, "HTTP/1.1 200 OK|Date: D|Content-Length: 5||"),
            (200, &[][..], unknown, true, "HTTP/1.1 200 OK|Date: D||"),
            (304, &length[..], None, true, "HTTP/1.1 304 Not Modified|Date: D|Content-Length: 5||"),
            (204, &length[..], None, false, "HTTP/1.1 204 No Content|Date: D||"),
            (304, &length[..], exact(5), false, "HTTP/1.1 304 Not Modified|Date: D||"),
            (499, &[][..], None, false, "HTTP/1.1 499 Unknown|Date: D|Content-Length: 0||"),
        ];
        for (status, headers, body, is_head, expected) in table {
            let (head, is_persistent) = written(response(status, headers), body, Version::HTTP_11, is_head);
            assert_eq!((head.as_str(), is_persistent), (expected, true));
        }
    }

    #[test]
    fn the_head_says_whether_the_connection_stays_open() {
        let close = written(response(200, &[("connection", "close")]), None, Version::HTTP_11, false);
        assert_eq!(close, ("HTTP/1.1 200 OK|Date: D|Connection: close|Content-Length: 0||".to_owned(), false));
        let old = written(response(200, &[]), Some(SizeHint::with_exact(1)), Version::HTTP_10, false);
        assert_eq!(old, ("HTTP/1.0 200 OK|Date: D|Content-Length: 1|Connection: keep-alive||".to_owned(), true));
        let until_close = written(response(200, &[]), Some(SizeHint::new()), Version::HTTP_10, false);
        assert_eq!(until_close, ("HTTP/1.0 200 OK|Date: D||".to_owned(), false));
        let switched = written(response(101, &[("connection", "Upgrade")]), None, Version::HTTP_11, false);
        assert_eq!(switched.0, "HTTP/1.1 101 Switching Protocols|Date: D|Connection: Upgrade||");
    }

    #[test]
    fn a_response_keeps_its_reason_and_the_spelling_of_its_names() {
        let head = Bytes::from_static(b"HTTP/1.1 200 Fine\r\nETag: x\r\ndate: D\r\n\r\n");
        let parsed = parse(&head).expect("a response");
        let mut request =
            AnsweredRequest { version: Version::HTTP_11, is_head: false, is_persistent: true, accepts_trailers: false };
        let mut head = Vec::new();
        write(&mut head, &parsed.into_parts().0, None, &mut request);
        assert_eq!(head, b"HTTP/1.1 200 Fine\r\nETag: x\r\ndate: D\r\nContent-Length: 0\r\n\r\n");
    }

    #[test]
    fn the_end_of_a_body_is_found_by_the_head() {
        let length = [("content-length", "5")];
        let both = [("transfer-encoding", "chunked"), ("content-length", "5")];
        type Case<'a> = (u16, &'a [(&'a str, &'a str)], Method, &'a str, bool);
        let table: [Case<'_>; 9] = [
            (200, &length, Method::GET, "Length(5)", true),
            (200, &length, Method::HEAD, "Ended", true),
            (204, &length, Method::GET, "Ended", true),
            (304, &length, Method::GET, "Ended", true),
            (200, &both[..1], Method::GET, "Chunked", true),
            (200, &both, Method::GET, "Chunked", false),
            (200, &[("transfer-encoding", "gzip")], Method::GET, "UntilClose", false),
            (200, &[], Method::GET, "UntilClose", false),
            (200, &[("content-length", "5, 5"), ("connection", "close")], Method::GET, "Length(5)", false),
        ];
        for (status, headers, method, expected, persists) in table {
            let (reader, is_persistent) = body(&response(status, headers), &method).expect("a body");
            let shown = format!("{reader:?}");
            assert!(shown.starts_with(expected) && is_persistent == persists, "{headers:?} {shown}");
        }
        for wrong in ["5, 6", "x", ""] {
            assert!(body(&response(200, &[("content-length", wrong)]), &Method::GET).is_err(), "{wrong}");
        }
    }
}
