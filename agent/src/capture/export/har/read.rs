//! Reading HAR files: entries become captured requests again. Nothing of a file is taken before all of it was checked.

use crate::capture::{
    CaptureStore, TunnelTag,
    exchange::{Exchange, Opening, Said, Side},
    head::{MAX_HEAD, RequestHead, ResponseHead},
    store::parse_id,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use serde::Deserialize;
use std::{sync::Arc, time::Duration};

#[derive(Deserialize)]
struct File {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: String,
    #[serde(default)]
    time: f64,
    request: Request,
    response: Response,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    http_version: String,
    headers: Vec<Pair>,
    #[serde(default)]
    post_data: Option<PostData>,
    #[serde(default, rename = "_target")]
    target: Option<String>,
    #[serde(default, rename = "_cut")]
    cut: bool,
    #[serde(default = "yes", rename = "_complete")]
    complete: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    status: i64,
    #[serde(default)]
    status_text: String,
    #[serde(default)]
    http_version: String,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Content,
    #[serde(default, rename = "_cut")]
    cut: bool,
    #[serde(default = "yes", rename = "_complete")]
    complete: bool,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    value: String,
    /// The value was bytes of Latin-1 on the wire.
    #[serde(default, rename = "_latin1")]
    latin1: bool,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default)]
    text: Option<String>,
    #[serde(default, rename = "_encoding")]
    encoding: Option<String>,
}

