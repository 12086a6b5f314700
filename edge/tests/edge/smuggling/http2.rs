//! HTTP/2 frames with content that HTTP/1.1 cannot express: it never becomes a second or different request.

use super::guarded::{Guarded, HOST};
use crate::kit::{
    frames::{self, Fate, Frames, block},
    until,
};

type Field<'a> = (&'a [u8], &'a [u8]);

const HEAD: [Field<'static>; 4] =
    [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", HOST.as_bytes()), (b":path", b"/open")];

/// The default request with one field replaced.
fn with<'a>(name: &'a [u8], value: &'a [u8]) -> Vec<Field<'a>> {
    HEAD.map(|field| if field.0 == name { (name, value) } else { field }).to_vec()
}

/// The default request with additional fields.
fn and<'a>(more: &[Field<'a>]) -> Vec<Field<'a>> {
    HEAD.iter().chain(more).copied().collect()
}

async fn fate(guarded: &Guarded, fields: &[Field<'_>]) -> Fate {
    let mut frames = Frames::open(&guarded.world, HOST, &[]).await;
    frames.request(1, fields).await;
    frames.fate(1).await
}

fn shown(fields: &[Field<'_>]) -> String {
    let field = |(name, value): &Field<'_>| format!("{}: {}", name.escape_ascii(), value.escape_ascii());
    fields.iter().map(field).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn the_framer_of_these_tests_is_understood() {
    let guarded = Guarded::start().await;
    assert_eq!(fate(&guarded, &HEAD).await, Fate::Responded(200));
    assert_eq!(fate(&guarded, &with(b":path", b"/nothing")).await, Fate::Responded(404));
    for path in
        [&b"/address"[..], b"/agent", b"/hook", b"/open/../agent", b"//agent", b"/%61gent", b"/open%2f..%2fagent"]
    {
        assert_eq!(fate(&guarded, &with(b":path", path)).await, Fate::Responded(403), "{}", path.escape_ascii());
    }
    let agents = and(&[(b"user-agent", b"good"), (b"user-agent", b"evil")]);
    let mut agents = agents;
    agents[3].1 = b"/agent";
    assert_eq!(fate(&guarded, &agents).await, Fate::Responded(403));
    agents.pop();
    assert_eq!(fate(&guarded, &agents).await, Fate::Responded(200));
    assert_eq!(guarded.origin.request_texts().len(), 2);
}

/// Sends each of these requests; it is refused, or forwarded as the default request without anything of the fields.
async fn forwards_nothing_of(cases: Vec<Vec<Field<'_>>>) {
    let guarded = Guarded::start().await;
    for case in cases {
        let before = guarded.origin.request_texts().len();
        let fate = fate(&guarded, &case).await;
        let refused = match fate {
            Fate::Responded(status) => (400..500).contains(&status),
            Fate::Reset(_) | Fate::Closed(_) => true,
        };
        let received = &guarded.origin.request_texts()[before..];
        if refused {
            assert!(received.is_empty(), "{}: {fate:?}, yet {received:?}", shown(&case));
        } else {
            // Fields without a meaning in HTTP/2 may be removed instead, as long as they are not forwarded.
            assert_eq!((&fate, received.len()), (&Fate::Responded(200), 1), "{}", shown(&case));
            assert!(received[0].starts_with("GET /open HTTP/1.1\r\n"), "{}: {}", shown(&case), received[0]);
            let text = received[0].to_ascii_lowercase();
            let leaked = ["smuggled", "transfer-encoding", "other.localhost", "content-length", "/agent"];
            assert!(!leaked.iter().any(|word| text.contains(word)), "{}: {text}", shown(&case));
        }
    }
    assert_eq!(guarded.slipped(), [""; 0]);
}

#[tokio::test]
async fn nothing_can_be_injected_through_the_path() {
    forwards_nothing_of(vec![
        with(b":path", b"/open HTTP/1.1\r\nHost: shop.localhost\r\n\r\nGET /agent/smuggled"),
        with(b":path", b"/open HTTP/1.1"),
        with(b":path", b"/open\nX: smuggled"),
        with(b":path", b"/open\rX: smuggled"),
        with(b":path", b"/open\0smuggled"),
        with(b":path", b"/open smuggled"),
        with(b":path", b""),
        with(b":path", b"*"),
        with(b":path", b"open"),
        with(b":path", b"smuggled.localhost:443"),
        with(b":path", b"http://other.localhost/agent"),
        with(b":path", b"https://shop.localhost/agent"),
        with(b":path", b"@other.localhost/agent"),
    ])
    .await;
}

#[tokio::test]
async fn nothing_can_be_injected_through_method_scheme_and_authority() {
    forwards_nothing_of(vec![
        with(b":method", b"GET /agent/smuggled HTTP/1.1\r\nHost: shop.localhost\r\n\r\nGET"),
        with(b":method", b"GET /agent HTTP/1.1"),
        with(b":method", b"GET\r\nX: y"),
        with(b":method", b""),
        with(b":method", b"CONNECT"),
        with(b":scheme", b"https://shop.localhost/agent?"),
        with(b":scheme", b"http\r\nX: smuggled"),
        with(b":scheme", b""),
        with(b":authority", b"shop.localhost\r\nX: smuggled"),
        with(b":authority", b"shop.localhost/agent"),
        with(b":authority", b"good@shop.localhost"),
        with(b":authority", b"shop.localhost:99999"),
        with(b":authority", b"shop.localhost, other.localhost"),
        with(b":authority", b"shop .localhost"),
        with(b":authority", b""),
    ])
    .await;
}

#[tokio::test]
async fn pseudo_headers_are_known_unique_complete_and_first() {
    forwards_nothing_of(vec![
        and(&[(b":path", b"/agent")]),
        and(&[(b":method", b"POST")]),
        and(&[(b":authority", b"other.localhost")]),
        and(&[(b":protocol", b"websocket")]),
        and(&[(b":status", b"200")]),
        and(&[(b":smuggled", b"x")]),
        vec![HEAD[0], HEAD[1], HEAD[2], (b"x", b"y"), HEAD[3]],
        vec![HEAD[0], HEAD[1], HEAD[2]],
        vec![HEAD[0], HEAD[1], HEAD[3]],
        vec![HEAD[1], HEAD[2], HEAD[3]],
        vec![],
    ])
    .await;
}

#[tokio::test]
async fn the_host_is_that_of_the_authority() {
    forwards_nothing_of(vec![
        and(&[(b"host", b"other.localhost")]),
        and(&[(b"host", b"shop.localhost"), (b"host", b"other.localhost")]),
    ])
    .await;
}

#[tokio::test]
async fn nothing_can_be_injected_through_names_and_values_of_headers() {
    forwards_nothing_of(vec![
        and(&[(b"x", b"y\r\nX: smuggled")]),
        and(&[(b"x", b"y\r\n\r\nGET /agent/smuggled HTTP/1.1\r\n")]),
        and(&[(b"x", b"y\nx: smuggled")]),
        and(&[(b"x", b"y\rx: smuggled")]),
        and(&[(b"x", b"y\0smuggled")]),
        and(&[(b"x\r\nx-smuggled", b"y")]),
        and(&[(b"x: smuggled", b"y")]),
        and(&[(b"x y", b"smuggled")]),
        and(&[(b"X-Smuggled", b"y")]),
        and(&[(b"", b"smuggled")]),
    ])
    .await;
}

#[tokio::test]
async fn headers_of_http1_connections_are_not_forwarded() {
    forwards_nothing_of(vec![
        and(&[(b"transfer-encoding", b"chunked")]),
        and(&[(b"transfer-encoding", b"identity")]),
        and(&[(b"connection", b"x-smuggled"), (b"x-smuggled", b"y")]),
        and(&[(b"connection", b"upgrade"), (b"upgrade", b"smuggled")]),
        and(&[(b"keep-alive", b"smuggled")]),
        and(&[(b"proxy-connection", b"smuggled")]),
        and(&[(b"te", b"gzip, smuggled")]),
    ])
    .await;
}

#[tokio::test]
async fn a_declared_length_that_is_wrong_or_repeated_is_not_forwarded() {
    forwards_nothing_of(vec![
        and(&[(b"content-length", b"5")]),
        and(&[(b"content-length", b"0"), (b"content-length", b"5")]),
        and(&[(b"content-length", b"+0")]),
        and(&[(b"content-length", b"x")]),
    ])
    .await;
}

#[tokio::test]
async fn a_body_of_the_wrong_length_is_never_forwarded_as_complete() {
    let guarded = Guarded::start().await;
    let hidden = b"GET /agent/smuggled HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
    for length in [&b"0"[..], b"3", b"1000"] {
        let mut frames = Frames::open(&guarded.world, HOST, &[]).await;
        let mut fields = and(&[(b"content-length", length)]);
        fields[0].1 = b"POST";
        frames.send(frames::HEADERS, frames::END_HEADERS, 1, &block(&fields)).await;
        frames.send(frames::DATA, frames::END_STREAM, 1, hidden).await;
        let fate = frames.fate(1).await;
        assert!(!matches!(fate, Fate::Responded(200..300)), "{}: {fate:?}", length.escape_ascii());
    }
    assert_eq!(guarded.slipped(), [""; 0]);
    assert!(guarded.origin.request_texts().is_empty());
}

#[tokio::test]
async fn trailers_change_nothing_about_a_request() {
    let guarded = Guarded::start().await;
    let mut fields = HEAD;
    fields[0].1 = b"POST";
    for trailers in [
        block(&[(b"host", b"smuggled"), (b"x-forwarded-for", b"smuggled"), (b"transfer-encoding", b"chunked")]),
        block(&[(b"content-length", b"3"), (b"authorization", b"smuggled")]),
        block(&[(b":path", b"/agent")]),
    ] {
        let before = guarded.origin.request_texts().len();
        let mut frames = Frames::open(&guarded.world, HOST, &[]).await;
        frames.send(frames::HEADERS, frames::END_HEADERS, 1, &block(&fields)).await;
        frames.send(frames::DATA, 0, 1, b"abc").await;
        frames.send(frames::HEADERS, frames::END_HEADERS | frames::END_STREAM, 1, &trailers).await;
        if frames.fate(1).await == Fate::Responded(200) {
            until("it is received", || guarded.origin.request_texts().len() > before).await;
        }
    }
    assert_eq!(guarded.slipped(), [""; 0]);
}
