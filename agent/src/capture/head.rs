//! The head of an HTTP/1 message (RFC 9112 sections 2 to 6): its end, its fields, and the framing of the body.

use super::framing::{BodyFraming, FramingError};
use std::{borrow::Cow, mem::MaybeUninit, net::IpAddr};

/// Longer heads are not followed.
pub(crate) const MAX_HEAD_BYTES: usize = 64 * 1024;
pub(super) const MAX_HEADERS: usize = 256;

/// Collects a head that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct HeadBuffer {
    buffer: Vec<u8>,
}

/// The parts of a request's head that the sniffer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) host: Cow<'a, str>,
    /// The visitor's address as the edge forwards it: one stream carries the requests of many visitors.
    pub(crate) visitor: Option<IpAddr>,
    pub(crate) framing: BodyFraming,
    pub(crate) upgrade: bool,
}

/// The parts of a response's head that the sniffer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    /// The framing that the headers declare, whatever the request's method.
    pub(crate) framing: BodyFraming,
    /// A switch of protocols would be to a WebSocket.
    pub(crate) websocket: bool,
    /// The body consists of server-sent events without a content coding.
    pub(crate) events: bool,
}

/// The request methods that matter for the framing of the response (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodKind {
    Head,
    Connect,
    Other,
}

impl MethodKind {
    pub(crate) fn new(method: &str) -> Self {
        match method {
            "HEAD" => MethodKind::Head,
            "CONNECT" => MethodKind::Connect,
            _ => MethodKind::Other,
        }
    }
}

impl HeadBuffer {
    /// Takes bytes. Once the head is complete, calls `read` with all of it and returns its result with the number of
    /// bytes taken; until then all bytes are buffered.
    pub(crate) fn feed<T>(
        &mut self,
        bytes: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, FramingError>,
    ) -> Result<Option<(usize, T)>, FramingError> {
        let skipped = if self.buffer.is_empty() {
            bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
        } else {
            0
        };
        let fresh = &bytes[skipped..];
        if self.buffer.is_empty() {
            // In the usual case the whole head arrives at once and is not copied.
            if let Some(end) = end_of_head(fresh, 0) {
                return Ok(Some((skipped + end, read(&fresh[..end])?)));
            }
        }
        let before = self.buffer.len();
        let room = MAX_HEAD_BYTES.saturating_sub(before);
        self.buffer.extend_from_slice(&fresh[..fresh.len().min(room)]);
        if let Some(end) = end_of_head(&self.buffer, before.saturating_sub(3)) {
            let head = std::mem::take(&mut self.buffer);
            return Ok(Some((skipped + end - before, read(&head[..end])?)));
        }
        if self.buffer.len() >= MAX_HEAD_BYTES { Err(FramingError) } else { Ok(None) }
    }

    /// The part of a head that is buffered.
    pub(crate) fn buffered(&self) -> &[u8] {
        &self.buffer
    }

    /// Whether no part of a head is buffered.
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }
}

/// The offset after the empty line that ends a head.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(newline) = memchr::memchr(b'\n', &bytes[at..]) {
        at += newline + 1;
        match bytes.get(at..) {
            Some([b'\n', ..]) => return Some(at + 1),
            Some([b'\r', b'\n', ..]) => return Some(at + 2),
            _ => {}
        }
    }
    None
}

impl<'a> RequestHead<'a> {
    pub(crate) fn read(head: &'a [u8]) -> Result<Self, FramingError> {
        let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut []);
        let read = request.parse_with_uninit_headers(head, &mut headers);
        if !matches!(read, Ok(httparse::Status::Complete(length)) if length == head.len()) {
            return Err(FramingError);
        }
        let host = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
        let forwarded = request.headers.iter().rfind(|header| header.name.eq_ignore_ascii_case("x-forwarded-for"));
        Ok(RequestHead {
            method: request.method.unwrap_or_default(),
            target: request.path.unwrap_or_default(),
            host: host.map(|host| decode_value(host.value)).unwrap_or_default(),
            visitor: forwarded.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse().ok()),
            framing: framing(request.headers)?.unwrap_or(BodyFraming::Length(0)),
            upgrade: request.headers.iter().any(|header| header.name.eq_ignore_ascii_case("upgrade")),
        })
    }
}

impl ResponseHead {
    pub(crate) fn read(head: &[u8]) -> Result<Self, FramingError> {
        let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut []);
        let read =
            httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut response, head, &mut headers);
        if !matches!(read, Ok(httparse::Status::Complete(length)) if length == head.len()) {
            return Err(FramingError);
        }
        Ok(ResponseHead {
            status: response.code.unwrap_or_default(),
            framing: framing(response.headers)?.unwrap_or(BodyFraming::UntilClose),
            websocket: has_value(response.headers, "upgrade", "websocket"),
            events: has_value(response.headers, "content-type", "text/event-stream")
                && !response.headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-encoding")),
        })
    }

    /// The framing of the body, given the request's method.
    pub(crate) fn framing_for(&self, method: MethodKind) -> BodyFraming {
        let bodiless = method == MethodKind::Head || matches!(self.status, 100..=199 | 204 | 304);
        if bodiless { BodyFraming::Length(0) } else { self.framing.clone() }
    }
}

