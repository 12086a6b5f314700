//! Request lines and chunk lines: what is refused, with which status, and in which form the rest is passed on.

use super::{HOST, Site, fields};
use crate::kit::{
    frames::{Fate, Frames},
    visitor,
};

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_as_what_it_is() {
    let site = Site::empty().await;
    let long = "x".repeat(100_000);
    for (request, status, code) in [
        (format!("GET /{long} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), 414, "ERR_POSTERN_3024"),
        (format!("GET /?{long}"), 414, "ERR_POSTERN_3024"),
        (format!("{long} / HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), 501, "ERR_POSTERN_3025"),
        (format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nX: {long}\r\n\r\n"), 431, "ERR_POSTERN_3011"),
        // Its form that is passed on would be too long.
        (format!("GET /{} HTTP/1.1\r\nHost: {HOST}\r\n\r\n", "\u{e9}".repeat(20_000)), 414, "ERR_POSTERN_3024"),
    ] {
        let mut visitor = visitor::https(&site.world, HOST).await;
        visitor.try_send(request.as_bytes()).await;
        let response = visitor.response().await;
        assert_eq!(
            (response.status, response.code()),
            (status, code),
            "{}",
            request.chars().take(20).collect::<String>()
        );
    }
    assert!(site.origin.request_texts().is_empty());
}

#[tokio::test]
async fn characters_that_no_target_has_are_treated_by_one_rule() {
    let site = Site::empty().await;
    for (target, expected) in [
        ("/?q=\"a\"", "/?q=%22a%22"),
        ("/\"a\"", "/%22a%22"),
        ("/?q=<b>", "/?q=%3Cb%3E"),
        ("/a`b?c`d", "/a%60b?c%60d"),
        ("/caf\u{e9}", "/caf%C3%A9"),
        ("/{a}|b^c\\d?{e}|f", "/{a}|b^c\\d?{e}|f"),
        ("/%22?%3c", "/%22?%3c"),
        ("http://a.localhost/<", "/%3C"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n\r\n");
        let mut visitor = visitor::https(&site.world, HOST).await;
        for at in [request.len(), 1, 9] {
            for piece in request.as_bytes().chunks(at) {
                visitor.send(piece).await;
            }
            assert_eq!(visitor.response().await.status, 200, "{target}");
            let received = site.last_request();
            assert!(received.starts_with(&format!("GET {expected} HTTP/1.1\r\n")), "{target}: {received}");
        }
    }
    let mut pipelined = visitor::https(&site.world, HOST).await;
    let requests: String = (1..4).map(|n| format!("GET /{n}\" HTTP/1.3\r\nHost: {HOST}\r\n\r\n")).collect();
    pipelined.send(requests.as_bytes()).await;
    for n in 1..4 {
        assert_eq!(pipelined.response().await.status, 200);
        let received = &site.origin.request_texts()[8 * 3 + n - 1];
        assert!(received.starts_with(&format!("GET /{n}%22 HTTP/1.1\r\n")), "{received}");
    }
}

#[tokio::test]
async fn the_rule_holds_over_http2_where_its_library_lets_it() {
    let site = Site::empty().await;
    for (path, expected) in [("/\"a\"", "/%22a%22"), ("/?a`b", "/?a%60b"), ("/caf\u{e9}", "/caf%C3%A9")] {
        let mut frames = Frames::open(&site.world, HOST, &[]).await;
        frames.request(1, &fields("GET", path)).await;
        assert_eq!(frames.fate(1).await, Fate::Responded(200), "{path}");
        let received = site.last_request();
        assert!(received.starts_with(&format!("GET {expected} HTTP/1.1\r\n")), "{path}: {received}");
    }
}

#[tokio::test]
async fn a_refused_character_is_named() {
    let site = Site::empty().await;
    for (target, name) in [("/a#b", "`#`"), ("/a\u{1}b", "0x01"), ("/a\u{7f}b", "0x7F"), ("/a\tb", "0x09")] {
        let response = site.request(&format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
        assert_eq!((response.status, response.code()), (400, "ERR_POSTERN_3010"), "{target:?}");
        assert!(response.text().contains(name), "{target:?}: {}", response.text());
    }
    let mut visitor = visitor::https(&site.world, HOST).await;
    visitor.send(b"GET /\xc0\xaf HTTP/1.1\r\nHost: a.localhost\r\n\r\n").await;
    let response = visitor.response().await;
    assert_eq!(response.status, 400);
    assert!(response.text().contains("UTF-8"), "{}", response.text());
    assert!(site.origin.request_texts().is_empty());
}

#[tokio::test]
async fn only_options_is_about_the_server_as_a_whole() {
    let site = Site::empty().await;
    for (method, path, expected) in
        [("GET", "*", 400), ("POST", "*", 400), ("OPTIONS", "*a", 400), ("OPTIONS", "*", 200)]
    {
        let mut frames = Frames::open(&site.world, HOST, &[]).await;
        frames.request(1, &fields(method, path)).await;
        let fate = frames.fate(1).await;
        assert!(
            fate == Fate::Responded(expected) || expected == 400 && matches!(fate, Fate::Reset(_)),
            "{method} {path}: {fate:?}"
        );
    }
    let received = site.origin.request_texts();
    assert_eq!(received.len(), 1, "{received:?}");
    assert!(received[0].starts_with("OPTIONS * HTTP/1.1\r\n"), "{received:?}");
}

#[tokio::test]
async fn a_method_that_is_not_allowed_is_told_which_are() {
    let site = Site::empty().await;
    let response = site.request("CONNECT a.localhost:443 HTTP/1.1\r\nHost: a.localhost:443\r\n\r\n").await;
    assert_eq!(response.status, 405);
    assert!(response.header("allow").is_some_and(|allow| allow.contains("GET, HEAD")), "{}", response.head);
}

#[tokio::test]
async fn minor_versions_are_read_as_the_known_one_and_major_ones_are_refused() {
    let site = Site::empty().await;
    for version in ["HTTP/1.2", "HTTP/1.9"] {
        assert_eq!(site.request(&format!("GET / {version}\r\nHost: {HOST}\r\n\r\n")).await.status, 200, "{version}");
        assert!(site.last_request().starts_with("GET / HTTP/1.1\r\n"), "{}", site.last_request());
    }
    for (version, status) in [("HTTP/9.9", 505), ("HTTP/2.0", 505), ("HTTP/0.9", 505), ("HTTP/1.22", 400)] {
        let response = site.request(&format!("GET / {version}\r\nHost: {HOST}\r\n\r\n")).await;
        assert_eq!(response.status, status, "{version}");
    }
    assert_eq!(site.origin.request_texts().len(), 2);
}

#[tokio::test]
async fn chunk_extensions_are_read_by_their_grammar_and_dropped() {
    let site = Site::empty().await;
    let request = |line: &str| {
        format!("POST / HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n{line}\r\nquery\r\n0\r\n\r\n")
    };
    for line in ["5;a", "5;a=b;c=\"d;\"", "5 ;ext=1", "5;\ta = b"] {
        assert_eq!(site.request(&request(line)).await.status, 200, "{line}");
        let received = site.last_request();
        assert!(received.ends_with("\r\n\r\n5\r\nquery\r\n0\r\n\r\n"), "{line}: {received}");
    }
    let served = site.origin.request_texts().len();
    for line in ["5;", "5;bad[=x", "5;a=", "5 ", "5;a=\"b"] {
        assert_eq!(site.request(&request(line)).await.status, 400, "{line}");
    }
    assert_eq!(site.origin.request_texts().len(), served);
}
