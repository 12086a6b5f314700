use super::*;
use crate::capture::{event::feed, view};
use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;

struct Watched {
    store: Arc<CaptureStore>,
    meter: Arc<Meter>,
    conversation: Conversation,
}

fn watch() -> Watched {
    let store = Arc::new(CaptureStore::new(Some(10 << 20), 1 << 20, feed()));
    let meter = Arc::new(Meter::default());
    let observer = Observer {
        store: Some(store.clone()),
        meter: meter.clone(),
        tunnel: Arc::new(TunnelTag { definition: "site".into(), proto: "https" }),
        remote: "192.0.2.1:9".into(),
        replay_of: None,
        through_edge: false,
        notes: None,
    };
    Watched { store, meter, conversation: Conversation::new(observer) }
}

impl Watched {
    /// Oldest first, as (request as sent, response as sent).
    fn seen(&self) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let mut list = self.store.page(u64::MAX, 100);
        list.reverse();
        let raw = |json: &serde_json::Value| json.as_str().map(|text| STANDARD.decode(text).expect("base64"));
        list.iter()
            .map(|exchange| {
                let detail = view::detail(exchange, view::Raw::Whole);
                (raw(&detail["request"]["raw"]).expect("there"), raw(&detail["response"]["raw"]))
            })
            .collect()
    }
}

const REQUESTS: &[&[u8]] = &[
    b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
    b"HEAD /c HTTP/1.1\r\nHost: h\r\n\r\n",
    b"PUT /d HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"0\r\"\r\nabc\r\n0\r\nT: 1\r\n\r\n",
    b"GET /e HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET /f HTTP/1.1\r\nHost: h\r\n\r\n",
];
const RESPONSES: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n0\r\n\r\n12\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
];
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";

fn expect_all(seen: &[(Vec<u8>, Option<Vec<u8>>)]) {
    assert_eq!(seen.len(), REQUESTS.len());
    for (index, (request, response)) in seen.iter().enumerate() {
        assert_eq!(request, REQUESTS[index], "request {index}");
        assert_eq!(response.as_deref(), Some(RESPONSES[index]), "response {index}");
    }
}

#[test]
fn each_request_of_a_shared_connection_names_its_own_visitor() {
    let mut watched = watch();
    for visitor in ["198.51.100.7", "2001:db8::7", "not an address"] {
        let request = format!("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {visitor}\r\n\r\n");
        watched.conversation.request_bytes(request.as_bytes());
        watched.conversation.response_bytes(b"HTTP/1.1 204 No Content\r\n\r\n");
    }
    let list = watched.store.page(u64::MAX, 100);
    let seen: Vec<_> =
        list.iter().rev().map(|exchange| view::detail(exchange, view::Raw::Whole)["remote_addr"].clone()).collect();
    assert_eq!(seen, ["198.51.100.7", "2001:db8::7", "192.0.2.1:9"]);
}

#[test]
fn every_split_of_a_pipelined_connection_gives_the_same_exact_bytes() {
    let requests = REQUESTS.concat();
    let mut responses = RESPONSES.concat();
    responses.splice(0..0, INTERIM.iter().copied());
    for step in 1..=requests.len().max(responses.len()) {
        let mut watched = watch();
        requests.chunks(step).for_each(|piece| watched.conversation.request_bytes(piece));
        responses.chunks(step).for_each(|piece| watched.conversation.response_bytes(piece));
        watched.conversation.response_closed();
        expect_all(&watched.seen());
        assert_eq!(watched.meter.snapshot().count, 6);
    }
}

#[test]
fn a_pending_request_has_no_response_and_a_broken_one_says_why() {
    let mut watched = watch();
    watched.conversation.request_bytes(REQUESTS[0]);
    assert_eq!(watched.seen(), [(REQUESTS[0].to_vec(), None)]);
    watched.conversation.connection_closed();
    let list = watched.store.page(u64::MAX, 1);
    assert!(list[0].summary().json()["error"].as_str().expect("said").contains("before a response"));
}

#[test]
fn requests_behind_a_change_of_protocol_that_nobody_asked_for_are_not_awaited_for_ever() {
    let mut watched = watch();
    watched.conversation.request_bytes(&[REQUESTS[0], REQUESTS[2]].concat());
    watched.conversation.response_bytes(SWITCH);
    watched.conversation.response_closed();
    let list = watched.store.page(u64::MAX, 100);
    assert_eq!(list.len(), 2);
    for exchange in &list {
        assert!(exchange.summary().json()["duration"].is_u64(), "{}", exchange.summary().json());
    }
    let error = view::detail(&list[0], view::Raw::Whole)["error"].to_string();
    assert!(error.contains("changed to another protocol"), "{error}");
}

