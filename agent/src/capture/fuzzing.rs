//! What the fuzz target of captured connections checks.

use super::{
    CaptureStore, TunnelTag,
    event::feed,
    sniffer::{Conversation, Observer},
    view,
};
use crate::metrics::Meter;
use base64::{Engine, engine::general_purpose::STANDARD};
use std::sync::Arc;

/// Divides what the visitor says from what the local service says.
const DIVIDER: u8 = 0xff;

/// A captured request with its response.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    method: String,
    target: String,
    status: String,
    request: Vec<u8>,
    response: Vec<u8>,
    whole: bool,
    failed: bool,
}

/// Both directions of a connection, in pieces whose size the first byte chooses: the same requests are captured wherever
/// the bytes are split, each as it passed, and one that passed whole is captured alike when it is alone.
pub fn capture(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let divider = bytes.iter().position(|byte| *byte == DIVIDER).unwrap_or(bytes.len());
    let (said, answered) = (&bytes[..divider], bytes.get(divider + 1..).unwrap_or_default());
    let whole = watch(said, answered, usize::MAX);
    let seen = watch(said, answered, usize::from(size) + 1);
    assert_eq!(whole.len(), seen.len());
    for (whole, seen) in whole.iter().zip(&seen) {
        if whole.failed {
            // Of what cannot be followed more is seen in small pieces than in large ones.
            assert!(seen.failed && seen.request.starts_with(&whole.request), "{whole:?} {seen:?}");
            assert!(seen.response.starts_with(&whole.response), "{whole:?} {seen:?}");
        } else {
            assert_eq!(whole, seen);
        }
    }
    let (mut requests, mut responses) = (said, answered);
    for seen in whole {
        requests = behind(requests, &seen.request);
        responses = behind(responses, &seen.response);
        if seen.whole && !seen.failed {
            assert_eq!(watch(&seen.request, &seen.response, usize::MAX), [seen]);
        }
    }
}

/// What follows a part.
fn behind<'a>(bytes: &'a [u8], part: &[u8]) -> &'a [u8] {
    let found = (0..=bytes.len() - part.len().min(bytes.len())).find(|at| bytes[*at..].starts_with(part));
    &bytes[found.expect("what was captured has passed, in this order") + part.len()..]
}

/// What is captured, the oldest first.
fn watch(said: &[u8], answered: &[u8], size: usize) -> Vec<Seen> {
    let store = Arc::new(CaptureStore::new(Some(10 << 20), 1 << 20, feed()));
    let observer = Observer {
        store: Some(store.clone()),
        meter: Arc::new(Meter::default()),
        tunnel: Arc::new(TunnelTag { definition: "site".to_owned(), proto: "https" }),
        remote: "192.0.2.1:9".to_owned(),
        replay_of: None,
        through_edge: false,
        notes: None,
    };
    let mut conversation = Conversation::new(observer);
    said.chunks(size).for_each(|piece| conversation.request_bytes(piece));
    answered.chunks(size).for_each(|piece| conversation.response_bytes(piece));
    conversation.response_closed();
    drop(conversation);
    let mut list = store.page(u64::MAX, 1000);
    list.reverse();
    let seen = list.iter().map(|exchange| {
        let shown = view::detail(exchange, view::Raw::Whole);
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let raw = |side: &str| STANDARD.decode(text(&shown[side]["raw"])).expect("base64");
        assert!(exchange.summary().json()["duration"].is_u64(), "nothing is awaited for ever");
        Seen {
            method: text(&shown["request"]["method"]),
            target: text(&shown["request"]["uri"]),
            status: text(&shown["response"]["status"]),
            request: raw("request"),
            response: raw("response"),
            whole: shown["complete"]["request"] == true && shown["complete"]["response"] == true,
            failed: !shown["error"].is_null(),
        }
    });
    let seen = seen.collect();
    store.clear();
    assert_eq!(store.bytes(), 0, "all memory is given back");
    seen
}
