//! A table of messages that servers are known to disagree about, by the rule that decides: what is refused reaches no
//! service, what is served reaches it in a form that has one reading.

use crate::kit::{World, agent::Agent, strict_origin::StrictOrigin, visitor};
use Class::{Either, Refused, Served};
use postern_tunnel::message::Scheme;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// One response from 400 up, after which the connection ends.
    Refused,
    /// One response of the service.
    Served,
    /// The rules allow both.
    Either,
}

/// A line of the table: the request without `Host`, which is added behind the first line where a `$` stands.
type Probe = (&'static str, Class, &'static str);

const HOST: &str = "Host: probe.localhost\r\n";

/// RFC 9112, sections 2, 3 and 5; RFC 9110, section 5.
const HEADS: &[Probe] = &[
    ("baseline", Served, "GET / HTTP/1.1\r\n$\r\n"),
    ("empty lines in front", Served, "\r\n\r\nGET / HTTP/1.1\r\n$\r\n"),
    ("bare LF behind the request line", Refused, "GET / HTTP/1.1\n$\r\n"),
    ("bare LF behind a field", Refused, "GET / HTTP/1.1\r\n$X: y\n\r\n"),
    ("bare LF everywhere", Refused, "GET / HTTP/1.1\nHost: probe.localhost\n\n"),
    ("bare CR behind the request line", Refused, "GET / HTTP/1.1\r$\r\n"),
    ("bare CR in a value", Refused, "GET / HTTP/1.1\r\n$X: a\rb\r\n\r\n"),
    ("bare CR in front of a field", Refused, "GET / HTTP/1.1\r\n$\rX: y\r\n\r\n"),
    ("CR CR LF", Refused, "GET / HTTP/1.1\r\n$X: y\r\r\n\r\n"),
    ("NUL in a value", Refused, "GET / HTTP/1.1\r\n$X: a\0b\r\n\r\n"),
    ("NUL in a name", Refused, "GET / HTTP/1.1\r\n$X\0: y\r\n\r\n"),
    ("NUL in the target", Refused, "GET /\0 HTTP/1.1\r\n$\r\n"),
    ("control character in a value", Refused, "GET / HTTP/1.1\r\n$X: \u{8}\r\n\r\n"),
    ("DEL in a value", Refused, "GET / HTTP/1.1\r\n$X: \u{7f}\r\n\r\n"),
    ("tab in a value", Served, "GET / HTTP/1.1\r\n$X: a\tb\r\n\r\n"),
    ("blank in front of a colon", Refused, "GET / HTTP/1.1\r\n$X : y\r\n\r\n"),
    ("tab in front of a colon", Refused, "GET / HTTP/1.1\r\n$X\t: y\r\n\r\n"),
    ("blank in front of the first field", Refused, "GET / HTTP/1.1\r\n $\r\n"),
    ("folded value", Refused, "GET / HTTP/1.1\r\n$X: a\r\n b\r\n\r\n"),
    ("folded value with a tab", Refused, "GET / HTTP/1.1\r\n$X: a\r\n\tb\r\n\r\n"),
    ("empty name", Refused, "GET / HTTP/1.1\r\n$: y\r\n\r\n"),
    ("brackets in a name", Refused, "GET / HTTP/1.1\r\n$X[0]: y\r\n\r\n"),
    ("name beyond ASCII", Refused, "GET / HTTP/1.1\r\n$X\u{e9}: y\r\n\r\n"),
    ("value beyond ASCII", Served, "GET / HTTP/1.1\r\n$X: \u{e9}\r\n\r\n"),
    ("empty value", Served, "GET / HTTP/1.1\r\n$X:\r\n\r\n"),
    ("no colon", Refused, "GET / HTTP/1.1\r\n$X\r\n\r\n"),
    ("no host", Refused, "GET / HTTP/1.1\r\n\r\n"),
    ("two hosts", Refused, "GET / HTTP/1.1\r\n$$\r\n"),
    ("two other hosts", Refused, "GET / HTTP/1.1\r\n$Host: other.localhost\r\n\r\n"),
    ("list of hosts", Refused, "GET / HTTP/1.1\r\nHost: probe.localhost, other.localhost\r\n\r\n"),
    ("empty host", Refused, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    ("host with a path", Refused, "GET / HTTP/1.1\r\nHost: probe.localhost/x\r\n\r\n"),
    ("host with a user", Refused, "GET / HTTP/1.1\r\nHost: me@probe.localhost\r\n\r\n"),
    ("host with a wrong port", Refused, "GET / HTTP/1.1\r\nHost: probe.localhost:80x\r\n\r\n"),
    ("host with a port", Served, "GET / HTTP/1.1\r\nHost: probe.localhost:8080\r\n\r\n"),
    ("absolute target of the host", Served, "GET http://probe.localhost/x HTTP/1.1\r\n$\r\n"),
    ("absolute target of another host", Refused, "GET http://other.localhost/x HTTP/1.1\r\n$\r\n"),
    ("absolute target of another scheme", Refused, "GET gopher://probe.localhost/x HTTP/1.1\r\n$\r\n"),
    ("authority as target", Refused, "GET probe.localhost:80 HTTP/1.1\r\n$\r\n"),
    ("CONNECT", Refused, "CONNECT probe.localhost:80 HTTP/1.1\r\n$\r\n"),
    ("asterisk with OPTIONS", Served, "OPTIONS * HTTP/1.1\r\n$\r\n"),
    ("asterisk with GET", Refused, "GET * HTTP/1.1\r\n$\r\n"),
    ("fragment", Refused, "GET /a#b HTTP/1.1\r\n$\r\n"),
    ("backslash", Served, "GET /a\\b HTTP/1.1\r\n$\r\n"),
    ("UTF-8", Served, "GET /\u{e9} HTTP/1.1\r\n$\r\n"),
    ("quotes and brackets", Served, "GET /?\"<>` HTTP/1.1\r\n$\r\n"),
    ("encoded NUL", Served, "GET /%00 HTTP/1.1\r\n$\r\n"),
    ("encoded line end", Served, "GET /%0d%0aX:%20y HTTP/1.1\r\n$\r\n"),
    ("two blanks", Refused, "GET  / HTTP/1.1\r\n$\r\n"),
    ("blank in the target", Refused, "GET /a b HTTP/1.1\r\n$\r\n"),
    ("blank behind the version", Refused, "GET / HTTP/1.1 \r\n$\r\n"),
    ("blank in front of the method", Refused, " GET / HTTP/1.1\r\n$\r\n"),
    ("tabs for blanks", Refused, "GET\t/\tHTTP/1.1\r\n$\r\n"),
    ("no target", Refused, "GET HTTP/1.1\r\n$\r\n"),
    ("no version", Refused, "GET /\r\n\r\n"),
    ("no minor version", Refused, "GET / HTTP/1\r\n$\r\n"),
    ("leading zeros in the version", Refused, "GET / HTTP/01.01\r\n$\r\n"),
    ("blank in the version", Refused, "GET / HTTP/ 1.1\r\n$\r\n"),
    ("lower case version", Refused, "GET / http/1.1\r\n$\r\n"),
    ("unknown major version", Refused, "GET / HTTP/9.9\r\n$\r\n"),
    ("unknown minor version", Served, "GET / HTTP/1.2\r\n$\r\n"),
    ("HTTP/1.0", Served, "GET / HTTP/1.0\r\n$\r\n"),
    ("method with an odd character", Refused, "GE(T / HTTP/1.1\r\n$\r\n"),
    ("lower case method", Served, "get / HTTP/1.1\r\n$\r\n"),
    ("unknown method", Served, "FOO / HTTP/1.1\r\n$\r\n"),
    ("HTTP/2 preface", Refused, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ("TLS on a plain port", Refused, "\u{16}\u{3}\u{1}\0\u{5}hello\r\n\r\n"),
    ("upgrade without Connection", Served, "GET / HTTP/1.1\r\n$Upgrade: websocket\r\n\r\n"),
    ("upgrade with HTTP/1.0", Served, "GET / HTTP/1.0\r\n$Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
    ("unknown expectation", Either, "GET / HTTP/1.1\r\n$Expect: miracles\r\n\r\n"),
];

/// RFC 9112, section 6.
const LENGTHS: &[Probe] = &[
    ("length", Served, "POST / HTTP/1.1\r\n$Content-Length: 5\r\n\r\nhello"),
    ("no length", Served, "POST / HTTP/1.1\r\n$\r\n"),
    ("length of GET", Served, "GET / HTTP/1.1\r\n$Content-Length: 5\r\n\r\nhello"),
    ("leading zeros", Either, "POST / HTTP/1.1\r\n$Content-Length: 005\r\n\r\nhello"),
    ("blanks around a length", Served, "POST / HTTP/1.1\r\n$Content-Length:  5 \t\r\n\r\nhello"),
    ("two lengths", Refused, "POST / HTTP/1.1\r\n$Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    ("the same length twice", Either, "POST / HTTP/1.1\r\n$Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    ("list of lengths", Refused, "POST / HTTP/1.1\r\n$Content-Length: 5, 6\r\n\r\nhello!"),
    ("list of the same length", Either, "POST / HTTP/1.1\r\n$Content-Length: 5, 5\r\n\r\nhello"),
    ("negative length", Refused, "POST / HTTP/1.1\r\n$Content-Length: -5\r\n\r\nhello"),
    ("negative zero", Refused, "POST / HTTP/1.1\r\n$Content-Length: -0\r\n\r\n"),
    ("plus sign", Refused, "POST / HTTP/1.1\r\n$Content-Length: +5\r\n\r\nhello"),
    ("octal", Refused, "POST / HTTP/1.1\r\n$Content-Length: 0o5\r\n\r\nhello"),
    ("hexadecimal", Refused, "POST / HTTP/1.1\r\n$Content-Length: 0x5\r\n\r\nhello"),
    ("underscore", Refused, "POST / HTTP/1.1\r\n$Content-Length: 1_0\r\n\r\nhellohello"),
    ("blank inside", Refused, "POST / HTTP/1.1\r\n$Content-Length: 1 0\r\n\r\nhellohello"),
    ("letters", Refused, "POST / HTTP/1.1\r\n$Content-Length: 5abc\r\n\r\nhello"),
    ("empty length", Refused, "POST / HTTP/1.1\r\n$Content-Length:\r\n\r\nhello"),
    ("overflow", Refused, "POST / HTTP/1.1\r\n$Content-Length: 18446744073709551621\r\n\r\nhello"),
    ("above signed 64 bits", Refused, "POST / HTTP/1.1\r\n$Content-Length: 9223372036854775808\r\n\r\nhello"),
    ("blank in front of the colon", Refused, "POST / HTTP/1.1\r\n$Content-Length : 5\r\n\r\nhello"),
    ("both", Refused, "POST / HTTP/1.1\r\n$Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX"),
    (
        "both, reversed",
        Refused,
        "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked\r\nContent-Length: 30\r\n\r\n0\r\n\r\n",
    ),
    ("xchunked", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("identity", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    ("chunked twice", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    ("chunked not last", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
    ("leading comma", Either, "POST / HTTP/1.1\r\n$Transfer-Encoding: , chunked\r\n\r\n0\r\n\r\n"),
    ("trailing comma", Either, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n"),
    ("quoted", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
    ("parameters", Either, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n"),
    ("empty coding", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding:\r\n\r\n0\r\n\r\n"),
    ("upper case", Served, "POST / HTTP/1.1\r\n$Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n"),
    ("trailing blank", Served, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n"),
    ("tab in front", Served, "POST / HTTP/1.1\r\n$Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n"),
    ("vertical tab", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n"),
    ("form feed", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: \u{c}chunked\r\n\r\n0\r\n\r\n"),
    ("NUL", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n"),
    ("folded coding", Refused, "POST / HTTP/1.1\r\n$Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    ("HTTP/1.0", Refused, "POST / HTTP/1.0\r\n$Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (
        "two codings",
        Refused,
        "POST / HTTP/1.1\r\n$Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    ),
    (
        "underscore in the name",
        Served,
        "POST / HTTP/1.1\r\n$Transfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
    ),
    (
        "lengths by Connection",
        Served,
        "POST / HTTP/1.1\r\n$Connection: content-length\r\nContent-Length: 5\r\n\r\nhello",
    ),
];

/// RFC 9112, section 7.1: the body of a request with `Transfer-Encoding: chunked`.
const CHUNKS: &[Probe] = &[
    ("one chunk", Served, "5\r\nhello\r\n0\r\n\r\n"),
    ("two chunks", Served, "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
    ("upper case", Served, "A\r\nhellohello\r\n0\r\n\r\n"),
    ("leading zeros", Served, "005\r\nhello\r\n000\r\n\r\n"),
    ("extension", Served, "5;a=b\r\nhello\r\n0;c\r\n\r\n"),
    ("quoted extension", Served, "5;a=\"b;\\\"c\"\r\nhello\r\n0\r\n\r\n"),
    ("trailer", Served, "5\r\nhello\r\n0\r\nX: y\r\n\r\n"),
    ("framing as a trailer", Either, "5\r\nhello\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\nHost: a\r\n\r\n"),
    ("prefix", Refused, "0x5\r\nhello\r\n0\r\n\r\n"),
    ("plus", Refused, "+5\r\nhello\r\n0\r\n\r\n"),
    ("minus", Refused, "-5\r\nhello\r\n0\r\n\r\n"),
    ("underscore", Refused, "1_0\r\nhellohellohello!\r\n0\r\n\r\n"),
    ("leading blank", Refused, " 5\r\nhello\r\n0\r\n\r\n"),
    ("trailing blank", Refused, "5 \r\nhello\r\n0\r\n\r\n"),
    ("no size", Refused, "\r\nhello\r\n0\r\n\r\n"),
    ("overflow", Refused, "FFFFFFFFFFFFFFFF5\r\nhello\r\n0\r\n\r\n"),
    ("bare semicolon", Refused, "5;\r\nhello\r\n0\r\n\r\n"),
    ("extension that is no token", Refused, "5;bad[=x\r\nhello\r\n0\r\n\r\n"),
    ("NUL in an extension", Refused, "5;a\0b\r\nhello\r\n0\r\n\r\n"),
    ("CR in an extension", Refused, "5;a\rb\r\nhello\r\n0\r\n\r\n"),
    ("LF in an extension", Refused, "5;a\nb\r\nhello\r\n0\r\n\r\n"),
    ("bare LF behind the size", Refused, "5\nhello\r\n0\r\n\r\n"),
    ("bare CR behind the size", Refused, "5\rhello\r\n0\r\n\r\n"),
    ("bare LF behind the data", Refused, "5\r\nhello\n0\r\n\r\n"),
    ("no line end behind the data", Refused, "5\r\nhello0\r\n\r\n"),
    ("more data than said", Refused, "5\r\nhello!!\r\n0\r\n\r\n"),
    ("bare LF behind a trailer", Refused, "5\r\nhello\r\n0\r\nX: y\n\r\n"),
    ("folded trailer", Refused, "5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n"),
    ("trailer without a name", Refused, "5\r\nhello\r\n0\r\n: y\r\n\r\n"),
];

struct Site {
    world: World,
    origin: StrictOrigin,
    _agent: Agent,
}

impl Site {
    async fn start() -> Site {
        let world = World::start().await;
        let origin = StrictOrigin::start().await;
        let agent = Agent::connect(&world, "one").await;
        agent.http_on(Scheme::Http, Some("probe"), None, origin.address).await.unwrap();
        Site { world, origin, _agent: agent }
    }

    /// Sends a request, and behind it one that asks for the end of the connection. Returns the statuses received.
    async fn statuses(&self, request: &[u8], piece: usize) -> Vec<u16> {
        let mut visitor = visitor::plain(&self.world).await;
        visitor.stream.set_nodelay(true).unwrap();
        for piece in request.chunks(piece) {
            visitor.try_send(piece).await;
        }
        visitor.try_send(format!("GET /last HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n").as_bytes()).await;
        let received = String::from_utf8_lossy(&visitor.rest().await).into_owned();
        let lines = received.split("HTTP/1.").skip(1);
        let statuses = lines.filter_map(|line| line.get(1..5)?.strip_prefix(' ')?.parse().ok());
        statuses.filter(|status| *status >= 200).collect()
    }

    async fn probe(&self, name: &str, class: Class, request: &str) {
        let last = |head: &String| head.starts_with("GET /last ");
        for piece in [usize::MAX, 9] {
            let before = self.origin.heads().len();
            let statuses = self.statuses(request.as_bytes(), piece).await;
            let reached = self.origin.heads()[before..].iter().filter(|head| !last(head)).count();
            let shown =
                format!("{name}: {request:?} in pieces of {piece}: {statuses:?}, {reached} reached the service");
            let found = match statuses.as_slice() {
                [400..=599] => Refused,
                // HTTP/1.0 and a change of protocol end the connection with their response.
                [200] | [200, 200] => Served,
                _ => panic!("{shown}"),
            };
            assert!(class == Either || class == found, "{class:?} expected, {shown}");
            assert_eq!(reached, usize::from(found == Served), "{shown}");
            assert_eq!(self.origin.violations(), [""; 0], "{shown}");
        }
    }
}

#[tokio::test]
async fn heads_are_read_by_the_rules() {
    let site = Site::start().await;
    for (name, class, request) in HEADS {
        site.probe(name, *class, &request.replace('$', HOST)).await;
    }
}

#[tokio::test]
async fn lengths_are_read_by_the_rules() {
    let site = Site::start().await;
    for (name, class, request) in LENGTHS {
        site.probe(name, *class, &request.replace('$', HOST)).await;
    }
}

#[tokio::test]
async fn chunks_are_read_by_the_rules() {
    let site = Site::start().await;
    for (name, class, body) in CHUNKS {
        let request = format!("POST / HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n{body}");
        site.probe(name, *class, &request).await;
    }
}
