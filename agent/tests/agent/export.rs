use crate::world::World;
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_test_kit::scripted_origin::ScriptedOrigin;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::process::Command;

const DONE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: text/plain\r\n\r\ndone";

/// A parsed request: method, target, host, other headers in order, body without its transfer coding.
#[derive(Debug, PartialEq, Eq)]
struct Parts {
    line: Vec<u8>,
    host: Vec<u8>,
    headers: Vec<Vec<u8>>,
    chunked: bool,
    body: Vec<u8>,
}

fn parts(request: &[u8]) -> Parts {
    let end = request.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
    let mut lines = request[..end].split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let line = lines.next().expect("a line").to_vec();
    let is =
        |line: &[u8], name: &str| line.len() > name.len() && line[..name.len()].eq_ignore_ascii_case(name.as_bytes());
    let (mut host, mut headers, mut chunked) = (Vec::new(), Vec::new(), false);
    for line in lines {
        match line {
            line if is(line, "host:") => host = line[5..].trim_ascii().to_vec(),
            line if is(line, "content-length:") => {}
            line if is(line, "transfer-encoding:") => chunked = true,
            line => {
                let colon = line.iter().position(|byte| *byte == b':').expect("a header");
                headers.push([&line[..colon], b": ", line[colon + 1..].trim_ascii()].concat());
            }
        }
    }
    let mut body = request[end + 4..].to_vec();
    if chunked {
        let (mut whole, mut rest) = (Vec::new(), body.as_slice());
        loop {
            let line = rest.windows(2).position(|part| part == b"\r\n").expect("a size");
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).expect("a size");
            whole.extend_from_slice(&rest[line + 2..line + 2 + size]);
            rest = &rest[line + 4 + size..];
            if size == 0 {
                break;
            }
        }
        body = whole;
    }
    Parts { line, host, headers, chunked, body }
}

/// Runs a command with a real shell and a real curl.
fn run(command: &str) {
    let path = std::env::var_os("PATH").expect("a path");
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.sh");
    std::fs::write(&script, command).expect("written");
    let done = Command::new("sh").arg(script).env_clear().env("PATH", path).output().expect("sh runs");
    assert!(done.status.success(), "{command}\n{}", String::from_utf8_lossy(&done.stderr));
}

async fn newest(world: &World, count: usize) -> String {
    world.captured(count).await[0]["id"].as_str().expect("an id").to_owned()
}

/// The original request and the one the command sends, as the local service receives them.
async fn there_and_back(world: &World, origin: &ScriptedOrigin, request: &[u8], count: usize) {
    world.server.http("site", request).await.expect("answered");
    let id = newest(world, count).await;
    let answer = world.get(&format!("/api/requests/http/{id}/curl?through=local&secrets=show")).await;
    let command = answer["command"].as_str().expect("a command").to_owned();
    let heard = origin.requests().len();
    let shown = command.clone();
    tokio::task::spawn_blocking(move || run(&command)).await.expect("it ran");
    let again = origin.requests();
    assert_eq!(again.len(), heard + 1, "{shown}");
    let (first, second) = (parts(&again[heard - 1]), parts(&again[heard]));
    assert_eq!(first, second, "{shown}");
}

