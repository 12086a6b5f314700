use super::*;
use crate::{
    capture::{
        TunnelTag,
        event::event_channel,
        exchange::{RequestInfo, RequestTexts},
        store::CaptureStore,
        view,
    },
    metrics::Meter,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;

struct Capture {
    store: Arc<CaptureStore>,
    meter: Arc<Meter>,
    conversation: Conversation,
}

fn start_capture() -> Capture {
    let store = Arc::new(CaptureStore::new(Some(10 << 20), 1 << 20, event_channel()));
    let meter = Arc::new(Meter::default());
    let observer = Observer {
        store: Some(store.clone()),
        meter: meter.clone(),
        tunnel: Arc::new(TunnelTag { definition: "site".into(), proto: "https" }),
        remote: "192.0.2.1:9".into(),
        replay_of: None,
        through_edge: false,
        http2: false,
        notes: None,
    };
    Capture { store, meter, conversation: Conversation::new(observer) }
}

impl Capture {
    /// Oldest first, as (request as sent, response as sent).
    fn messages(&self) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let mut list = self.store.page(u64::MAX, 100);
        list.reverse();
        let raw = |json: &serde_json::Value| json.as_str().map(|text| STANDARD.decode(text).expect("base64"));
        list.iter()
            .map(|exchange| {
                let detail = serde_json::json!(view::detail(exchange, view::RawPart::Whole));
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

fn expect_all(messages: &[(Vec<u8>, Option<Vec<u8>>)]) {
    assert_eq!(messages.len(), REQUESTS.len());
    for (index, (request, response)) in messages.iter().enumerate() {
        assert_eq!(request, REQUESTS[index], "request {index}");
        assert_eq!(response.as_deref(), Some(RESPONSES[index]), "response {index}");
    }
}

#[test]
fn each_request_of_a_shared_connection_names_its_own_visitor() {
    let mut capture = start_capture();
    for visitor in ["198.51.100.7", "2001:db8::7", "not an address"] {
        let request = format!("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {visitor}\r\n\r\n");
        capture.conversation.request_bytes(request.as_bytes());
        capture.conversation.response_bytes(b"HTTP/1.1 204 No Content\r\n\r\n");
    }
    let list = capture.store.page(u64::MAX, 100);
    let messages: Vec<_> =
        list.iter().rev().map(|exchange| view::detail(exchange, view::RawPart::Whole).remote_addr).collect();
    assert_eq!(messages, ["198.51.100.7", "2001:db8::7", "192.0.2.1:9"]);
}

#[test]
fn every_split_of_a_pipelined_connection_gives_the_same_exact_bytes() {
    let requests = REQUESTS.concat();
    let mut responses = RESPONSES.concat();
    responses.splice(0..0, INTERIM.iter().copied());
    for step in 1..=requests.len().max(responses.len()) {
        let mut capture = start_capture();
        requests.chunks(step).for_each(|piece| capture.conversation.request_bytes(piece));
        responses.chunks(step).for_each(|piece| capture.conversation.response_bytes(piece));
        capture.conversation.response_closed();
        expect_all(&capture.messages());
        assert_eq!(capture.meter.snapshot().count, 6);
    }
}

#[test]
fn a_pending_request_has_no_response_and_a_failed_one_has_an_error() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(REQUESTS[0]);
    assert_eq!(capture.messages(), [(REQUESTS[0].to_vec(), None)]);
    capture.conversation.connection_closed();
    let list = capture.store.page(u64::MAX, 1);
    assert!(list[0].summary().error.expect("an error").contains("before a response"));
}

#[test]
fn a_request_on_a_kept_connection_that_ends_says_that_it_may_have_been_sent_again() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(b"GET /first HTTP/1.1\r\nhost: a\r\n\r\n");
    capture.conversation.response_bytes(b"HTTP/1.1 204 No Content\r\n\r\n");
    capture.conversation.request_bytes(b"GET /second HTTP/1.1\r\nhost: a\r\n\r\n");
    capture.conversation.connection_closed();
    let list = capture.store.page(u64::MAX, 2);
    assert_eq!(list[1].summary().error, None);
    let error = list[0].summary().error.expect("an error");
    assert!(error.contains("kept open") && error.contains("sent again"), "{error}");
}

#[test]
fn requests_after_an_unrequested_switch_of_protocols_end_with_an_error() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(&[REQUESTS[0], REQUESTS[2]].concat());
    capture.conversation.response_bytes(SWITCH);
    capture.conversation.response_closed();
    let list = capture.store.page(u64::MAX, 100);
    assert_eq!(list.len(), 2);
    for exchange in &list {
        assert!(exchange.summary().duration.is_some(), "{:?}", exchange.summary());
    }
    let error = view::detail(&list[0], view::RawPart::Whole).error.expect("an error");
    assert!(error.contains("switched to another protocol"), "{error}");
}

#[test]
fn requests_beyond_the_pipeline_limit_end_all_exchanges() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(&REQUESTS[0].repeat(MAX_PIPELINED + 5));
    let list = capture.store.page(u64::MAX, 10_000);
    assert_eq!(list.len(), MAX_PIPELINED + 1);
    assert!(list.iter().all(|exchange| exchange.summary().duration.is_some()));
}