#[derive(Default, Deserialize)]
struct Content {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

fn yes() -> bool {
    true
}

/// An entry that was checked.
struct Ready {
    opening: Opening,
    start: jiff::Timestamp,
    request: Part,
    response: Option<(u16, Part)>,
    duration: Duration,
    error: Option<String>,
    note: Option<String>,
}

/// A message made anew.
struct Part {
    head: Vec<u8>,
    body: Vec<u8>,
    cut: bool,
    complete: bool,
}

/// Puts the entries of a file into the store, the oldest first; says how many there were.
///
/// # Errors
/// `ImportInvalid` with the entry and what is wrong in it.
pub fn import(store: &CaptureStore, file: &[u8]) -> Result<usize, Error> {
    let wrong = |message: String| Error::new(Code::ImportInvalid, message);
    if !store.is_on() {
        return Err(wrong("Nothing is kept because inspect_db_size is -1, so nothing can be imported.".into()));
    }
    let file: File = serde_json::from_slice(file)
        .map_err(|error| wrong(format!("This is not a HAR file: {error}. Give the file as it was exported.")))?;
    let mut ready = Vec::with_capacity(file.log.entries.len());
    for (index, entry) in file.log.entries.into_iter().enumerate() {
        let checked = entry.check().map_err(|why| wrong(format!("Entry {} of the HAR file: {why}.", index + 1)))?;
        ready.push(checked);
    }
    ready.sort_by_key(|one| one.start);
    let count = ready.len();
    ready.into_iter().for_each(|one| one.enter(store));
    Ok(count)
}

impl Entry {
    fn check(self) -> Result<Ready, String> {
        let start: jiff::Timestamp = self
            .started_date_time
            .parse()
            .map_err(|_| "its `startedDateTime` is no time such as 2026-11-21T14:02:00Z".to_owned())?;
        let url = url::Url::parse(&self.request.url).map_err(|error| format!("its `url` cannot be read ({error})"))?;
        let proto = match url.scheme() {
            "https" => "https",
            "http" => "http",
            other => return Err(format!("its `url` is of the scheme `{other}`, and only http and https are read")),
        };
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let target = self.request.target.unwrap_or(path);
        let body = decoded(self.request.post_data.and_then(|data| Some((data.text?, data.encoding))))?;
        let mut headers = carried(self.request.headers);
        if !headers.iter().any(|header| header.name.eq_ignore_ascii_case("host")) {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            let value = format!("{}{port}", url.host_str().unwrap_or_default());
            headers.insert(0, Pair { name: "Host".into(), value, latin1: false });
        }
        let first = format!("{} {target} {}", self.request.method, version(&self.request.http_version));
        let request = message(&first, headers, body, self.request.cut, self.request.complete)?;
        let head = RequestHead::read(&request.head).map_err(|_| "its request is not well-formed HTTP".to_owned())?;
        if head.method != self.request.method || head.target != target {
            return Err("its method or its target is not well-formed".into());
        }
        let answered = self.answered.unwrap_or(self.response.status != 0);
        let response = if answered { Some(self.response.check()?) } else { None };
        let nanoseconds = self.duration.unwrap_or((self.time.max(0.0) * 1e6) as u64);
        let error = self.error.or_else(|| (!answered).then(|| "The file holds no answer.".to_owned()));
        let tunnel = TunnelTag {
            definition: self.tunnel.filter(|name| !name.is_empty()).unwrap_or_else(|| "imported".into()),
            proto,
        };
        let remote = self.remote.as_deref().unwrap_or_default();
        let said = Said { method: head.method, target: head.target, host: &head.host, remote };
        let opening = Opening {
            replay_of: self.replay_of.as_deref().and_then(parse_id),
            imported: true,
            ..Opening::of(Arc::new(tunnel), said)
        };
        let note = self.comment.filter(|note| !note.is_empty());
        Ok(Ready { opening, start, request, response, duration: Duration::from_nanos(nanoseconds), error, note })
    }
}

impl Response {
    fn check(self) -> Result<(u16, Part), String> {
        let status = u16::try_from(self.status).ok().filter(|status| (100..1000).contains(status));
        let status = status.ok_or_else(|| format!("`{}` is no status", self.status))?;
        let body = decoded(self.content.text.map(|text| (text, self.content.encoding)))?;
        let first = format!("{} {status} {}", version(&self.http_version), self.status_text);
        let part = message(&first, carried(self.headers), body, self.cut, self.complete)?;
        ResponseHead::read(&part.head).map_err(|_| "its response is not well-formed HTTP".to_owned())?;
        Ok((status, part))
    }
}

impl Ready {
    fn enter(self, store: &CaptureStore) {
        let Ready { opening, start, request, response, duration, error, note } = self;
        let begun = store.begun(&request.head, None);
        let exchange = store.enter(begun, |id, recording| Exchange::new(id, opening, recording).began_at(start));
        keep(store, &exchange, Side::Request, &request);
        if let Some((status, part)) = response {
            exchange.answered(store, status, store.begun(&part.head, None));
            keep(store, &exchange, Side::Response, &part);
        }
        if note.is_some() {
            exchange.set_note(store, note.as_deref());
        }
        exchange.took(store, duration, error.as_deref());
    }
}

fn keep(store: &CaptureStore, exchange: &Arc<Exchange>, side: Side, part: &Part) {
    exchange.append(store, side, &part.body);
    if part.cut {
        exchange.mark_cut(side);
    }
    exchange.ended_as(store, side, part.complete);
}

fn decoded(text: Option<(String, Option<String>)>) -> Result<Vec<u8>, String> {
    match text {
        None => Ok(Vec::new()),
        Some((text, Some(encoding))) if encoding == "base64" => {
            STANDARD.decode(text.as_bytes()).map_err(|_| "a body is not valid base64".to_owned())
        }
        Some((text, _)) => Ok(text.into_bytes()),
    }
}

/// Browsers write the pseudo-headers of HTTP/2 among the others.
fn carried(headers: Vec<Pair>) -> Vec<Pair> {
    headers.into_iter().filter(|header| !header.name.starts_with(':')).collect()
}

fn version(written: &str) -> &'static str {
    if written.eq_ignore_ascii_case("HTTP/1.0") { "HTTP/1.0" } else { "HTTP/1.1" }
}

/// A message with these parts. Its transfer coding is made anew; a length that says something else is corrected.
fn message(first: &str, headers: Vec<Pair>, body: Vec<u8>, cut: bool, complete: bool) -> Result<Part, String> {
    let mut head = first.as_bytes().to_vec();
    let has = |name: &str| headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let chunked = has("transfer-encoding");
    let (request, counted) = (!first.starts_with("HTTP/"), has("content-length"));
    head.extend_from_slice(b"\r\n");
    for Pair { name, value, latin1 } in &headers {
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
        return Err("a line end stands where none can be".into());
    }
    if head.len() > MAX_HEAD {
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
    Ok(Part { head, body, cut, complete })
}