fn message(method: &str, target: &str, headers: &[(String, Vec<u8>)], body: Option<(&[u8], bool)>) -> Vec<u8> {
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: shop.localhost:4443\r\n").into_bytes();
    for (name, value) in headers {
        text.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    match body {
        None => text.extend_from_slice(b"\r\n"),
        Some((body, false)) => {
            text.extend([format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat())
        }
        Some((body, true)) => {
            text.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
            for piece in body.chunks(7) {
                text.extend([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
            }
            text.extend_from_slice(b"0\r\n\r\n");
        }
    }
    text
}

#[tokio::test]
async fn a_copied_command_sends_hostile_requests_byte_for_byte() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after(DONE).await;
    world.tunnel("site", "http", origin.port()).await;
    let binary: Vec<u8> = (0..=255).collect();
    let long = "0123456789'\"\\ü\n".repeat(20_000).into_bytes();
    let header = |name: &str, value: &[u8]| (name.to_owned(), value.to_vec());
    let cases: Vec<Vec<u8>> = vec![
        message("GET", "/", &[], None),
        message("GET", "/a/../b/./c?x=[1-3]&y={a,b}&z=$(id)`id`", &[header("Accept", b"*/*")], None),
        message("GET", "/it's\"<>\\^|", &[header("X-Quote", b"it's \"$HOME\" `id` $(id) \\ !! %s")], None),
        message(
            "GET",
            "/gr\u{fc}n",
            &[header("X-Latin", b"caf\xe9"), header("X-Tab", b"a\tb"), header("X-Utf", "grün 😀".as_bytes())],
            None,
        ),
        message("HEAD", "/h", &[header("User-Agent", b"me")], None),
        message("OPTIONS", "/", &[header("X-Empty", b""), header("X-Twice", b"1"), header("x-twice", b"2")], None),
        message("DELETE", "/d", &[header("Cookie", b"a=b; c='d'"), header("Authorization", b"Basic YTpi")], None),
        message("POST", "/p", &[], None),
        message("POST", "/p", &[], Some((b"", false))),
        message("POST", "/p", &[], Some((b"", true))),
        message(
            "POST",
            "/p",
            &[header("Content-Type", b"application/json")],
            Some((b"{\"a\": \"it's\\n\"}\n\n", false)),
        ),
        message("PUT", "/p", &[], Some((b"@/etc/passwd", false))),
        message("PATCH", "/p", &[header("Expect", b"")], Some((b"a\r\nb\0c\x1b[31m", false))),
        message("POST", "/p", &[header("Content-Type", b"application/octet-stream")], Some((&binary, false))),
        message("POST", "/p", &[], Some((&binary, true))),
        message("POST", "/p", &[], Some((&long, false))),
        message("X'Y", "/m", &[header("X-'`$|", b"-H 'a: b'")], Some((b"x", false))),
        message("GET", "/get-with-body", &[], Some((b"why not", false))),
    ];
    for (index, case) in cases.iter().enumerate() {
        there_and_back(&world, &origin, case, index + 1).await;
    }
}

#[test]
fn a_copied_command_sends_any_request_byte_for_byte() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (world, origin) = runtime.block_on(async {
        let world = World::start().await;
        let origin = ScriptedOrigin::closing_after(DONE).await;
        world.tunnel("site", "http", origin.port()).await;
        (world, origin)
    });
    let value = prop::collection::vec(prop_oneof![0x21u8..0x7f, 0x80u8..=0xff, Just(b' '), Just(b'\'')], 0..24)
        .prop_map(|bytes| bytes.trim_ascii().to_vec());
    let headers = prop::collection::vec(("X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,8}", value), 0..4);
    let body = proptest::option::of((
        prop_oneof![prop::collection::vec(any::<u8>(), 0..60), "[a-z'\"\\\\$`\n ü]{0,30}".prop_map(String::into_bytes)],
        any::<bool>(),
    ));
    let requests = ("GET|POST|PUT|DELETE|PATCH|M-SEARCH", "/[!-~&&[^ ]]{0,20}", headers, body);
    let count = std::cell::Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 48, ..ProptestConfig::default() });
    let outcome = runner.run(&requests, |(method, target, headers, body)| {
        let body = body.as_ref().map(|(body, chunked)| (body.as_slice(), *chunked));
        let request = message(&method, &target, &headers, body);
        count.set(count.get() + 1);
        runtime.block_on(there_and_back(&world, &origin, &request, count.get()));
        Ok(())
    });
    outcome.expect("every request arrives as it was");
}

#[tokio::test]
async fn commands_redact_secrets_and_use_the_public_address() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after(DONE).await;
    world.tunnel("site", "http", origin.port()).await;
    let request = b"GET /a?token=t0ps3cret&x=1 HTTP/1.1\r\nHost: shop.localhost:4443\r\nAuthorization: Bearer t0ps3cret\r\nCookie: sid=t0ps3cret\r\n\r\n";
    world.server.http("site", request).await.expect("answered");
    let id = newest(&world, 1).await;
    let hidden = world.get(&format!("/api/requests/http/{id}/curl")).await;
    let command = hidden["command"].as_str().expect("a command");
    assert!(
        command.contains("'https://shop.localhost:4443/a?token=redacted-") && command.contains("&x=1'"),
        "{command}"
    );
    assert!(!command.contains("t0ps3cret") && command.contains("Authorization: Bearer redacted-"), "{command}");
    let marks: std::collections::BTreeSet<&str> =
        command.match_indices("redacted-").map(|(at, _)| &command[at..at + 21]).collect();
    assert_eq!(marks.len(), 1, "equal secrets stay equal: {command}");
    let har = world.get("/api/requests/har").await;
    assert!(!har.to_string().contains("t0ps3cret") && har.to_string().contains(marks.first().expect("one")), "{har}");
    assert!(world.get("/api/requests/har?secrets=show").await.to_string().contains("t0ps3cret"));
    for query in ["through=nowhere", "secrets=maybe", "other=1"] {
        assert_eq!(world.call("GET", &format!("/api/requests/http/{id}/curl?{query}"), None).await.0, 400, "{query}");
    }
}

