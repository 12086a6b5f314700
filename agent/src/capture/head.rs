//! The head of an HTTP/1 message: finding its end, and what it says about the body.

use super::framing::{Framing, Garbage};
use std::{borrow::Cow, mem::MaybeUninit, net::IpAddr};

/// Heads longer than this are not followed.
pub(crate) const MAX_HEAD: usize = 64 * 1024;
pub(super) const MAX_HEADERS: usize = 256;

/// Collects a head out of pieces.
#[derive(Debug, Default)]
pub(crate) struct HeadBuffer {
    kept: Vec<u8>,
}

/// What the sniffer needs of a request's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) host: Cow<'a, str>,
    /// The visitor's address as the edge says it: one stream carries the requests of many visitors.
    pub(crate) visitor: Option<IpAddr>,
    pub(crate) framing: Framing,
    pub(crate) upgrade: bool,
}

/// What the sniffer needs of a response's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    /// What the headers say, before the request's method is looked at.
    pub(crate) framing: Framing,
    /// It switches to a WebSocket, if it switches.
    pub(crate) websocket: bool,
    /// Its body is made of server-sent events that can be read as they are.
    pub(crate) events: bool,
}

/// What matters of a method for where the answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The head alone.
    Head,
    /// Another protocol.
    Connect,
    Otherwise,
}

impl Asking {
    pub(crate) fn with(method: &str) -> Self {
        match method {
            "HEAD" => Asking::Head,
            "CONNECT" => Asking::Connect,
            _ => Asking::Otherwise,
        }
    }
}

impl HeadBuffer {
    /// Takes bytes. Once the head is complete, `read` gets it whole and the number of bytes taken is returned
    /// with what it made of it; until then all bytes are kept.
    pub(crate) fn feed<T>(
        &mut self,
        bytes: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Garbage>,
    ) -> Result<Option<(usize, T)>, Garbage> {
        let skipped = if self.kept.is_empty() {
            bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
        } else {
            0
        };
        let fresh = &bytes[skipped..];
        if self.kept.is_empty() {
            // The usual case: the whole head came at once and need not be copied.
            if let Some(end) = end_of_head(fresh, 0) {
                return Ok(Some((skipped + end, read(&fresh[..end])?)));
            }
        }
        let before = self.kept.len();
        let room = MAX_HEAD.saturating_sub(before);
        self.kept.extend_from_slice(&fresh[..fresh.len().min(room)]);
        if let Some(end) = end_of_head(&self.kept, before.saturating_sub(3)) {
            let head = std::mem::take(&mut self.kept);
            return Ok(Some((skipped + end - before, read(&head[..end])?)));
        }
        if self.kept.len() >= MAX_HEAD { Err(Garbage) } else { Ok(None) }
    }

    /// The part of a head that has been seen.
    pub(crate) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// Whether part of a head has been seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// Behind the empty line that ends a head.
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
    pub(crate) fn read(head: &'a [u8]) -> Result<Self, Garbage> {
        let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut []);
        let read = request.parse_with_uninit_headers(head, &mut headers);
        if !matches!(read, Ok(httparse::Status::Complete(length)) if length == head.len()) {
            return Err(Garbage);
        }
        let host = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
        let forwarded = request.headers.iter().rfind(|header| header.name.eq_ignore_ascii_case("x-forwarded-for"));
        Ok(RequestHead {
            method: request.method.unwrap_or_default(),
            target: request.path.unwrap_or_default(),
            host: host.map(|host| text_of(host.value)).unwrap_or_default(),
            visitor: forwarded.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse().ok()),
            framing: framing(request.headers)?.unwrap_or(Framing::Length(0)),
            upgrade: request.headers.iter().any(|header| header.name.eq_ignore_ascii_case("upgrade")),
        })
    }
}

impl ResponseHead {
    pub(crate) fn read(head: &[u8]) -> Result<Self, Garbage> {
        let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut []);
        let read =
            httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut response, head, &mut headers);
        if !matches!(read, Ok(httparse::Status::Complete(length)) if length == head.len()) {
            return Err(Garbage);
        }
        Ok(ResponseHead {
            status: response.code.unwrap_or_default(),
            framing: framing(response.headers)?.unwrap_or(Framing::UntilClose),
            websocket: says(response.headers, "upgrade", "websocket"),
            events: says(response.headers, "content-type", "text/event-stream")
                && !response.headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-encoding")),
        })
    }

    /// How the body really ends, given how it was asked for.
    pub(crate) fn framing_for(&self, asking: Asking) -> Framing {
        let bodiless = asking == Asking::Head || matches!(self.status, 100..=199 | 204 | 304);
        if bodiless { Framing::Length(0) } else { self.framing.clone() }
    }
}

