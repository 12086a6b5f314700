//! Guarded routes of an HTTPS edge: every form of request is checked, and only as one request.

use crate::kit::{
    ScriptedOrigin, WAIT_TIMEOUT, World,
    edges::{address, below, https, to},
    visitor,
};
use postern_api::{
    Secret,
    ip_rules::{Action, IpRule, IpRules, parse_cidr},
    module::{UserAgentFilter, WebhookVerification},
    published::Settings,
};
use std::sync::Arc;

pub(super) const HOST: &str = "shop.localhost";

/// Routes that refuse all requests of these tests, and one that allows them; all lead to the same service.
pub(super) struct Guarded {
    pub(super) world: World,
    pub(super) origin: ScriptedOrigin,
}

impl Guarded {
    pub(super) async fn start() -> Guarded {
        let world = World::start().await;
        let origin = ScriptedOrigin::with_text("reached").await;
        world.backends([("bkdsc_1", address(origin.address))]).await;
        let rule = |cidr: &str, action| IpRule {
            network: parse_cidr(cidr).unwrap(),
            action,
            id: format!("ipr_{cidr}").into(),
        };
        let rules = IpRules::new(vec![rule("0.0.0.0/0", Action::Allow), rule("127.0.0.0/8", Action::Deny)]);
        let filter = UserAgentFilter { enabled: true, allow: vec!["^good$".to_owned()], deny: vec![".*".to_owned()] };
        let secret = Some(Secret::new("right"));
        let hook = WebhookVerification { enabled: true, provider: "github".to_owned(), secret };
        let routes = [
            below("/open", to("bkdsc_1")),
            below("/address", Settings { ip_restriction: Some(Arc::new(rules)), ..to("bkdsc_1") }),
            below("/agent", Settings { user_agent_filter: Some(filter), ..to("bkdsc_1") }),
            below("/hook", Settings { webhook_verification: Some(hook), ..to("bkdsc_1") }),
        ];
        world.https_edge(https(&[HOST], &routes)).await;
        Guarded { world, origin }
    }

    /// Sends bytes in pieces of a size and returns everything received until the connection ends.
    async fn send(&self, bytes: &[u8], piece: usize) -> String {
        let mut visitor = visitor::https(&self.world, HOST).await;
        for piece in bytes.chunks(piece) {
            visitor.try_send(piece).await;
        }
        let rest = tokio::time::timeout(WAIT_TIMEOUT / 2, visitor.rest()).await;
        let rest = rest.unwrap_or_else(|_| panic!("the connection is kept: {}", String::from_utf8_lossy(bytes)));
        String::from_utf8_lossy(&rest).into_owned()
    }

    /// Requests that reached the guarded service.
    pub(super) fn slipped(&self) -> Vec<String> {
        let guarded =
            |received: &String| ["/address", "/agent", "/hook", "smuggled"].iter().any(|word| received.contains(word));
        self.origin.request_texts().into_iter().filter(guarded).collect()
    }
}

fn statuses(responses: &str) -> Vec<u16> {
    let lines = responses.split("HTTP/1.").skip(1);
    lines.filter_map(|line| line.get(1..5)?.strip_prefix(' ')?.parse().ok()).collect()
}

/// The guarded routes and their refusals.
const GUARDS: [(&str, &str); 3] =
    [("/address", "ERR_POSTERN_3203"), ("/agent", "ERR_POSTERN_3211"), ("/hook", "ERR_POSTERN_3204")];