#[tokio::test]
async fn with_inspect_redact_secrets_are_not_stored() {
    let world = World::with("inspect_redact: [header.x-mine, query.code]\n").await;
    let answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=t0ps3cret; HttpOnly\r\nContent-Length: 2\r\n\r\nok";
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", answer).await;
    world.tunnel("site", "http", origin.port()).await;
    let request = b"GET /a?code=t0ps3cret HTTP/1.1\r\nHost: h\r\nX-Mine: t0ps3cret\r\nCookie: sid=t0ps3cret\r\n\r\n";
    let heard = world.server.http("site", request).await.expect("answered");
    assert_eq!(
        (heard.as_slice(), origin.requests()[0].as_slice()),
        (&answer[..], &request[..]),
        "traffic is untouched"
    );
    let one = world.captured(1).await.remove(0);
    let raw = [&one["request"]["raw"], &one["response"]["raw"]]
        .map(|raw| String::from_utf8(STANDARD.decode(raw.as_str().expect("text")).expect("base64")).expect("text"));
    let shown = format!("{one}{raw:?}");
    assert!(!shown.contains("t0ps3cret"), "{shown}");
    let mark = one["request"]["headers"]["X-Mine"][0].as_str().expect("there");
    assert!(mark.starts_with("redacted-"));
    assert_eq!(one["request"]["uri"], format!("/a?code={mark}"));
    assert_eq!(one["response"]["headers"]["Set-Cookie"][0], format!("sid={mark}; HttpOnly"));
}

/// Four captured exchanges, the first of them with a note, and their HAR file.
struct Exported {
    world: World,
    exchanges: Vec<Json>,
    har: Json,
}

impl Exported {
    async fn start() -> Exported {
        let world = World::start().await;
        let origin = ScriptedOrigin::closing_after(b"HTTP/1.1 201 Made Up\r\nContent-Length: 3\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nX-Latin: caf\xe9\r\n\r\n\xff\x00k").await;
        world.tunnel("site", "http", origin.port()).await;
        let requests = [
            message("GET", "/a?q=1&r=%20", &[("X-Two".into(), b"1".to_vec()), ("x-two".into(), b"2".to_vec())], None),
            message("POST", "/b", &[("Content-Type".into(), b"text/plain".to_vec())], Some((b"it's text", false))),
            message("PUT", "/c", &[], Some((&[0, 159, 146, 150], false))),
            message("PATCH", "/d", &[], Some((b"in chunks it comes", true))),
        ];
        for (index, request) in requests.iter().enumerate() {
            world.server.http("site", request).await.expect("answered");
            world.captured(index + 1).await;
        }
        let first = world.captured(1).await.last().expect("one")["id"].as_str().expect("an id").to_owned();
        let noted =
            world.call("PATCH", &format!("/api/requests/http/{first}"), Some(json!({"note": "the first"}))).await;
        assert_eq!((noted.0, &noted.1["note"]), (200, &json!("the first")));
        let exchanges = world.captured(4).await;
        let har = world.get("/api/requests/har?secrets=show").await;
        Exported { world, exchanges, har }
    }

    /// Deletes all exchanges and imports them back.
    async fn import(&self) -> Vec<Json> {
        assert_eq!(self.world.call("DELETE", "/api/requests/http", None).await.0, 204);
        let imported = self.world.call("POST", "/api/requests/har", Some(self.har.clone())).await;
        assert_eq!(imported, (201, json!({"imported": 4})));
        self.world.captured(4).await
    }

    async fn body(&self, exchange: &Json, half: &str) -> Vec<u8> {
        let id = exchange["id"].as_str().expect("an id");
        let path = format!("{}/api/requests/http/{id}/{half}/body", self.world.web());
        reqwest::get(path).await.expect("answered").bytes().await.expect("read").to_vec()
    }
}

#[tokio::test]
async fn a_har_file_has_every_exchange_oldest_first() {
    let Exported { har, .. } = Exported::start().await;
    assert_eq!((&har["log"]["version"], har["log"]["entries"].as_array().expect("a list").len()), (&json!("1.2"), 4));
    assert_eq!(har["log"]["entries"][0]["request"]["url"], "https://shop.localhost:4443/a?q=1&r=%20");
}

