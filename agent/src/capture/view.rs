//! The whole form of a captured request. The raw bytes are parsed here, on demand, and nowhere else.

use super::{
    exchange::{Exchange, ExchangeFacts, ExchangeTiming, nanoseconds, shown_id, status_line},
    frames::{CapturedFrame, FrameKind, events::parse_fields},
    head::{MAX_HEADERS, decode_value},
    message::CapturedMessage,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::local::{
    CaptureTiming, CapturedRequest, CapturedRequestMessage, CapturedResponseMessage, EventFields, FrameList, FrameView,
    MessageFlags,
};
use serde_json::{Map, Value as Json, json};

/// The part of a message that `raw` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawPart {
    /// Head and body.
    Whole,
    /// The head alone, for clients that read bodies by range.
    Head,
}

/// The whole form of a captured request.
pub fn detail(exchange: &Exchange, raw: RawPart) -> CapturedRequest {
    let encoded = |message: &CapturedMessage| match raw {
        RawPart::Whole => STANDARD.encode(message.wire()),
        RawPart::Head => STANDARD.encode(message.head()),
    };
    let facts = exchange.facts();
    let reason = exchange.reason();
    let (request, response) = exchange.messages();
    let (proto, headers) = request_head(&request.head());
    let proto = shown_proto(exchange, proto);
    let response_cut = response.as_ref().is_some_and(|response| response.cut);
    let response = response.map(|response| {
        let (proto, headers) = response_head(&response.head());
        let proto = shown_proto(exchange, proto);
        let code = facts.status.unwrap_or_default();
        CapturedResponseMessage {
            status: status_line(code, &reason),
            status_code: code,
            proto,
            headers,
            raw: encoded(&response),
            body_size: response.body_size() as u64,
        }
    });
    let id = shown_id(exchange.id);
    let trace = exchange.info.trace.as_deref().and_then(parse_trace);
    let timing = timing(&facts, trace.as_ref());
    CapturedRequest {
        uri: format!("/api/requests/http/{id}"),
        id,
        tunnel_name: exchange.info.tunnel.shown(),
        remote_addr: exchange.info.remote().to_owned(),
        start: exchange.start.to_string(),
        duration: facts.duration.map_or(0, nanoseconds),
        request: CapturedRequestMessage {
            method: exchange.info.method().to_owned(),
            proto,
            headers,
            uri: exchange.info.target().to_owned(),
            raw: encoded(&request),
            body_size: request.body_size() as u64,
        },
        response,
        replay_of: exchange.info.replay_of.map(shown_id),
        replay_through: exchange.info.replayed_through(),
        trace,
        timing,
        cut: MessageFlags { request: request.cut, response: response_cut },
        complete: MessageFlags {
            request: request.complete,
            response: facts.duration.is_some() && facts.error.is_none(),
        },
        error: facts.error.as_deref().map(str::to_owned),
        pinned: facts.pinned,
        note: facts.note.as_deref().map(str::to_owned),
        imported: exchange.info.imported,
        frames: facts.frames.map(|(count, _)| count),
        open: facts.duration.is_none() || facts.frames.is_some_and(|(_, open)| open),
    }
}

/// At most `limit` frames after the number `after`, with the counters of all of them.
pub fn frames(exchange: &Exchange, after: u64, limit: usize) -> FrameList {
    let uri = format!("/api/requests/http/{}/frames", shown_id(exchange.id));
    let Some(found) = exchange.frames_after(after, limit) else {
        return FrameList { frames: Vec::new(), next: None, dropped: 0, count: 0, open: false, error: None, uri };
    };
    let last = found.page.last().map(|frame| frame.number);
    FrameList {
        frames: found.page.iter().map(|frame| frame_view(exchange, frame)).collect(),
        next: last.filter(|last| *last < found.count),
        dropped: found.dropped,
        count: found.count,
        open: found.open,
        error: found.lost.map(str::to_owned),
        uri,
    }
}

fn frame_view(exchange: &Exchange, frame: &CapturedFrame) -> FrameView {
    let text = if frame.compressed { None } else { std::str::from_utf8(&frame.data).ok() };
    let event = text.filter(|_| frame.kind == FrameKind::Event).map(|text| {
        let (event, id, data) = parse_fields(text);
        EventFields { event, id, data }
    });
    FrameView {
        number: frame.number,
        time: exchange.start.checked_add(frame.at).unwrap_or(exchange.start).to_string(),
        offset: nanoseconds(frame.at),
        from: frame.sender,
        kind: frame.kind,
        last: frame.last,
        compressed: frame.compressed,
        length: frame.length,
        cut: (frame.data.len() as u64) < frame.length,
        text: text.map(str::to_owned),
        base64: text.is_none().then(|| STANDARD.encode(&frame.data)),
        event,
    }
}

/// Durations in nanoseconds. The edge's stages come before the arrival of the request's head; everything from `sent` on
/// is counted from there.
fn timing(facts: &ExchangeFacts, trace: Option<&Json>) -> CaptureTiming {
    let edge = |name: &str| trace.and_then(|trace| trace.get(name)?.as_u64()).map(|micros| micros.saturating_mul(1000));
    let modules = trace.and_then(|trace| trace.get("decisions")?.as_array()).map(|decisions| {
        let durations = decisions.iter().filter_map(|decision| decision.get("microseconds")?.as_u64());
        durations.fold(0u64, u64::saturating_add).saturating_mul(1000)
    });
    let ExchangeTiming { transit, connect, sent, first_byte } = facts.timing;
    CaptureTiming {
        edge: edge("microseconds"),
        modules,
        queue: edge("queue_microseconds"),
        transit: transit.map(nanoseconds),
        connect: connect.map(nanoseconds),
        sent: sent.map(nanoseconds),
        first_byte: first_byte.map(nanoseconds),
        last_byte: facts.duration.map(nanoseconds),
    }
}

/// The edge's trace, if it is a JSON object.
fn parse_trace(note: &[u8]) -> Option<Json> {
    serde_json::from_slice(note).ok().filter(Json::is_object)
}

/// The version of a message; `proto` is that of its form.
fn shown_proto(exchange: &Exchange, proto: String) -> String {
    if exchange.info.http2 { "HTTP/2.0".to_owned() } else { proto }
}

fn request_head(raw: &[u8]) -> (String, Map<String, Json>) {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let _ = request.parse(raw);
    (proto(request.version), grouped(request.headers))
}

fn response_head(raw: &[u8]) -> (String, Map<String, Json>) {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let _ = response.parse(raw);
    (proto(response.version), grouped(response.headers))
}

fn proto(version: Option<u8>) -> String {
    format!("HTTP/1.{}", version.unwrap_or(1))
}

/// All values of each header in order, under the name as it was first written.
fn grouped(headers: &[httparse::Header<'_>]) -> Map<String, Json> {
    let mut groups: Map<String, Json> = Map::new();
    for header in headers.iter().filter(|header| !header.name.is_empty()) {
        let known = groups.keys().find(|name| name.eq_ignore_ascii_case(header.name)).cloned();
        let values = groups.entry(known.unwrap_or_else(|| header.name.to_owned())).or_insert_with(|| json!([]));
        if let Some(values) = values.as_array_mut() {
            values.push(decode_value(header.value).into());
        }
    }
    groups
}
