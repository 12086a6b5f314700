//! Import of HAR files: entries become captured requests. All entries are checked before the first is stored.

use crate::capture::{
    CaptureStore, TunnelTag,
    exchange::{Exchange, ExchangeTiming, RequestInfo, RequestTexts, Side, parse_id},
    head::{MAX_HEAD_BYTES, RequestHead, ResponseHead},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use serde::Deserialize;
use std::{sync::Arc, time::Duration};

#[derive(Deserialize)]
struct HarFile {
    log: HarLog,
}

#[derive(Deserialize)]
struct HarLog {
    entries: Vec<HarEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarEntry {
    started_date_time: String,
    #[serde(default)]
    time: f64,
    #[serde(default)]
    timings: HarTimings,
    request: HarRequest,
    response: HarResponse,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default, rename = "_tunnel")]
    tunnel: Option<String>,
    #[serde(default, rename = "_remote_addr")]
    remote: Option<String>,
    #[serde(default, rename = "_duration")]
    duration: Option<u64>,
    #[serde(default, rename = "_error")]
    error: Option<String>,
    #[serde(default, rename = "_answered")]
    answered: Option<bool>,
    #[serde(default, rename = "_replay_of")]
    replay_of: Option<String>,
}

/// Milliseconds; negative for what was not measured.
#[derive(Clone, Copy, Default, Deserialize)]
struct HarTimings {
    #[serde(default)]
    connect: Option<f64>,
    #[serde(default)]
    send: Option<f64>,
    #[serde(default)]
    wait: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    #[serde(default)]
    http_version: String,
    headers: Vec<HarHeader>,
    #[serde(default)]
    post_data: Option<HarPostData>,
    #[serde(default, rename = "_target")]
    target: Option<String>,
    #[serde(default, rename = "_cut")]
    cut: bool,
    #[serde(default = "default_true", rename = "_complete")]
    complete: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarResponse {
    status: i64,
    #[serde(default)]
    status_text: String,
    #[serde(default)]
    http_version: String,
    #[serde(default)]
    headers: Vec<HarHeader>,
    #[serde(default)]
    content: HarContent,
    #[serde(default, rename = "_cut")]
    cut: bool,
    #[serde(default = "default_true", rename = "_complete")]
    complete: bool,
}

#[derive(Deserialize)]
struct HarHeader {
    name: String,
    value: String,
    /// The value was Latin-1 on the wire.
    #[serde(default, rename = "_latin1")]
    latin1: bool,
}

#[derive(Deserialize)]
struct HarPostData {
    #[serde(default)]
    text: Option<String>,
    #[serde(default, rename = "_encoding")]
    encoding: Option<String>,
}

#[derive(Default, Deserialize)]
struct HarContent {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

fn default_true() -> bool {
    true
}

/// A checked entry.
struct CheckedEntry {
    info: RequestInfo,
    start: jiff::Timestamp,
    request: ImportedMessage,
    response: Option<(u16, ImportedMessage)>,
    duration: Duration,
    timing: ExchangeTiming,
    error: Option<String>,
    note: Option<String>,
}

/// A message in wire form.
struct ImportedMessage {
    head: Vec<u8>,
    body: Vec<u8>,
    cut: bool,
    complete: bool,
}

/// Stores the entries of a file, oldest first. Returns how many there were.
///
/// # Errors
/// `ImportInvalid` with the entry and its problem.
pub fn import(store: &CaptureStore, file: &[u8]) -> Result<usize, Error> {
    let wrong = |message: String| Error::new(Code::ImportInvalid, message);
    if !store.is_on() {
        return Err(wrong("Nothing is kept because inspect_db_size is -1, so nothing can be imported.".into()));
    }
    let file: HarFile = serde_json::from_slice(file)
        .map_err(|error| wrong(format!("This is not a HAR file: {error}. Give the file as it was exported.")))?;
    let mut checked_entries = Vec::with_capacity(file.log.entries.len());
    for (index, entry) in file.log.entries.into_iter().enumerate() {
        let checked = entry.check().map_err(|why| wrong(format!("Entry {} of the HAR file: {why}.", index + 1)))?;
        checked_entries.push(checked);
    }
    checked_entries.sort_by_key(|one| one.start);
    let count = checked_entries.len();
    checked_entries.into_iter().for_each(|one| one.insert(store));
    Ok(count)
}

impl HarEntry {
    fn check(self) -> Result<CheckedEntry, String> {
        let start: jiff::Timestamp = self
            .started_date_time
            .parse()
            .map_err(|_| "its `startedDateTime` is not a time such as 2026-11-21T14:02:00Z".to_owned())?;
        let url = url::Url::parse(&self.request.url).map_err(|error| format!("its `url` cannot be read ({error})"))?;
        let proto = match url.scheme() {
            "https" => "https",
            "http" => "http",
            other => return Err(format!("its `url` has the scheme `{other}`, and only http and https are supported")),
        };
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let target = self.request.target.unwrap_or(path);
        let body = decode_body(self.request.post_data.and_then(|data| Some((data.text?, data.encoding))))?;
        let mut headers = without_pseudo_headers(self.request.headers);
        if !headers.iter().any(|header| header.name.eq_ignore_ascii_case("host")) {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            let value = format!("{}{port}", url.host_str().unwrap_or_default());
            headers.insert(0, HarHeader { name: "Host".into(), value, latin1: false });
        }
        let first = format!("{} {target} {}", self.request.method, version(&self.request.http_version));
        let request = message(&first, headers, body, self.request.cut, self.request.complete)?;
        let head = RequestHead::read(&request.head).map_err(|_| "its request is not well-formed HTTP".to_owned())?;
        if head.method != self.request.method || head.target != target {
            return Err("its method or its target is not well-formed".into());
        }
        let answered = self.answered.unwrap_or(self.response.status != 0);
        let response = if answered { Some(self.response.check()?) } else { None };
        let timing = self.timings.check(answered);
        // The time of HAR includes connecting.
        let after_connecting = || nanoseconds(self.time).saturating_sub(timing.connect.unwrap_or_default());
        let duration = self.duration.map_or_else(after_connecting, Duration::from_nanos);
        let error = self.error.or_else(|| (!answered).then(|| "The file holds no response.".to_owned()));
        let tunnel = TunnelTag {
            definition: self.tunnel.filter(|name| !name.is_empty()).unwrap_or_else(|| "imported".into()),
            proto,
        };
        let remote = self.remote.as_deref().unwrap_or_default();
        let texts = RequestTexts { method: head.method, target: head.target, host: &head.host, remote };
        let info = RequestInfo {
            replay_of: self.replay_of.as_deref().and_then(parse_id),
            imported: true,
            ..RequestInfo::new(Arc::new(tunnel), texts)
        };
        let note = self.comment.filter(|note| !note.is_empty());
        Ok(CheckedEntry { info, start, request, response, duration, timing, error, note })
    }
}

impl HarTimings {
    fn check(self, answered: bool) -> ExchangeTiming {
        let measured = |part: Option<f64>| part.filter(|milliseconds| *milliseconds >= 0.0);
        let first_byte = measured(self.send).zip(measured(self.wait)).map(|(send, wait)| nanoseconds(send + wait));
        ExchangeTiming {
            connect: measured(self.connect).map(nanoseconds),
            sent: measured(self.send).map(nanoseconds),
            first_byte: first_byte.filter(|_| answered),
            ..ExchangeTiming::default()
        }
    }
}

/// A duration in milliseconds, exact to the nanosecond.
fn nanoseconds(milliseconds: f64) -> Duration {
    Duration::from_nanos((milliseconds.max(0.0) * 1e6).round() as u64)
}

impl HarResponse {
    fn check(self) -> Result<(u16, ImportedMessage), String> {
        let status = u16::try_from(self.status).ok().filter(|status| (100..1000).contains(status));
        let status = status.ok_or_else(|| format!("`{}` is not a status", self.status))?;
        let body = decode_body(self.content.text.map(|text| (text, self.content.encoding)))?;
        let first = format!("{} {status} {}", version(&self.http_version), self.status_text);
        let part = message(&first, without_pseudo_headers(self.headers), body, self.cut, self.complete)?;
        ResponseHead::read(&part.head).map_err(|_| "its response is not well-formed HTTP".to_owned())?;
        Ok((status, part))
    }
}

impl CheckedEntry {
    fn insert(self, store: &CaptureStore) {
        let CheckedEntry { info, start, request, response, duration, timing, error, note } = self;
        let buffer = store.buffer(&request.head, None);
        let exchange = store.insert(buffer, |id, buffer| Exchange::new(id, info, buffer).started_at(start));
        store_message(store, &exchange, Side::Request, &request);
        if let Some((status, part)) = response {
            store.begin_response(&exchange, status, &part.head, None);
            store_message(store, &exchange, Side::Response, &part);
        }
        exchange.set_imported_timing(timing);
        if note.is_some() {
            store.set_note(&exchange, note.as_deref());
        }
        store.finish_after(&exchange, duration, error.as_deref());
    }
}

fn store_message(store: &CaptureStore, exchange: &Arc<Exchange>, side: Side, part: &ImportedMessage) {
    store.append(exchange, side, &part.body);
    if part.cut {
        exchange.mark_cut(side);
    }
    store.end_imported_side(exchange, side, part.complete);
}

fn decode_body(text: Option<(String, Option<String>)>) -> Result<Vec<u8>, String> {
    match text {
        None => Ok(Vec::new()),
        Some((text, Some(encoding))) if encoding == "base64" => {
            STANDARD.decode(text.as_bytes()).map_err(|_| "a body is not valid base64".to_owned())
        }
        Some((text, _)) => Ok(text.into_bytes()),
    }
}

/// Removes pseudo-headers of HTTP/2, which browsers write among the others.
fn without_pseudo_headers(headers: Vec<HarHeader>) -> Vec<HarHeader> {
    headers.into_iter().filter(|header| !header.name.starts_with(':')).collect()
}

fn version(written: &str) -> &'static str {
    if written.eq_ignore_ascii_case("HTTP/1.0") { "HTTP/1.0" } else { "HTTP/1.1" }
}

/// Builds a message. The transfer coding is applied again and a wrong length is corrected.
fn message(
    first: &str,
    headers: Vec<HarHeader>,
    body: Vec<u8>,
    cut: bool,
    complete: bool,
) -> Result<ImportedMessage, String> {
    let mut head = first.as_bytes().to_vec();
    let has = |name: &str| headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let chunked = has("transfer-encoding");
    let (request, counted) = (!first.starts_with("HTTP/"), has("content-length"));
    head.extend_from_slice(b"\r\n");
    for HarHeader { name, value, latin1 } in &headers {
        let length = name.eq_ignore_ascii_case("content-length");
        let value = match length && request && !cut {
            true => body.len().to_string().into_bytes(),
            false if *latin1 && value.chars().all(|c| u32::from(c) < 256) => value.chars().map(|c| c as u8).collect(),
            false => value.clone().into_bytes(),
        };
        head.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
    }
    if request && !chunked && !counted && !body.is_empty() {
        head.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    head.extend_from_slice(b"\r\n");
    let broken = |text: &str| text.contains(['\r', '\n', '\0']);
    if broken(first) || headers.iter().any(|header| broken(&header.name) || broken(&header.value)) {
        return Err("a header or the first line contains a line ending".into());
    }
    if head.len() > MAX_HEAD_BYTES {
        return Err("its headers are too large".into());
    }
    let body = match (chunked, body.is_empty()) {
        (false, _) => body,
        (true, true) => b"0\r\n\r\n".to_vec(),
        (true, false) => {
            let end: &[u8] = if cut { b"" } else { b"\r\n0\r\n\r\n" };
            [format!("{:x}\r\n", body.len()).as_bytes(), &body, end].concat()
        }
    };
    Ok(ImportedMessage { head, body, cut, complete })
}