#[tokio::test]
async fn imported_exchanges_equal_the_exported_ones() {
    let exported = Exported::start().await;
    for (old, new) in exported.exchanges.iter().zip(&exported.import().await) {
        let same = |pointer: &str| assert_eq!(old.pointer(pointer), new.pointer(pointer), "{pointer}");
        for pointer in [
            "/tunnel_name",
            "/remote_addr",
            "/start",
            "/duration",
            "/note",
            "/error",
            "/cut",
            "/complete",
            "/request/method",
            "/request/proto",
            "/request/uri",
            "/request/headers",
            "/response",
        ] {
            same(pointer);
        }
        // Chunks are not part of the format.
        if old["request"]["method"] != "PATCH" {
            same("/request/raw");
        }
    }
}

#[tokio::test]
async fn imported_exchanges_are_marked_and_found_by_the_filter() {
    let exported = Exported::start().await;
    for (old, new) in exported.exchanges.iter().zip(&exported.import().await) {
        assert_eq!((&old["imported"], &new["imported"]), (&json!(false), &json!(true)));
    }
    let found = exported.world.get("/api/requests/http/summaries?filter=imported:yes").await;
    assert_eq!(found["requests"].as_array().expect("a list").len(), 4);
}

#[tokio::test]
async fn bodies_of_imported_exchanges_can_be_read() {
    let exported = Exported::start().await;
    let imported = exported.import().await;
    for exchange in &imported {
        assert_eq!(exported.body(exchange, "response").await, b"\xff\x00k");
    }
    assert_eq!(exported.body(&imported[0], "request").await, b"in chunks it comes");
}

fn without_ids(file: &Json) -> Json {
    let mut file = file.clone();
    for entry in file["log"]["entries"].as_array_mut().expect("a list") {
        entry.as_object_mut().expect("an object").remove("_id");
        for half in ["request", "response"] {
            entry[half].as_object_mut().expect("an object").remove("headersSize");
        }
    }
    file
}

#[tokio::test]
async fn imported_exchanges_are_exported_to_an_equal_file() {
    let exported = Exported::start().await;
    exported.import().await;
    let again = exported.world.get("/api/requests/har?secrets=show").await;
    assert_eq!(without_ids(&exported.har), without_ids(&again));
}

#[tokio::test]
async fn invalid_files_are_rejected_as_a_whole() {
    let world = World::start().await;
    let good = json!({
        "startedDateTime": "2026-11-21T14:00:00.000+01:00", "time": 12.5,
        "request": {"method": "GET", "url": "https://a.example/x", "httpVersion": "HTTP/2", "headers": [{"name": ":authority", "value": "a.example"}], "cookies": [], "queryString": [], "headersSize": -1, "bodySize": 0},
        "response": {"status": 200, "statusText": "", "httpVersion": "h2", "headers": [], "cookies": [], "content": {"size": 2, "mimeType": "text/plain", "text": "ok"}, "redirectURL": "", "headersSize": -1, "bodySize": 2},
        "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 1},
    });
    let with = |pointer: &str, value: Json| {
        let mut entry = good.clone();
        *entry.pointer_mut(pointer).expect(pointer) = value;
        json!({"log": {"version": "1.2", "entries": [good.clone(), entry]}})
    };
    for (file, part) in [
        (json!({"log": {}}), "not a HAR file"),
        (json!({}), "not a HAR file"),
        (with("/startedDateTime", json!("yesterday")), "Entry 2"),
        (with("/request/url", json!("file:///etc/passwd")), "scheme `file`"),
        (with("/request/url", json!("nothing")), "`url` cannot be read"),
        (with("/request/method", json!("GET / HTTP/1.1\r\nX: y\r\n\r\n")), "line end"),
        (with("/request/method", json!("G ET")), "Entry 2"),
        (with("/request/headers", json!([{"name": "A", "value": "b\r\nC: d"}])), "line end"),
        (with("/request/headers", json!([{"name": "A b", "value": ""}])), "well-formed"),
        (with("/response/status", json!(99)), "is not a status"),
        (with("/response/content", json!({"text": "%%%", "encoding": "base64"})), "base64"),
    ] {
        let (status, body) = world.call("POST", "/api/requests/har", Some(file)).await;
        assert_eq!((status, &body["details"]["code"]), (400, &json!("ERR_POSTERN_8121")), "{body}");
        assert!(body["details"]["err"].as_str().expect("text").contains(part), "{part}: {body}");
    }
    assert_eq!(world.get("/api/requests/http").await["requests"], json!([]), "nothing was taken");
    let file = json!({"log": {"version": "1.2", "entries": [good]}});
    assert_eq!(world.call("POST", "/api/requests/har", Some(file)).await.0, 201);
    let one = world.captured(1).await.remove(0);
    assert_eq!(
        (&one["request"]["headers"], &one["tunnel_name"]),
        (&json!({"Host": ["a.example"]}), &json!("imported (https)"))
    );
    assert_eq!((&one["duration"], &one["start"]), (&json!(12_500_000), &json!("2026-11-21T13:00:00Z")));
}

