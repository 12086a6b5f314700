//! Header changes on requests and responses.

use crate::kit::{
    Http1Response, ScriptedOrigin, World,
    edges::{address, below, https, response, to},
    visitor,
};
use bytes::Bytes;
use http_body_util::Full;
use postern_api::{
    module::{HeaderChanges, UserAgentFilter},
    published::Settings,
};

const HOST: &str = "shop.localhost";

fn changes(add: &[(&str, &str)], remove: &[&str]) -> Option<HeaderChanges> {
    let add = add.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Some(HeaderChanges { enabled: true, add, remove: remove.iter().map(|name| (*name).to_owned()).collect() })
}

async fn world(origin: &ScriptedOrigin, settings: Settings) -> World {
    let world = World::start().await;
    world.backends([("bkdsc_1", address(origin.address)), ("bkdhr_1", response(200, "fixed"))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    world
}

/// The lines of this header in the last request that the origin received.
fn received(origin: &ScriptedOrigin, name: &str) -> Vec<String> {
    let request = origin.request_texts().pop().unwrap();
    let line = |line: &str| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then(|| value.to_owned())
    };
    request.lines().filter_map(line).collect()
}

fn all(response: &Http1Response, name: &str) -> Vec<String> {
    let line = |line: &str| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then(|| value.to_owned())
    };
    response.head.lines().filter_map(line).collect()
}

#[tokio::test]
async fn the_backend_receives_the_changed_request_and_other_stages_do_not() {
    let origin = ScriptedOrigin::with_text("hello").await;
    let request_headers = changes(
        &[
            ("x-twice", "added"),
            ("x-instead", "new"),
            ("host", "inner.test"),
            ("x-who", "${conn.client_ip} ${conn.tls.version} ${conn.tls.sni} ${req.scheme}/${req.version}"),
            ("x-what", "${req.method} ${req.host}${req.path}?${req.query}"),
            ("x-id", "${req.id}"),
            ("x-nothing", "<${geo.city}${res.status}>"),
        ],
        &["X-Instead", "X-GONE", "x-forwarded-for", "X-Forwarded-Proto", "X-Forwarded-Host", "forwarded"],
    );
    let deny = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec!["robot".to_owned()] };
    let settings = Settings { request_headers, user_agent_filter: Some(deny), ..to("bkdsc_1") };
    let world = world(&origin, settings).await;
    let mut visitor = visitor::https(&world, HOST).await;
    let head = "Host: shop.localhost\r\nX-Twice: first\r\nx-twice: second\r\nX-Instead: old\r\nX-Gone: 1\r\nx-gone: 2\r\n\
                X-Forwarded-For: 6.6.6.6\r\nUser-Agent: a browser\r\nX-Kept: yes\r\n";
    let response = visitor.request(&format!("POST /a%20b?c=%0d HTTP/1.1\r\n{head}Content-Length: 4\r\n\r\nbody")).await;
    assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    assert_eq!(received(&origin, "x-twice"), ["first", "second", "added"]);
    assert_eq!(received(&origin, "x-instead"), ["new"]);
    assert_eq!(received(&origin, "host"), ["inner.test"]);
    assert_eq!(received(&origin, "x-who"), ["127.0.0.1 1.3 shop.localhost https/1.1"]);
    assert_eq!(received(&origin, "x-what"), ["POST shop.localhost/a%20b?c=%0d"]);
    assert!(received(&origin, "x-id")[0].starts_with("op_"));
    assert_eq!(received(&origin, "x-nothing"), ["<>"]);
    assert_eq!(received(&origin, "x-kept"), ["yes"]);
    assert_eq!(received(&origin, "content-length"), ["4"]);
    for name in ["x-gone", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"] {
        assert!(received(&origin, name).is_empty(), "{name}");
    }
    assert!(origin.request_texts()[0].ends_with("\r\n\r\nbody"), "the body is whole");
    let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\nUser-Agent: robot\r\n\r\n").await;
    assert_eq!(response.status, 403, "judged by what the visitor said");

    let mut sender = visitor::http2(&world, HOST).await;
    let request = hyper::Request::get(format!("https://{HOST}/h2")).body(Full::new(Bytes::new())).unwrap();
    let (parts, _) = visitor::whole(sender.send_request(request).await.unwrap()).await;
    assert_eq!(parts.status, 200);
    assert_eq!(received(&origin, "host"), ["inner.test"], "one host, whatever the visitor speaks");
    assert_eq!(received(&origin, "x-who"), ["127.0.0.1 1.3 shop.localhost https/2"]);
}