#[test]
fn when_more_is_asked_than_is_followed_nothing_is_awaited_for_ever() {
    let mut watched = watch();
    watched.conversation.request_bytes(&REQUESTS[0].repeat(MAX_PIPELINED + 5));
    let list = watched.store.page(u64::MAX, 10_000);
    assert_eq!(list.len(), MAX_PIPELINED + 1);
    assert!(list.iter().all(|exchange| exchange.summary().json()["duration"].is_u64()));
}

#[test]
fn after_101_nothing_is_read_as_http() {
    let mut watched = watch();
    let handshake = b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
    watched.conversation.request_bytes(handshake);
    watched.conversation.response_bytes(&[&switch[..], b"\x81\x05hello"].concat());
    watched.conversation.request_bytes(b"GET /not-http HTTP/1.1\r\n\r\n");
    assert_eq!(watched.seen(), [(handshake.to_vec(), Some(switch.to_vec()))]);
}

#[test]
fn a_declined_upgrade_leaves_the_connection_http() {
    let mut watched = watch();
    watched.conversation.request_bytes(b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n");
    watched.conversation.response_bytes(RESPONSES[0]);
    watched.conversation.request_bytes(REQUESTS[1]);
    watched.conversation.response_bytes(RESPONSES[1]);
    assert_eq!(watched.seen()[1], (REQUESTS[1].to_vec(), Some(RESPONSES[1].to_vec())));
}

#[test]
fn garbage_is_given_up_without_harm() {
    for (request, response) in [
        (&b"\x16\x03\x01\x02\x00 tls hello\r\n\r\n"[..], &b""[..]),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b""),
        (REQUESTS[0], b"220 smtp ready\r\n\r\n"),
        (b"", b"HTTP/1.1 408 Request Timeout\r\n\r\n"),
    ] {
        let mut watched = watch();
        watched.conversation.request_bytes(request);
        watched.conversation.response_bytes(response);
        watched.conversation.request_bytes(REQUESTS[0]);
        watched.conversation.response_bytes(RESPONSES[0]);
        assert!(watched.seen().iter().all(|(_, response)| response.is_none()));
    }
}

#[test]
fn a_tunnel_without_inspection_still_counts_its_requests() {
    let mut watched = watch();
    watched.conversation.observer.store = None;
    watched.conversation.request_bytes(REQUESTS[0]);
    watched.conversation.response_bytes(RESPONSES[0]);
    assert_eq!(watched.meter.snapshot().count, 1);
    assert!(watched.seen().is_empty());
}

proptest! {
    #[test]
    fn any_split_gives_the_same_exact_bytes(cuts in proptest::collection::vec(1usize..60, 1..40)) {
        let mut responses = RESPONSES.concat();
        responses.splice(0..0, INTERIM.iter().copied());
        let mut watched = watch();
        for (bytes, response) in [(REQUESTS.concat(), false), (responses, true)] {
            let mut rest = bytes.as_slice();
            let mut sizes = cuts.iter().cycle();
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(rest.len().min(*sizes.next().expect("endless")));
                if response { watched.conversation.response_bytes(piece) } else { watched.conversation.request_bytes(piece) }
                rest = later;
            }
        }
        watched.conversation.response_closed();
        expect_all(&watched.seen());
    }

    #[test]
    fn any_bytes_are_survived(requests in proptest::collection::vec(any::<u8>(), 0..300), responses in proptest::collection::vec(any::<u8>(), 0..300), step in 1usize..50) {
        let mut watched = watch();
        watched.conversation.request_bytes(REQUESTS[3]);
        for (request, response) in requests.chunks(step).zip(responses.chunks(step)) {
            watched.conversation.request_bytes(request);
            watched.conversation.response_bytes(response);
        }
        watched.conversation.response_closed();
    }
}

/// Sender, kind, text of every frame.
fn frames(watched: &Watched) -> (Vec<(String, String, String)>, serde_json::Value) {
    let exchange = watched.store.page(u64::MAX, 1).remove(0);
    let page = view::frames(&exchange, 0, 1000);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let list = page["frames"].as_array().expect("a list").iter();
    (list.map(|frame| (text(&frame["from"]), text(&frame["kind"]), text(&frame["text"]))).collect(), page)
}

const HANDSHAKE: &[u8] = b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
const SWITCH: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n\r\n";

