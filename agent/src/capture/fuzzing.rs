//! The properties that the fuzz targets of captured connections check.

mod http2;

pub use http2::capture_http2;

use super::{
    CaptureStore, Exchange, TunnelTag,
    event::event_channel,
    sniffer::{Conversation, Observer},
    view,
};
use crate::metrics::Meter;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use std::sync::Arc;

/// Separates the visitor's bytes from those of the local service.
const DIVIDER: u8 = 0xff;

/// A captured request with its response.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CapturedPair {
    method: String,
    target: String,
    status: String,
    request: Vec<u8>,
    response: Vec<u8>,
    whole: bool,
    failed: bool,
}

/// Captures both directions of a connection in pieces whose size the first byte chooses. The same requests are captured
/// for any split, each as it passed, and a request that passed whole is captured alike on a connection of its own.
pub fn capture(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let divider = bytes.iter().position(|byte| *byte == DIVIDER).unwrap_or(bytes.len());
    let (requests_sent, responses_sent) = (&bytes[..divider], bytes.get(divider + 1..).unwrap_or_default());
    let whole = capture_all(requests_sent, responses_sent, usize::MAX);
    let split = capture_all(requests_sent, responses_sent, usize::from(size) + 1);
    assert_eq!(whole.len(), split.len());
    for (whole, split) in whole.iter().zip(&split) {
        if whole.failed {
            // More of a malformed message is captured in small pieces than in large ones.
            assert!(split.failed && split.request.starts_with(&whole.request), "{whole:?} {split:?}");
            assert!(split.response.starts_with(&whole.response), "{whole:?} {split:?}");
        } else {
            assert_eq!(whole, split);
        }
    }
    let (mut requests, mut responses) = (requests_sent, responses_sent);
    for pair in whole {
        requests = after(requests, &pair.request);
        responses = after(responses, &pair.response);
        if pair.whole && !pair.failed {
            assert_eq!(capture_all(&pair.request, &pair.response, usize::MAX), [pair]);
        }
    }
}

/// The bytes that follow a part.
fn after<'a>(bytes: &'a [u8], part: &[u8]) -> &'a [u8] {
    let found = (0..=bytes.len() - part.len().min(bytes.len())).find(|at| bytes[*at..].starts_with(part));
    &bytes[found.expect("what was captured has passed, in this order") + part.len()..]
}

/// The owner of a connection that is captured into this store.
fn observer(store: &Arc<CaptureStore>, http2: bool) -> Observer {
    Observer {
        store: Some(store.clone()),
        meter: Arc::new(Meter::default()),
        tunnel: Arc::new(TunnelTag { definition: "site".to_owned(), proto: "https" }),
        remote: "192.0.2.1:9".to_owned(),
        replay_of: None,
        through_edge: false,
        http2,
        notes: None,
    }
}

/// Captures into a store of its own. Returns what `read` makes of each exchange, oldest first.
fn captured<T>(follow: impl FnOnce(&Arc<CaptureStore>), read: impl Fn(&Exchange) -> T) -> Vec<T> {
    let store = Arc::new(CaptureStore::new(Some(10 << 20), 1 << 20, event_channel()));
    follow(&store);
    let mut list = store.page(u64::MAX, 1000);
    list.reverse();
    for exchange in &list {
        assert!(exchange.summary().duration.is_some(), "every exchange ends");
    }
    let all = list.iter().map(|exchange| read(exchange)).collect();
    store.clear();
    assert_eq!(store.bytes(), 0, "all memory is given back");
    all
}

/// Captures both directions of a connection of HTTP/1 in pieces of a size.
fn follow_http1(store: &Arc<CaptureStore>, requests_sent: &[u8], responses_sent: &[u8], size: usize) {
    let mut conversation = Conversation::new(observer(store, false));
    requests_sent.chunks(size).for_each(|piece| conversation.request_bytes(piece));
    responses_sent.chunks(size).for_each(|piece| conversation.response_bytes(piece));
    conversation.response_closed();
}

/// All captured requests, oldest first.
fn capture_all(requests_sent: &[u8], responses_sent: &[u8], size: usize) -> Vec<CapturedPair> {
    let follow = |store: &Arc<CaptureStore>| follow_http1(store, requests_sent, responses_sent, size);
    captured(follow, |exchange| {
        let shown = json!(view::detail(exchange, view::RawPart::Whole));
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let raw = |side: &str| STANDARD.decode(text(&shown[side]["raw"])).expect("base64");
        CapturedPair {
            method: text(&shown["request"]["method"]),
            target: text(&shown["request"]["uri"]),
            status: text(&shown["response"]["status"]),
            request: raw("request"),
            response: raw("response"),
            whole: shown["complete"]["request"] == true && shown["complete"]["response"] == true,
            failed: !shown["error"].is_null(),
        }
    })
}