/// Heads of requests that lead to a guarded path, in every spelling.
fn judged_heads(path: &str) -> Vec<String> {
    let bare = &path[1..];
    let encoded = format!("%{:02x}{}", bare.as_bytes()[0], &bare[1..]);
    vec![
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST {path} HTTP/1.0\r\nHost: {HOST}\r\n"),
        format!("POST http://{HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST https://{HOST}:443{path}?x HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST HTTPS://SHOP.localhost.{path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST http://{HOST}{path} HTTP/1.1\r\nHost: {HOST}:1\r\n"),
        format!("POST {path}/ HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /{path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /open/..{path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /open/%2e%2e{path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /open/..%2f{bare} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /open\\..\\{bare} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /./{bare} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("POST /{encoded} HTTP/1.1\r\nHost: {HOST}\r\n"),
        format!("PURGE {path} HTTP/1.1\r\nHost: {HOST}\r\n"),
        // The address is that of the socket; headers about the visitor or the request are not trusted.
        format!(
            "POST {path} HTTP/1.1\r\nHost: {HOST}\r\nX-Forwarded-For: 203.0.113.9\r\nX-Real-IP: 203.0.113.9\r\n\
             Forwarded: for=203.0.113.9\r\nTrue-Client-IP: 203.0.113.9\r\nCF-Connecting-IP: 203.0.113.9\r\n"
        ),
        format!(
            "POST {path} HTTP/1.1\r\nHost: {HOST}\r\nX-Forwarded-Uri: /open\r\nX-Original-URL: /open\r\n\
             X-Rewrite-URL: /open\r\nX-HTTP-Method-Override: OPTIONS\r\nX-Forwarded-Host: localhost\r\n"
        ),
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nUser-Agent: good\r\nUser-Agent: evil\r\n"),
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nUser-Agent: evil\r\nUser-Agent: good\r\n"),
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: user-agent, x-hub-signature-256\r\n"),
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"),
        format!("POST {path} HTTP/1.1\r\nHost: {HOST}\r\nX-Hub-Signature-256: sha256=\r\nX-Hub-Signature-256: a\r\n"),
    ]
}

/// Requests that are invalid or lead nowhere, with the statuses that may refuse them.
fn refused_requests(path: &str) -> Vec<(String, [u16; 2])> {
    let bare = &path[1..];
    vec![
        (format!("CONNECT {HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 405]),
        (format!("CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n\r\nPOST {path} HTTP/1.1\r\n"), [405, 405]),
        (format!("POST {HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 400]),
        (format!("POST {bare} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 400]),
        (format!("POST http://evil@{HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 400]),
        (format!("POST http:/{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 400]),
        (format!("POST ftp://{HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"), [400, 400]),
        (format!("POST /open/../..{path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"), [400, 400]),
        (format!("POST {path}%00 HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"), [400, 400]),
        (format!("OPTIONS * HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"), [404, 404]),
        (format!("GET * HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"), [400, 400]),
    ]
}

#[tokio::test]
async fn no_spelling_of_a_request_bypasses_a_module() {
    let guarded = Guarded::start().await;
    for (path, code) in GUARDS {
        for head in judged_heads(path) {
            let request = format!("{head}Connection: close\r\n\r\n");
            let responses = guarded.send(request.as_bytes(), usize::MAX).await;
            assert_eq!(statuses(&responses), [403], "{request:?}: {responses}");
            assert!(responses.contains(code), "{request:?}: {responses}");
        }
    }
    assert_eq!(guarded.slipped(), [""; 0], "nothing got past a module");
    assert!(guarded.origin.requests().is_empty());
}

#[tokio::test]
async fn invalid_requests_for_a_guarded_path_are_refused_once_and_not_forwarded() {
    let guarded = Guarded::start().await;
    for (path, _) in GUARDS {
        for (request, expected) in refused_requests(path) {
            let responses = guarded.send(request.as_bytes(), usize::MAX).await;
            let found = statuses(&responses);
            assert!(found.len() == 1 && expected.contains(&found[0]), "{request:?}: {responses}");
        }
    }
    assert_eq!(guarded.slipped(), [""; 0], "nothing got past a module");
    assert!(guarded.origin.requests().is_empty());
}

#[tokio::test]
async fn where_a_request_is_split_makes_no_difference() {
    let guarded = Guarded::start().await;
    for (path, code) in GUARDS {
        for target in [path.to_owned(), format!("http://{HOST}{path}"), format!("/open/..{path}")] {
            let request = format!("POST {target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n");
            // One byte at a time, and in two pieces around every byte of the decisive line.
            let responses = guarded.send(request.as_bytes(), 1).await;
            assert!(statuses(&responses) == [403] && responses.contains(code), "{request:?}: {responses}");
        }
        let request = format!("POST http://{HOST}{path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n");
        let mut visitor = visitor::https(&guarded.world, HOST).await;
        for split in 1..request.len() {
            let (first, second) = request.as_bytes().split_at(split);
            visitor.send(first).await;
            visitor.send(second).await;
            let response = visitor.response().await;
            assert_eq!((response.status, response.code()), (403, code), "split behind {first:?}");
        }
    }
    let connect = format!("CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n\r\n");
    for split in 1..connect.len() {
        let mut visitor = visitor::https(&guarded.world, HOST).await;
        visitor.send(&connect.as_bytes()[..split]).await;
        visitor.send(&connect.as_bytes()[split..]).await;
        assert_eq!(visitor.response().await.status, 405, "split at {split}");
    }
    assert!(guarded.origin.request_texts().is_empty());
}

/// The request hidden in the body, or after the end, of another one.
const HIDDEN: &str = "GET /agent/smuggled HTTP/1.1\r\nHost: shop.localhost\r\nX-Rest: ";

#[tokio::test]
async fn ambiguous_lengths_hide_no_request() {
    let guarded = Guarded::start().await;
    let end = format!("0\r\n\r\n{HIDDEN}");
    let chunked = "Transfer-Encoding: chunked\r\n";
    let ambiguous = [
        format!("Content-Length: {}\r\n{chunked}\r\n{end}", end.len()),
        format!("{chunked}Content-Length: 4\r\n\r\n{:x}\r\n{HIDDEN}\r\n0\r\n\r\n", HIDDEN.len()),
        format!("Content-Length: 0\r\nContent-Length: {}\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Content-Length: {}\r\nContent-Length: 0\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Content-Length: 0, {}\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Content-Length: +{}\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Content-Length: 0x10\r\n\r\n{HIDDEN}"),
        format!("Content-Length : {}\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Content-Length:\r\n {}\r\n\r\n{HIDDEN}", HIDDEN.len()),
        format!("Transfer-Encoding: xchunked\r\n\r\n{end}"),
        format!("Transfer-Encoding: chunked, identity\r\n\r\n{end}"),
        format!("Transfer-Encoding: identity, chunked\r\n\r\n{end}"),
        format!("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n{end}"),
        format!("Transfer-Encoding:\r\n chunked\r\n\r\n{end}"),
        format!("Transfer-Encoding\t: chunked\r\n\r\n{end}"),
        format!("X: y\nTransfer-Encoding: chunked\r\n\r\n{end}"),
        format!("X: y\rTransfer-Encoding: chunked\r\n\r\n{end}"),
        format!("X: y\0\r\n{chunked}\r\n{end}"),
        format!(" {chunked}\r\n{end}"),
        format!("{chunked}\n\r\n{end}"),
        format!("Transfer-Encoding: \u{b}chunked\r\n\r\n{end}"),
        format!("Transfer_Encoding: chunked\r\nTransfer-Encoding: \"chunked\"\r\n\r\n{end}"),
    ];
    for rest in ambiguous {
        let request = format!("POST /open HTTP/1.1\r\nHost: {HOST}\r\nUser-Agent: good\r\n{rest}");
        for piece in [usize::MAX, 7] {
            let responses = guarded.send(request.as_bytes(), piece).await;
            assert_eq!(statuses(&responses), [400], "{request:?}: {responses}");
        }
    }
    let one_zero = format!("POST /open HTTP/1.0\r\nHost: {HOST}\r\n{chunked}\r\n{end}");
    assert_eq!(statuses(&guarded.send(one_zero.as_bytes(), usize::MAX).await), [400]);
    assert!(guarded.origin.request_texts().is_empty(), "{:?}", guarded.origin.request_texts());
}

#[tokio::test]
async fn malformed_chunks_hide_no_request() {
    let guarded = Guarded::start().await;
    let hidden = format!("{HIDDEN}x\r\n\r\n");
    for chunks in [
        format!("3\r\nabcd\r\n0\r\n\r\n{hidden}"),
        format!("3\nabc\n0\n\n{hidden}"),
        format!("3\r\nabc\n0\r\n\r\n{hidden}"),
        format!("0x3\r\nabc\r\n0\r\n\r\n{hidden}"),
        format!("-0\r\n\r\n{hidden}"),
        format!("+0\r\n\r\n{hidden}"),
        format!(" 0\r\n\r\n{hidden}"),
        format!("0 \r\n\r\n{hidden}"),
        format!("\r\n\r\n{hidden}"),
        format!("FFFFFFFFFFFFFFFF0\r\n{hidden}"),
        format!("0;a=\nb\r\n\r\n{hidden}"),
        format!("0;a=\rb\r\n\r\n{hidden}"),
        format!("0\r\nX : y\r\n\r\n{hidden}"),
        format!("0\r\n folded\r\n\r\n{hidden}"),
        format!("0\r\nX: y\n\r\n{hidden}"),
    ] {
        let head = format!("POST /open HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n");
        let request = format!("{head}{chunks}");
        for piece in [usize::MAX, 5] {
            let responses = guarded.send(request.as_bytes(), piece).await;
            assert!(!responses.contains(" 200 ") && statuses(&responses).len() <= 1, "{request:?}: {responses}");
        }
    }
    assert_eq!(guarded.slipped(), [""; 0]);
}

#[tokio::test]
async fn what_looks_like_a_request_in_a_body_stays_a_body() {
    let guarded = Guarded::start().await;
    let hidden = format!("{HIDDEN}x\r\n\r\n");
    let head = format!("POST /open HTTP/1.1\r\nHost: {HOST}\r\n");
    let length = format!("{head}Content-Length: {}\r\n\r\n{hidden}", hidden.len());
    let mut chunks = String::new();
    for byte in hidden.chars() {
        chunks.push_str(&format!("1;x=\"GET /agent\"\r\n{byte}\r\n"));
    }
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    for request in [length, chunked] {
        for piece in [usize::MAX, 1] {
            let before = guarded.origin.request_texts().len();
            let last = format!("GET /agent/last HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n");
            let responses = guarded.send(format!("{request}{last}").as_bytes(), piece).await;
            assert_eq!(statuses(&responses), [200, 403], "{responses}");
            let received = guarded.origin.request_texts();
            assert_eq!(received.len(), before + 1, "one request is one request");
            assert!(received[before].starts_with("POST /open HTTP/1.1\r\n"), "{}", received[before]);
            assert!(!received[before].contains("/last"), "{}", received[before]);
        }
    }
}

#[tokio::test]
async fn each_request_on_a_connection_is_checked_separately() {
    let guarded = Guarded::start().await;
    let mut all = String::new();
    for path in ["/open", "/address", "/open", "/agent", "/hook", "/open"] {
        all.push_str(&format!("GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"));
    }
    all.push_str(&format!("GET /agent HTTP/1.1\r\nHost: {HOST}\r\nUser-Agent: good\r\nConnection: close\r\n\r\n"));
    for piece in [usize::MAX, 3] {
        let responses = guarded.send(all.as_bytes(), piece).await;
        assert_eq!(statuses(&responses), [200, 403, 200, 403, 403, 200, 200], "{responses}");
    }
    let received: Vec<String> =
        guarded.origin.request_texts().iter().map(|received| received[..10].to_owned()).collect();
    assert_eq!(received, [["GET /open "; 3].as_slice(), &["GET /agent"]].concat().repeat(2), "{received:?}");
}

#[tokio::test]
async fn nothing_is_parsed_after_an_upgrade_request() {
    let guarded = Guarded::start().await;
    for head in [
        format!("CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n"),
        format!("GET /open HTTP/1.1\r\nHost: {HOST}\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"),
        format!("GET /open HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\n"),
        format!("GET /agent HTTP/1.1\r\nHost: {HOST}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"),
    ] {
        let hidden = format!("GET /open/smuggled HTTP/1.1\nHost: {HOST}\nUser-Agent: good\n\n");
        let responses = guarded.send(format!("{head}\r\n{hidden}").as_bytes(), usize::MAX).await;
        assert_eq!(statuses(&responses).len(), 1, "{head:?}: {responses}");
        assert!(responses.to_ascii_lowercase().contains("connection: close"), "{head:?}: {responses}");
    }
    assert_eq!(guarded.slipped(), [""; 0]);
}