/// Whether a header has this value, not counting its parameters.
fn has_value(headers: &[httparse::Header<'_>], name: &str, value: &str) -> bool {
    headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name)).any(|header| {
        let essence = header.value.split(|byte| *byte == b';').next().unwrap_or_default();
        essence.trim_ascii().eq_ignore_ascii_case(value.as_bytes())
    })
}

/// The framing that Transfer-Encoding and Content-Length declare; the former wins (RFC 9112 section 6.3).
pub(super) fn framing(headers: &[httparse::Header<'_>]) -> Result<Option<BodyFraming>, FramingError> {
    let declared = |name: &'static str| headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    let mut coded = None;
    for header in declared("transfer-encoding") {
        let last = header.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        coded = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
    }
    match coded {
        Some(true) => return Ok(Some(BodyFraming::chunked())),
        Some(false) => return Ok(Some(BodyFraming::UntilClose)),
        None => {}
    }
    let mut length = None;
    for header in declared("content-length") {
        for part in header.value.split(|byte| *byte == b',') {
            let part = part.trim_ascii();
            let digits = !part.is_empty() && part.iter().all(u8::is_ascii_digit);
            let value: u64 = std::str::from_utf8(part)
                .ok()
                .filter(|_| digits)
                .and_then(|text| text.parse().ok())
                .ok_or(FramingError)?;
            if length.is_some_and(|length| length != value) {
                return Err(FramingError);
            }
            length = Some(value);
        }
    }
    Ok(length.map(BodyFraming::Length))
}

/// The values of a header in a head that was checked when it passed: one colon, no folded lines.
pub(crate) fn header_values<'a>(head: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    head.split(|byte| *byte == b'\n').skip(1).filter_map(move |line| {
        let (own, rest) = line.split_at_checked(name.len())?;
        let value = rest.strip_prefix(b":")?;
        own.eq_ignore_ascii_case(name.as_bytes()).then(|| value.trim_ascii())
    })
}

/// The reason phrase in the head of a response (RFC 9112 section 4).
pub(crate) fn reason_phrase(head: &[u8]) -> Cow<'_, str> {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.splitn(3, |byte| *byte == b' ').nth(2).map(|words| decode_value(words.trim_ascii())).unwrap_or_default()
}

/// Decodes a header's value: as UTF-8 if it is valid, else as Latin-1.
pub(crate) fn decode_value(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<RequestHead<'_>, FramingError> {
        RequestHead::read(text.as_bytes())
    }

    #[test]
    fn transfer_encoding_wins_and_two_lengths_are_an_error() {
        let both =
            request("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n\r\n").expect("fine");
        assert_eq!(both.framing, BodyFraming::chunked());
        let same = request("POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n").expect("fine");
        assert_eq!(same.framing, BodyFraming::Length(3));
        assert!(request("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n").is_err());
        assert!(request("POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n").is_err());
    }

    #[test]
    fn responses_without_a_body_ignore_their_headers() {
        let head =
            |status: u16| ResponseHead { status, framing: BodyFraming::Length(9), websocket: false, events: false };
        let (head_alone, get) = (MethodKind::new("HEAD"), MethodKind::new("GET"));
        assert_eq!(head(200).framing_for(head_alone), BodyFraming::Length(0));
        assert_eq!(head(204).framing_for(get), BodyFraming::Length(0));
        assert_eq!(head(304).framing_for(get), BodyFraming::Length(0));
        assert_eq!(head(200).framing_for(get), BodyFraming::Length(9));
    }

    #[test]
    fn the_reason_phrase_is_read_from_the_head() {
        let of = |line: &str| reason_phrase(format!("{line}\r\nA: b c d\r\n\r\n").as_bytes()).into_owned();
        assert_eq!(of("HTTP/1.1 404 Not Found"), "Not Found");
        assert_eq!([of("HTTP/1.1 200 "), of("HTTP/1.1 200"), of("")], [""; 3]);
        assert_eq!(reason_phrase(b""), "");
    }

    #[test]
    fn a_head_is_found_in_any_split_and_leading_line_endings_are_skipped() {
        let text = b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
        for step in 1..text.len() {
            let mut buffer = HeadBuffer::default();
            let mut at = 0;
            let mut found = None;
            for piece in text.chunks(step) {
                match buffer.feed(piece, |head| Ok(head.to_vec())).expect("fine") {
                    Some((taken, head)) => {
                        found = Some((at + taken, head));
                        break;
                    }
                    None => at += piece.len(),
                }
            }
            let (end, head) = found.expect("complete");
            assert_eq!(&text[end..], b"rest", "step {step}");
            assert_eq!(head, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        }
    }

    #[test]
    fn header_values_are_found_by_name_in_any_case() {
        let head = b"GET /a:b HTTP/1.1\r\nHost: h\r\nX-One:  1 \r\nx-one:2\r\nX-Other: x-one: 3\r\n\r\n";
        let found = |name| header_values(head, name).collect::<Vec<_>>();
        assert_eq!(found("X-ONE"), [b"1", b"2"]);
        assert_eq!(found("host"), [b"h"]);
        assert!(found("x").is_empty() && found("get /a").is_empty());
    }

    #[test]
    fn an_endless_head_is_an_error() {
        let mut buffer = HeadBuffer::default();
        let piece = [b'a'; 4096];
        let mut outcome = Ok(None);
        for _ in 0..40 {
            outcome = buffer.feed(&piece, |_| Ok(()));
            if outcome.is_err() {
                break;
            }
        }
        assert_eq!(outcome, Err(FramingError));
    }
}