#[tokio::test]
async fn the_visitor_receives_the_changed_response_with_its_true_length() {
    let origin = ScriptedOrigin::responding(|_| {
        "HTTP/1.1 201 Created\r\nContent-Length: 4\r\nServer: secret/1.0\r\nserver: again\r\nX-Twice: 1\r\n\r\nbody"
            .to_owned()
    })
    .await;
    let response_headers = changes(
        &[
            ("x-twice", "2"),
            ("strict-transport-security", "max-age=1"),
            ("x-of", "${req.method} ${req.path} ${res.status}"),
        ],
        &["Server"],
    );
    let request_headers = changes(&[("host", "inner.test")], &[]);
    let settings = Settings { response_headers: response_headers.clone(), request_headers, ..to("bkdsc_1") };
    let world = world(&origin, settings).await;
    let response = visitor::get(&world, HOST, "/x").await;
    assert_eq!((response.status, response.text().as_str()), (201, "body"));
    assert_eq!(all(&response, "x-twice"), ["1", "2"]);
    assert_eq!(all(&response, "content-length"), ["4"]);
    assert_eq!(response.header("x-of"), Some("GET /x 201"));
    assert_eq!(response.header("strict-transport-security"), Some("max-age=1"));
    assert!(all(&response, "server").is_empty(), "all values are gone: {}", response.head);

    let settings = Settings { response_headers, ..to("bkdhr_1") };
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    let response = visitor::get(&world, HOST, "/y").await;
    assert_eq!(
        (response.text().as_str(), response.header("x-of")),
        ("fixed", Some("GET /y 200")),
        "the edge's own responses too"
    );
}

#[tokio::test]
async fn visitors_cannot_inject_headers() {
    let origin = ScriptedOrigin::with_text("hello").await;
    let echo = changes(&[("x-path", "${req.path}|${req.query}")], &[]);
    let settings = Settings { request_headers: echo.clone(), response_headers: echo, ..to("bkdsc_1") };
    let world = world(&origin, settings).await;
    for path in ["/%0d%0aX-Evil:%201", "/a?%0d%0aX-Evil:%201", "/a;X-Evil:1?'x:y"] {
        let response = visitor::get(&world, HOST, path).await;
        assert_eq!(response.status, 200, "{path}");
        assert!(response.header("x-evil").is_none() && received(&origin, "x-evil").is_empty(), "{path}");
        let (before, query) = path.split_once('?').unwrap_or((path, ""));
        assert_eq!(response.header("x-path"), Some(format!("{before}|{query}").as_str()));
    }
}

#[tokio::test]
async fn forbidden_changes_refuse_everyone() {
    let origin = ScriptedOrigin::with_text("hello").await;
    let wrong = Settings { request_headers: changes(&[("content-length", "0")], &[]), ..to("bkdsc_1") };
    let world = world(&origin, wrong).await;
    let response = visitor::get(&world, HOST, "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3016"));
    let wrong = Settings { response_headers: changes(&[], &["Transfer-Encoding"]), ..to("bkdsc_1") };
    world.https_edge(https(&[HOST], &[below("/", wrong)])).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3016");
    assert!(origin.request_texts().is_empty());
}

#[tokio::test]
async fn a_change_of_headers_applies_to_the_next_request_on_the_same_connection() {
    let origin = ScriptedOrigin::with_text("hello").await;
    let with = |value: &str| Settings {
        request_headers: changes(&[("x-stage", value)], &[]),
        response_headers: changes(&[("x-stage", value)], &[]),
        ..to("bkdsc_1")
    };
    let world = world(&origin, with("one")).await;
    let mut visitor = visitor::https(&world, HOST).await;
    let request = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
    for value in ["one", "two", "three"] {
        world.https_edge(https(&[HOST], &[below("/", with(value))])).await;
        let response = visitor.request(request).await;
        assert_eq!((response.header("x-stage"), received(&origin, "x-stage")), (Some(value), vec![value.to_owned()]));
    }
    world.https_edge(https(&[HOST], &[below("/", to("bkdsc_1"))])).await;
    let response = visitor.request(request).await;
    assert!(
        response.header("x-stage").is_none() && received(&origin, "x-stage").is_empty(),
        "without the modules nothing changes"
    );
}
