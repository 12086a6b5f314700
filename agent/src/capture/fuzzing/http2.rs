//! The properties of captured HTTP/2 connections.

use super::{captured, follow_http1, observer};
use crate::capture::{
    CaptureStore, Exchange,
    http2::Http2Conversation,
    message::{CapturedHeader, CapturedMessage},
    sniffer::ConnectTiming,
};
use std::sync::Arc;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const FRAME_HEAD_BYTES: usize = 9;
const HEADERS: u8 = 1;
/// The bit of a segment's first byte that says who sends it; the others are its length.
const OF_SERVICE: u8 = 0x80;

/// A captured request with its response, whose bodies have no transfer coding.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CapturedStream {
    method: String,
    target: String,
    status: Option<u16>,
    request: (Vec<CapturedHeader>, Vec<u8>),
    response: Option<(Vec<CapturedHeader>, Vec<u8>)>,
    is_whole: bool,
    error: Option<String>,
    /// Both messages in the form of HTTP/1.1.
    wire: [Vec<u8>; 2],
}

/// Captures a connection whose bytes come in segments of both directions, each behind its length, and in smaller pieces
/// whose size the first byte chooses. The same requests are captured for any split, no more than header blocks were
/// sent, and what passed whole is read alike as HTTP/1.1.
pub fn capture_http2(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let segments = segments(bytes);
    let whole = capture_all(&segments, usize::MAX);
    let split = capture_all(&segments, usize::from(size) + 1);
    assert_eq!(whole.len(), split.len());
    for (whole, split) in whole.iter().zip(&split) {
        // The chunks of a body are as long as the pieces in which it passed.
        assert_eq!(CapturedStream { wire: split.wire.clone(), ..whole.clone() }, *split);
    }
    let sent: Vec<u8> = segments.iter().filter(|segment| !segment.0).flat_map(|segment| segment.1).copied().collect();
    assert!(whole.len() <= header_frames(&sent), "no body is taken for a request: {whole:?}");
    for stream in whole.into_iter().filter(|stream| stream.is_whole && stream.error.is_none()) {
        // The tunnel that CONNECT asks for has no form in HTTP/1.1 that ends with its stream.
        if stream.method != "CONNECT" {
            let [request, response] = &stream.wire;
            assert_eq!(captured(|store| follow_http1(store, request, response, usize::MAX), read), [stream]);
        }
    }
}

/// The segments, each with whether the service sends it.
fn segments(mut bytes: &[u8]) -> Vec<(bool, &[u8])> {
    let mut segments = Vec::new();
    while let Some((&first, rest)) = bytes.split_first() {
        let (segment, rest) = rest.split_at(rest.len().min(usize::from(first & !OF_SERVICE)));
        segments.push((first & OF_SERVICE != 0, segment));
        bytes = rest;
    }
    segments
}

/// The number of HEADERS frames that were begun.
fn header_frames(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some([a, b, c, kind, ..]) = bytes.get(..FRAME_HEAD_BYTES) {
        count += usize::from(*kind == HEADERS);
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        bytes = bytes.get(FRAME_HEAD_BYTES + length..).unwrap_or_default();
    }
    count
}

fn capture_all(segments: &[(bool, &[u8])], size: usize) -> Vec<CapturedStream> {
    let follow = |store: &Arc<CaptureStore>| {
        let mut conversation = Http2Conversation::new(observer(store, true), ConnectTiming::default());
        conversation.request_bytes(PREFACE);
        for (of_service, segment) in segments {
            for piece in segment.chunks(size) {
                if *of_service { conversation.response_bytes(piece) } else { conversation.request_bytes(piece) }
            }
        }
    };
    captured(follow, read)
}

fn read(exchange: &Exchange) -> CapturedStream {
    let (request, response) = exchange.messages();
    let facts = exchange.facts();
    let content = |message: &CapturedMessage| (message.headers(), message.content_bytes());
    let wire = |message: Option<&CapturedMessage>| message.map(CapturedMessage::wire).unwrap_or_default();
    CapturedStream {
        method: exchange.info.method().to_owned(),
        target: exchange.info.target().to_owned(),
        status: facts.status,
        request: content(&request),
        response: response.as_ref().map(content),
        is_whole: request.complete && response.as_ref().is_some_and(|response| response.complete),
        error: facts.error.map(|error| error.to_string()),
        wire: [wire(Some(&request)), wire(response.as_ref())],
    }
}