#[test]
fn messages_of_a_websocket_are_frames_in_any_division() {
    let said = [SWITCH, b"\x81\x05hello\x89\x01p"].concat();
    let asked = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58\x88\x02\x03\xe8";
    for step in 1..said.len() {
        let mut watched = watch();
        watched.conversation.request_bytes(HANDSHAKE);
        said.chunks(step).for_each(|piece| watched.conversation.response_bytes(piece));
        asked.chunks(step).for_each(|piece| watched.conversation.request_bytes(piece));
        let (list, page) = frames(&watched);
        let expected = [
            ("service", "text", "hello"),
            ("service", "ping", "p"),
            ("visitor", "text", "Hello"),
            ("visitor", "close", ""),
        ];
        assert_eq!(list, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())), "{step}");
        assert_eq!(
            (&page["open"], &page["error"], &page["next"]),
            (&true.into(), &serde_json::Value::Null, &serde_json::Value::Null)
        );
        watched.conversation.connection_closed();
        assert_eq!(watched.seen()[0].1.as_deref(), Some(SWITCH), "the response is its head");
        drop(watched.conversation);
        let exchange = watched.store.page(u64::MAX, 1).remove(0);
        assert_eq!(exchange.summary().json()["open"], false);
        watched.store.clear();
        assert_eq!(watched.store.bytes(), 0, "everything was on the account");
    }
}

#[test]
fn a_websocket_that_is_none_says_so_and_a_compressed_message_is_marked() {
    let mut watched = watch();
    watched.conversation.request_bytes(HANDSHAKE);
    watched.conversation.response_bytes(&[SWITCH, b"\xc1\x03abc\xff\xffjunk"].concat());
    let (_, page) = frames(&watched);
    assert_eq!((&page["frames"][0]["compressed"], &page["frames"][0]["base64"]), (&true.into(), &"YWJj".into()));
    assert!(page["error"].as_str().expect("said").contains("not made of frames"), "{page}");
    let mut watched = watch();
    watched.conversation.request_bytes(HANDSHAKE);
    watched.conversation.request_bytes(b"\x81\x00");
    watched.conversation.response_bytes(&[SWITCH, b"\x81\x01a"].concat());
    let (list, page) = frames(&watched);
    assert_eq!((list.len(), page["error"].is_string()), (1, true), "{page}");
}

#[test]
fn events_of_a_body_in_chunks_are_frames() {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body: String = "event: tick\ndata: 1\n\n: ping\n\ndata: é\ndata: 2\n\n"
        .chars()
        .map(|c| format!("{:x}\r\n{c}\r\n", c.len_utf8()))
        .collect();
    let said = format!("{head}{body}");
    for step in 1..60 {
        let mut watched = watch();
        watched.conversation.request_bytes(REQUESTS[0]);
        said.as_bytes().chunks(step).for_each(|piece| watched.conversation.response_bytes(piece));
        let (list, page) = frames(&watched);
        assert_eq!(list.len(), 3, "{step}: {page}");
        assert_eq!(page["frames"][0]["event"], serde_json::json!({"event": "tick", "id": null, "data": "1"}));
        assert_eq!(page["frames"][2]["event"]["data"], "é\n2");
        assert_eq!(page["open"], true);
        watched.conversation.response_bytes(b"0\r\n\r\n");
        assert_eq!(frames(&watched).1["open"], false);
        assert_eq!(
            watched.seen()[0].1.as_deref(),
            Some(format!("{said}0\r\n\r\n").as_bytes()),
            "the body is kept as well"
        );
    }
}

#[test]
fn frames_stay_within_the_room_of_a_body_and_the_newest_are_kept() {
    let mut watched = watch();
    let other = watched.store.begin(
        Opening::of(
            watched.conversation.observer.tunnel.clone(),
            Said { method: "GET", target: "/other", ..Said::default() },
        ),
        REQUESTS[0],
        &Framing::Length(0),
    );
    watched.conversation.request_bytes(HANDSHAKE);
    watched.conversation.response_bytes(SWITCH);
    let mut frame = vec![0x82, 127, 0, 0, 0, 0, 0, 0, 0x75, 0x30];
    frame.extend_from_slice(&[7; 30_000]);
    for number in 0..2000 {
        if number % 2 == 0 {
            watched.conversation.response_bytes(&frame)
        } else {
            watched.conversation.response_bytes(b"\x81\x01x")
        }
        assert!(watched.store.bytes() <= 3 << 20, "{}", watched.store.bytes());
    }
    let page = frames(&watched).1;
    assert_eq!(
        (page["count"].as_u64(), page["frames"].as_array().expect("a list").last().expect("one")["number"].as_u64()),
        (Some(2000), Some(2000))
    );
    assert!(page["dropped"].as_u64().expect("a number") > 1500, "{}", page["dropped"]);
    let large = page["frames"].as_array().expect("a list").iter().find(|frame| frame["length"] == 30_000).expect("one");
    assert_eq!(large["cut"], true);
    assert!(watched.store.get(&crate::capture::exchange::shown_id(other.id)).is_some(), "others are not pushed out");
    let second = view::frames(&watched.store.page(u64::MAX, 1)[0], 1990, 5);
    assert_eq!((second["frames"].as_array().expect("a list").len(), second["next"].as_u64()), (5, Some(1995)));
    drop(watched.conversation);
    watched.store.clear();
    assert_eq!(watched.store.bytes(), 0);
}