#[test]
fn after_101_nothing_is_read_as_http() {
    let mut capture = start_capture();
    let handshake = b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
    capture.conversation.request_bytes(handshake);
    capture.conversation.response_bytes(&[&switch[..], b"\x81\x05hello"].concat());
    capture.conversation.request_bytes(b"GET /not-http HTTP/1.1\r\n\r\n");
    assert_eq!(capture.messages(), [(handshake.to_vec(), Some(switch.to_vec()))]);
}

#[test]
fn a_declined_upgrade_leaves_the_connection_http() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n");
    capture.conversation.response_bytes(RESPONSES[0]);
    capture.conversation.request_bytes(REQUESTS[1]);
    capture.conversation.response_bytes(RESPONSES[1]);
    assert_eq!(capture.messages()[1], (REQUESTS[1].to_vec(), Some(RESPONSES[1].to_vec())));
}

#[test]
fn malformed_messages_are_no_longer_followed() {
    for (request, response) in [
        (&b"\x16\x03\x01\x02\x00 tls hello\r\n\r\n"[..], &b""[..]),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b""),
        (REQUESTS[0], b"220 smtp ready\r\n\r\n"),
        (b"", b"HTTP/1.1 408 Request Timeout\r\n\r\n"),
    ] {
        let mut capture = start_capture();
        capture.conversation.request_bytes(request);
        capture.conversation.response_bytes(response);
        capture.conversation.request_bytes(REQUESTS[0]);
        capture.conversation.response_bytes(RESPONSES[0]);
        assert!(capture.messages().iter().all(|(_, response)| response.is_none()));
    }
}

#[test]
fn a_tunnel_without_inspection_still_counts_its_requests() {
    let mut capture = start_capture();
    capture.conversation.observer.store = None;
    capture.conversation.request_bytes(REQUESTS[0]);
    capture.conversation.response_bytes(RESPONSES[0]);
    assert_eq!(capture.meter.snapshot().count, 1);
    assert!(capture.messages().is_empty());
}

proptest! {
    #[test]
    fn any_split_gives_the_same_exact_bytes(cuts in proptest::collection::vec(1usize..60, 1..40)) {
        let mut responses = RESPONSES.concat();
        responses.splice(0..0, INTERIM.iter().copied());
        let mut capture = start_capture();
        for (bytes, response) in [(REQUESTS.concat(), false), (responses, true)] {
            let mut rest = bytes.as_slice();
            let mut sizes = cuts.iter().cycle();
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(rest.len().min(*sizes.next().expect("endless")));
                if response { capture.conversation.response_bytes(piece) } else { capture.conversation.request_bytes(piece) }
                rest = later;
            }
        }
        capture.conversation.response_closed();
        expect_all(&capture.messages());
    }

    #[test]
    fn any_bytes_are_followed_without_a_panic(requests in proptest::collection::vec(any::<u8>(), 0..300), responses in proptest::collection::vec(any::<u8>(), 0..300), step in 1usize..50) {
        let mut capture = start_capture();
        capture.conversation.request_bytes(REQUESTS[3]);
        for (request, response) in requests.chunks(step).zip(responses.chunks(step)) {
            capture.conversation.request_bytes(request);
            capture.conversation.response_bytes(response);
        }
        capture.conversation.response_closed();
    }
}

/// Sender, kind, text of every frame.
fn frames(capture: &Capture) -> (Vec<(String, String, String)>, serde_json::Value) {
    let exchange = capture.store.page(u64::MAX, 1).remove(0);
    let page = serde_json::json!(view::frames(&exchange, 0, 1000));
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let list = page["frames"].as_array().expect("a list").iter();
    (list.map(|frame| (text(&frame["from"]), text(&frame["kind"]), text(&frame["text"]))).collect(), page)
}

const HANDSHAKE: &[u8] = b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
const SWITCH: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n\r\n";