/// Whether a header has this value, its parameters aside.
fn says(headers: &[httparse::Header<'_>], name: &str, value: &str) -> bool {
    headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name)).any(|header| {
        let essence = header.value.split(|byte| *byte == b';').next().unwrap_or_default();
        essence.trim_ascii().eq_ignore_ascii_case(value.as_bytes())
    })
}

/// What Transfer-Encoding and Content-Length say; the former wins.
pub(super) fn framing(headers: &[httparse::Header<'_>]) -> Result<Option<Framing>, Garbage> {
    let values = |name: &'static str| headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    let mut coded = None;
    for header in values("transfer-encoding") {
        let last = header.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        coded = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
    }
    match coded {
        Some(true) => return Ok(Some(Framing::chunked())),
        Some(false) => return Ok(Some(Framing::UntilClose)),
        None => {}
    }
    let mut length = None;
    for header in values("content-length") {
        for part in header.value.split(|byte| *byte == b',') {
            let part = part.trim_ascii();
            let digits = !part.is_empty() && part.iter().all(u8::is_ascii_digit);
            let value: u64 =
                std::str::from_utf8(part).ok().filter(|_| digits).and_then(|text| text.parse().ok()).ok_or(Garbage)?;
            if length.is_some_and(|length| length != value) {
                return Err(Garbage);
            }
            length = Some(value);
        }
    }
    Ok(length.map(Framing::Length))
}

/// The values of a header in a head that was found to be well-formed when it passed: one colon, no folded lines.
pub(crate) fn values<'a>(head: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    head.split(|byte| *byte == b'\n').skip(1).filter_map(move |line| {
        let (own, rest) = line.split_at_checked(name.len())?;
        let value = rest.strip_prefix(b":")?;
        own.eq_ignore_ascii_case(name.as_bytes()).then(|| value.trim_ascii())
    })
}

/// The words behind the status in the head of a response.
pub(crate) fn reason_of(head: &[u8]) -> Cow<'_, str> {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.splitn(3, |byte| *byte == b' ').nth(2).map(|words| text_of(words.trim_ascii())).unwrap_or_default()
}

/// The text of a header's value: UTF-8 where it is, Latin-1 otherwise.
pub(crate) fn text_of(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<RequestHead<'_>, Garbage> {
        RequestHead::read(text.as_bytes())
    }

    #[test]
    fn transfer_encoding_wins_and_two_lengths_are_garbage() {
        let both =
            request("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n\r\n").expect("fine");
        assert_eq!(both.framing, Framing::chunked());
        let same = request("POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n").expect("fine");
        assert_eq!(same.framing, Framing::Length(3));
        assert!(request("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n").is_err());
        assert!(request("POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n").is_err());
    }

    #[test]
    fn some_answers_have_no_body_whatever_they_say() {
        let head = |status: u16| ResponseHead { status, framing: Framing::Length(9), websocket: false, events: false };
        let (head_alone, get) = (Asking::with("HEAD"), Asking::with("GET"));
        assert_eq!(head(200).framing_for(head_alone), Framing::Length(0));
        assert_eq!(head(204).framing_for(get), Framing::Length(0));
        assert_eq!(head(304).framing_for(get), Framing::Length(0));
        assert_eq!(head(200).framing_for(get), Framing::Length(9));
    }

    #[test]
    fn the_words_behind_a_status_are_read_from_the_head() {
        let of = |line: &str| reason_of(format!("{line}\r\nA: b c d\r\n\r\n").as_bytes()).into_owned();
        assert_eq!(of("HTTP/1.1 404 Not Found"), "Not Found");
        assert_eq!([of("HTTP/1.1 200 "), of("HTTP/1.1 200"), of("")], [""; 3]);
        assert_eq!(reason_of(b""), "");
    }

    #[test]
    fn a_head_is_found_in_any_split_and_leading_line_ends_are_skipped() {
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
    fn values_are_found_by_name_in_any_case() {
        let head = b"GET /a:b HTTP/1.1\r\nHost: h\r\nX-One:  1 \r\nx-one:2\r\nX-Other: x-one: 3\r\n\r\n";
        let found = |name| values(head, name).collect::<Vec<_>>();
        assert_eq!(found("X-ONE"), [b"1", b"2"]);
        assert_eq!(found("host"), [b"h"]);
        assert!(found("x").is_empty() && found("get /a").is_empty());
    }

    #[test]
    fn an_endless_head_is_given_up() {
        let mut buffer = HeadBuffer::default();
        let piece = [b'a'; 4096];
        let mut outcome = Ok(None);
        for _ in 0..40 {
            outcome = buffer.feed(&piece, |_| Ok(()));
            if outcome.is_err() {
                break;
            }
        }
        assert_eq!(outcome, Err(Garbage));
    }
}
