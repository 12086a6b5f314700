//! Captured requests as entries of a HAR file. Facts that HAR has no member for are in members that begin with `_`.

use crate::capture::{
    exchange::{Exchange, shown_id},
    export::{Secrets, secrets::version},
    head::decode_value,
    message::CapturedMessage,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value as Json, json};
use std::time::Duration;

/// The text before the first entry.
pub fn header() -> String {
    let creator = json!({"name": "Postern", "version": env!("CARGO_PKG_VERSION")});
    format!(r#"{{"log":{{"version":"1.2","creator":{creator},"entries":["#)
}

/// The text after the last entry.
pub fn footer() -> &'static str {
    "]}}"
}

/// The entry of one captured request.
pub fn entry(exchange: &Exchange, secrets: Secrets<'_>) -> Json {
    let facts = exchange.facts();
    let info = &exchange.info;
    let (request, response) = exchange.messages();
    let scheme = info.tunnel.proto;
    let target = secrets.url(info.target());
    let url = match target.starts_with('/') {
        true => format!("{scheme}://{}{target}", info.host()),
        false => format!("{scheme}://{}/", info.host()),
    };
    let headers = secrets.headers(&request);
    let content = request.content_bytes();
    let mut sent = json!({
        "method": info.method(),
        "url": url,
        "httpVersion": http_version(exchange, &request),
        "cookies": cookies(&headers, "cookie"),
        "headers": header_list(&headers),
        "queryString": query(&target),
        "headersSize": request.head_length(),
        "bodySize": content.len(),
        "_target": target,
        "_cut": request.cut,
        "_complete": request.complete,
    });
    if !content.is_empty()
        && let Some(members) = sent.as_object_mut()
    {
        members.insert("postData".into(), post_data(&headers, &content));
    }
    let milliseconds = |duration: Option<Duration>| duration.map_or(0.0, |duration| duration.as_secs_f64() * 1000.0);
    // The duration begins when the service is connected; the time of HAR is the sum of all its parts.
    let duration = milliseconds(facts.duration);
    let answered = facts.timing.first_byte.map_or(duration, |first| milliseconds(Some(first)).min(duration));
    let send = milliseconds(facts.timing.sent).min(answered);
    let connect = facts.timing.connect.map(|connect| milliseconds(Some(connect)));
    json!({
        "startedDateTime": exchange.start.to_string(),
        "time": connect.unwrap_or(0.0) + duration,
        "request": sent,
        "response": response.as_ref().map_or_else(no_response, |response| response_json(exchange, response, secrets)),
        "cache": {},
        "timings": {
            "blocked": -1,
            "dns": -1,
            "connect": connect.unwrap_or(-1.0),
            "send": send,
            "wait": answered - send,
            "receive": duration - answered,
            "ssl": -1,
        },
        "comment": facts.note.as_deref().unwrap_or_default(),
        "_id": shown_id(exchange.id),
        "_tunnel": info.tunnel.definition,
        "_remote_addr": info.remote(),
        "_duration": facts.duration.map(crate::capture::exchange::nanoseconds),
        "_error": facts.error.as_deref(),
        "_answered": response.is_some(),
        "_replay_of": info.replay_of.map(shown_id),
    })
}

fn response_json(exchange: &Exchange, response: &CapturedMessage, secrets: Secrets<'_>) -> Json {
    let headers = secrets.headers(response);
    let content = response.content_bytes();
    let find = |name: &str| {
        headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| decode_value(value))
    };
    let mut body = Map::new();
    body.insert("size".into(), content.len().into());
    body.insert("mimeType".into(), find("content-type").unwrap_or_else(|| "application/octet-stream".into()).into());
    let (text, encoding) = text(&content);
    body.insert("text".into(), text.into());
    if let Some(encoding) = encoding {
        body.insert("encoding".into(), encoding.into());
    }
    json!({
        "status": exchange.facts().status.unwrap_or_default(),
        "statusText": exchange.reason(),
        "httpVersion": http_version(exchange, response),
        "cookies": cookies(&headers, "set-cookie"),
        "headers": header_list(&headers),
        "content": body,
        "redirectURL": find("location").unwrap_or_default(),
        "headersSize": response.head_length(),
        "bodySize": content.len(),
        "_cut": response.cut,
        "_complete": response.complete,
    })
}

/// The version of a message as it passed, whatever the form in which it is stored.
fn http_version(exchange: &Exchange, message: &CapturedMessage) -> String {
    if exchange.info.http2 { "HTTP/2.0".to_owned() } else { version(message).to_owned() }
}

/// The response of a request that got none.
fn no_response() -> Json {
    json!({
        "status": 0, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
        "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
    })
}

fn header_list(headers: &[(String, Vec<u8>)]) -> Vec<Json> {
    let header = |(name, value): &(String, Vec<u8>)| {
        let mut member = json!({"name": name, "value": decode_value(value)});
        if let (Err(_), Some(members)) = (std::str::from_utf8(value), member.as_object_mut()) {
            members.insert("_latin1".into(), true.into());
        }
        member
    };
    headers.iter().map(header).collect()
}

/// Names and values of cookies. The attributes of `Set-Cookie` are only in the headers.
fn cookies(headers: &[(String, Vec<u8>)], name: &str) -> Vec<Json> {
    let mut cookies = Vec::new();
    for (_, value) in headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)) {
        let text = decode_value(value);
        let pairs = text.split(';').take(if name == "set-cookie" { 1 } else { usize::MAX });
        for (name, value) in pairs.filter_map(|pair| pair.split_once('=')) {
            cookies.push(json!({"name": name.trim(), "value": value.trim()}));
        }
    }
    cookies
}

fn query(target: &str) -> Vec<Json> {
    let Some((_, query)) = target.split_once('?') else { return Vec::new() };
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.map(|(name, value)| json!({"name": name, "value": value})).collect()
}

fn post_data(headers: &[(String, Vec<u8>)], content: &[u8]) -> Json {
    let kind = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let (text, encoding) = text(content);
    let mut data = json!({"mimeType": kind.map(|(_, value)| decode_value(value)).unwrap_or_default(), "text": text});
    if let (Some(encoding), Some(members)) = (encoding, data.as_object_mut()) {
        members.insert("_encoding".into(), encoding.into());
    }
    data
}

/// Valid UTF-8 as it is, anything else in Base64.
fn text(content: &[u8]) -> (String, Option<&'static str>) {
    match std::str::from_utf8(content) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (STANDARD.encode(content), Some("base64")),
    }
}