#[test]
fn websocket_messages_are_frames_in_any_split() {
    let sent_by_service = [SWITCH, b"\x81\x05hello\x89\x01p"].concat();
    let sent_by_visitor = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58\x88\x02\x03\xe8";
    for step in 1..sent_by_service.len() {
        let mut capture = start_capture();
        capture.conversation.request_bytes(HANDSHAKE);
        sent_by_service.chunks(step).for_each(|piece| capture.conversation.response_bytes(piece));
        sent_by_visitor.chunks(step).for_each(|piece| capture.conversation.request_bytes(piece));
        let (list, page) = frames(&capture);
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
        capture.conversation.connection_closed();
        assert_eq!(capture.messages()[0].1.as_deref(), Some(SWITCH), "the response is its head");
        drop(capture.conversation);
        let exchange = capture.store.page(u64::MAX, 1).remove(0);
        assert!(!exchange.summary().open);
        capture.store.clear();
        assert_eq!(capture.store.bytes(), 0, "the budget counted everything");
    }
}

#[test]
fn an_invalid_websocket_has_an_error_and_a_compressed_message_is_marked() {
    let mut capture = start_capture();
    capture.conversation.request_bytes(HANDSHAKE);
    capture.conversation.response_bytes(&[SWITCH, b"\xc1\x03abc\xff\xffjunk"].concat());
    let (_, page) = frames(&capture);
    assert_eq!((&page["frames"][0]["compressed"], &page["frames"][0]["base64"]), (&true.into(), &"YWJj".into()));
    assert!(page["error"].as_str().expect("an error").contains("not valid WebSocket frames"), "{page}");
    let mut capture = start_capture();
    capture.conversation.request_bytes(HANDSHAKE);
    capture.conversation.request_bytes(b"\x81\x00");
    capture.conversation.response_bytes(&[SWITCH, b"\x81\x01a"].concat());
    let (list, page) = frames(&capture);
    assert_eq!((list.len(), page["error"].is_string()), (1, true), "{page}");
}

#[test]
fn events_of_a_chunked_body_are_frames() {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body: String = "event: tick\ndata: 1\n\n: ping\n\ndata: é\ndata: 2\n\n"
        .chars()
        .map(|c| format!("{:x}\r\n{c}\r\n", c.len_utf8()))
        .collect();
    let sent_by_service = format!("{head}{body}");
    for step in 1..60 {
        let mut capture = start_capture();
        capture.conversation.request_bytes(REQUESTS[0]);
        sent_by_service.as_bytes().chunks(step).for_each(|piece| capture.conversation.response_bytes(piece));
        let (list, page) = frames(&capture);
        assert_eq!(list.len(), 3, "{step}: {page}");
        assert_eq!(page["frames"][0]["event"], serde_json::json!({"event": "tick", "id": null, "data": "1"}));
        assert_eq!(page["frames"][2]["event"]["data"], "é\n2");
        assert_eq!(page["open"], true);
        capture.conversation.response_bytes(b"0\r\n\r\n");
        assert_eq!(frames(&capture).1["open"], false);
        assert_eq!(
            capture.messages()[0].1.as_deref(),
            Some(format!("{sent_by_service}0\r\n\r\n").as_bytes()),
            "the body is kept as well"
        );
    }
}

#[test]
fn frames_stay_within_the_body_limit_and_the_newest_are_kept() {
    let mut capture = start_capture();
    let other = capture.store.begin(
        RequestInfo::new(
            capture.conversation.observer.tunnel.clone(),
            RequestTexts { method: "GET", target: "/other", ..RequestTexts::default() },
        ),
        REQUESTS[0],
        &BodyFraming::Length(0),
    );
    capture.conversation.request_bytes(HANDSHAKE);
    capture.conversation.response_bytes(SWITCH);
    let mut frame = vec![0x82, 127, 0, 0, 0, 0, 0, 0, 0x75, 0x30];
    frame.extend_from_slice(&[7; 30_000]);
    for number in 0..2000 {
        if number % 2 == 0 {
            capture.conversation.response_bytes(&frame)
        } else {
            capture.conversation.response_bytes(b"\x81\x01x")
        }
        assert!(capture.store.bytes() <= 3 << 20, "{}", capture.store.bytes());
    }
    let page = frames(&capture).1;
    assert_eq!(
        (page["count"].as_u64(), page["frames"].as_array().expect("a list").last().expect("one")["number"].as_u64()),
        (Some(2000), Some(2000))
    );
    assert!(page["dropped"].as_u64().expect("a number") > 1500, "{}", page["dropped"]);
    let large = page["frames"].as_array().expect("a list").iter().find(|frame| frame["length"] == 30_000).expect("one");
    assert_eq!(large["cut"], true);
    assert!(capture.store.get(&crate::capture::exchange::shown_id(other.id)).is_some(), "others are not evicted");
    let second = view::frames(&capture.store.page(u64::MAX, 1)[0], 1990, 5);
    assert_eq!((second.frames.len(), second.next), (5, Some(1995)));
    drop(capture.conversation);
    capture.store.clear();
    assert_eq!(capture.store.bytes(), 0);
}