#[tokio::test]
async fn bodies_support_ranges() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n").await;
    world.tunnel("site", "http", origin.port()).await;
    world.server.http("site", &message("POST", "/", &[], Some((b"0123456789", false)))).await.expect("answered");
    let id = newest(&world, 1).await;
    let get = async |part: &str, range: &str| {
        let url = format!("{}/api/requests/http/{id}/{part}", world.web());
        let response = reqwest::Client::new().get(url).header("Range", range).send().await.expect("answered");
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let facts = (response.status().as_u16(), header("content-range"), header("content-type"));
        (facts, String::from_utf8_lossy(&response.bytes().await.expect("read")).into_owned())
    };
    let kind = || Some("application/octet-stream".to_owned());
    assert_eq!(get("request/body", "bytes=2-4").await, ((206, Some("bytes 2-4/10".into()), kind()), "234".into()));
    assert_eq!(get("response/body", "bytes=3-7").await, ((206, Some("bytes 3-7/11".into()), kind()), "lo wo".into()));
    assert_eq!(get("response/body", "bytes=-5").await.1, "world");
    assert_eq!(get("response/body", "junk").await, ((200, None, kind()), "hello world".into()));
    assert_eq!(get("response/body?as=wire", "bytes=0-4").await.1, "5\r\nhe");
    let ((status, range, _), body) = get("response/body", "bytes=11-").await;
    assert_eq!((status, range.as_deref()), (416, Some("bytes */11")));
    assert!(body.contains("ERR_POSTERN_8122"), "{body}");
    assert_eq!(get("response/body?as=html", "").await.0.0, 400);
    let one = world.get(&format!("/api/requests/http/{id}?raw=head")).await;
    let head = STANDARD.decode(one["response"]["raw"].as_str().expect("text")).expect("base64");
    assert!(head.starts_with(b"HTTP/1.1 200 OK\r\n") && head.ends_with(b"\r\n\r\n"), "the head and nothing else");
    assert_eq!((&one["request"]["body_size"], &one["response"]["body_size"]), (&json!(10), &json!(26)));
    assert_eq!(world.call("GET", &format!("/api/requests/http/{id}?raw=none"), None).await.0, 400);
    assert_eq!(world.call("GET", "/api/requests/http/0000000000000000/request/body", None).await.0, 404);
}

#[tokio::test]
async fn a_request_is_pinned_annotated_and_deleted() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after(DONE).await;
    world.tunnel("site", "http", origin.port()).await;
    for count in 1..=2 {
        world.server.http("site", &message("GET", "/", &[], None)).await.expect("answered");
        world.captured(count).await;
    }
    let list = world.captured(2).await;
    let path = format!("/api/requests/http/{}", list[0]["id"].as_str().expect("an id"));
    let (status, line) = world.call("PATCH", &path, Some(json!({"pinned": true, "note": "why?"}))).await;
    assert_eq!((status, &line["pinned"], &line["note"]), (200, &json!(true), &json!("why?")));
    let (_, line) = world.call("PATCH", &path, Some(json!({"note": null}))).await;
    assert_eq!((&line["pinned"], &line["note"]), (&json!(true), &Json::Null));
    let found = world.get("/api/requests/http/summaries?filter=pinned:yes").await;
    assert_eq!(found["requests"][0]["id"], list[0]["id"]);
    assert_eq!(world.get("/api/status").await["capture"]["pinned"], 1);
    for wrong in
        [json!({"pinned": "yes"}), json!({"note": 1}), json!({"note": "x".repeat(2001)}), json!({"colour": "red"})]
    {
        assert_eq!(world.call("PATCH", &path, Some(wrong.clone())).await.0, 400, "{wrong}");
    }
    assert_eq!(world.call("DELETE", &path, None).await, (204, Json::Null));
    assert_eq!(world.call("DELETE", &path, None).await.0, 404);
    assert_eq!(world.call("PATCH", &path, Some(json!({}))).await.0, 404);
    assert_eq!(world.captured(1).await.len(), 1);
}
