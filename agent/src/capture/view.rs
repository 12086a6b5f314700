//! A captured request as the API shows it. The raw bytes are parsed here, when somebody looks, and nowhere else.

use super::{
    exchange::{Exchange, Facts, Timing, nanoseconds, shown_id, status_line},
    frames::{Frame, Kind, Sender, events::fields},
    head::{MAX_HEADERS, text_of},
    message::Message,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value as Json, json};

/// How much of a message `raw` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// Head and body.
    Whole,
    /// The head alone, for those who read bodies by range.
    Head,
}

/// The whole captured request: contract's fields, then ours.
pub fn detail(exchange: &Exchange, raw: Raw) -> Json {
    let encoded = |message: &Message| match raw {
        Raw::Whole => STANDARD.encode(message.wire()),
        Raw::Head => STANDARD.encode(message.head()),
    };
    let facts = exchange.facts();
    let reason = exchange.reason();
    let (request, response) = exchange.messages();
    let (proto, headers) = request_head(&request.head());
    let response_cut = response.as_ref().is_some_and(|response| response.cut);
    let answer = response.map(|response| {
        let (proto, headers) = response_head(&response.head());
        let code = facts.status.unwrap_or_default();
        json!({
            "status": status_line(code, &reason),
            "status_code": code,
            "proto": proto,
            "headers": headers,
            "raw": encoded(&response),
            "body_size": response.body_size(),
        })
    });
    let id = shown_id(exchange.id);
    let told = exchange.opening.trace.as_deref().and_then(trace);
    let timing = timing(&facts, told.as_ref());
    json!({
        "uri": format!("/api/requests/http/{id}"),
        "id": id,
        "tunnel_name": exchange.opening.tunnel.shown(),
        "remote_addr": exchange.opening.remote(),
        "start": exchange.start.to_string(),
        "duration": facts.duration.map_or(0, nanoseconds),
        "request": {
            "method": exchange.opening.method(),
            "proto": proto,
            "headers": headers,
            "uri": exchange.opening.target(),
            "raw": encoded(&request),
            "body_size": request.body_size(),
        },
        "response": answer,
        "replay_of": exchange.opening.replay_of.map(shown_id),
        "replay_through": exchange.opening.replayed_through(),
        "trace": told,
        "timing": timing,
        "cut": {"request": request.cut, "response": response_cut},
        "complete": {"request": request.complete, "response": facts.duration.is_some() && facts.error.is_none()},
        "error": facts.error.as_deref(),
        "pinned": facts.pinned,
        "note": facts.note.as_deref(),
        "imported": exchange.opening.imported,
        "frames": facts.frames.map(|(count, _)| count),
        "open": facts.duration.is_none() || facts.frames.is_some_and(|(_, open)| open),
    })
}

/// Frames behind one, at most so many, and how it stands with the others.
pub fn frames(exchange: &Exchange, after: u64, limit: usize) -> Json {
    let Some(found) = exchange.frames_after(after, limit) else {
        return json!({"frames": [], "next": null, "dropped": 0, "count": 0, "open": false, "error": null});
    };
    let last = found.page.last().map(|frame| frame.number);
    json!({
        "frames": found.page.iter().map(|frame| shown_frame(exchange, frame)).collect::<Vec<_>>(),
        "next": last.filter(|last| *last < found.count),
        "dropped": found.dropped,
        "count": found.count,
        "open": found.open,
        "error": found.lost,
    })
}

fn shown_frame(exchange: &Exchange, frame: &Frame) -> Json {
    let text = if frame.compressed { None } else { std::str::from_utf8(&frame.data).ok() };
    let mut shown = json!({
        "number": frame.number,
        "time": exchange.start.checked_add(frame.at).unwrap_or(exchange.start).to_string(),
        "offset": nanoseconds(frame.at),
        "from": if frame.sender == Sender::Visitor { "visitor" } else { "service" },
        "kind": frame.kind.word(),
        "last": frame.last,
        "compressed": frame.compressed,
        "length": frame.length,
        "cut": (frame.data.len() as u64) < frame.length,
        "text": text,
        "base64": if text.is_none() { Some(STANDARD.encode(&frame.data)) } else { None },
    });
    if let (Kind::Event, Some(text)) = (frame.kind, text) {
        let (event, id, data) = fields(text);
        shown["event"] = json!({"event": event, "id": id, "data": data});
    }
    shown
}

/// Where the time went, in nanoseconds; null for what was not measured. The edge's stages come before the request's head
/// was seen here; everything from `sent` on is counted from there.
fn timing(facts: &Facts, told: Option<&Json>) -> Json {
    let edge = |name: &str| told.and_then(|told| told.get(name)?.as_u64()).map(|micros| micros.saturating_mul(1000));
    let modules = told.and_then(|told| told.get("decisions")?.as_array()).map(|decisions| {
        let took = decisions.iter().filter_map(|decision| decision.get("microseconds")?.as_u64());
        took.fold(0u64, u64::saturating_add).saturating_mul(1000)
    });
    let Timing { transit, connect, sent, first_byte } = facts.timing;
    json!({
        "edge": edge("microseconds"),
        "modules": modules,
        "queue": edge("queue_microseconds"),
        "transit": transit.map(nanoseconds),
        "connect": connect.map(nanoseconds),
        "sent": sent.map(nanoseconds),
        "first_byte": first_byte.map(nanoseconds),
        "last_byte": facts.duration.map(nanoseconds),
    })
}

/// What the edge said about the way of the request, if it can be understood.
fn trace(note: &[u8]) -> Option<Json> {
    serde_json::from_slice(note).ok().filter(Json::is_object)
}

fn request_head(raw: &[u8]) -> (String, Json) {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let _ = request.parse(raw);
    (proto(request.version), grouped(request.headers))
}

fn response_head(raw: &[u8]) -> (String, Json) {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let _ = response.parse(raw);
    (proto(response.version), grouped(response.headers))
}

fn proto(version: Option<u8>) -> String {
    format!("HTTP/1.{}", version.unwrap_or(1))
}

/// Names as they were first written, with all their values in order.
fn grouped(headers: &[httparse::Header<'_>]) -> Json {
    let mut groups: Map<String, Json> = Map::new();
    for header in headers.iter().filter(|header| !header.name.is_empty()) {
        let known = groups.keys().find(|name| name.eq_ignore_ascii_case(header.name)).cloned();
        let values = groups.entry(known.unwrap_or_else(|| header.name.to_owned())).or_insert_with(|| json!([]));
        if let Some(values) = values.as_array_mut() {
            values.push(text_of(header.value).into());
        }
    }
    Json::Object(groups)
}
