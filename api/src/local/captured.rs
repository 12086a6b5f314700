//! Captured requests: the short and the whole form, frames, exports and replays.

use crate::trace::Trace;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::BTreeMap};

/// The short form of a captured request: no headers and no bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestSummary<'a> {
    /// 16 hexadecimal digits that grow with time.
    pub id: String,
    /// The tunnel's name, followed by its protocol in parentheses.
    pub tunnel_name: String,
    /// The request method.
    pub method: Cow<'a, str>,
    /// The request target.
    pub path: Cow<'a, str>,
    /// The value of `Host`.
    pub host: Cow<'a, str>,
    /// The status of the response; null without one.
    pub status_code: Option<u16>,
    /// The status with its reason phrase.
    pub status: Option<String>,
    /// The time of the request.
    pub start: String,
    /// Nanoseconds until the exchange ended; null while it goes on.
    pub duration: Option<u64>,
    /// Bytes of the request that have passed.
    pub request_size: u64,
    /// Bytes of the response that have passed.
    pub response_size: u64,
    /// The visitor's address.
    pub remote_addr: Cow<'a, str>,
    /// Part of a message was not kept.
    pub cut: bool,
    /// The id of the request that this one replays.
    pub replay_of: Option<String>,
    /// The path that the replay took.
    pub replay_through: Option<ReplayPath>,
    /// The reason why there is no whole response.
    pub error: Option<String>,
    /// Evicted last.
    #[serde(default)]
    pub pinned: bool,
    /// The owner's note.
    pub note: Option<String>,
    /// Read from a HAR file.
    #[serde(default)]
    pub imported: bool,
    /// The number of WebSocket frames or server-sent events so far; null for none.
    pub frames: Option<u64>,
    /// More may come.
    #[serde(default)]
    pub open: bool,
}

/// The path that a replay takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayPath {
    /// Straight to the local service.
    Local,
    /// To the tunnel's public address, as a visitor.
    Edge,
}

/// A page of short forms, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryList<'a> {
    /// The captured requests.
    pub requests: Vec<RequestSummary<'a>>,
    /// The `before` of the next page; null at the end.
    pub next: Option<Cow<'a, str>>,
    /// The call reached its limit of work before the page was full.
    pub cut: bool,
}

/// A page of whole captured requests, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestList {
    /// The path of this resource.
    pub uri: String,
    /// The captured requests.
    pub requests: Vec<CapturedRequest>,
    /// The `before` of the next page; null at the end.
    pub next: Option<String>,
    /// The call reached its limit of work before the page was full.
    pub cut: bool,
}

/// A whole captured request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedRequest {
    /// The path of this resource.
    pub uri: String,
    /// 16 hexadecimal digits that grow with time.
    pub id: String,
    /// The tunnel's name, followed by its protocol in parentheses.
    pub tunnel_name: String,
    /// The visitor's address.
    pub remote_addr: String,
    /// The time of the request.
    pub start: String,
    /// Nanoseconds until the exchange ended; 0 while it goes on.
    pub duration: u64,
    /// The request.
    pub request: CapturedRequestMessage,
    /// The response; null without one.
    pub response: Option<CapturedResponseMessage>,
    /// The id of the request that this one replays.
    pub replay_of: Option<String>,
    /// The path that the replay took.
    pub replay_through: Option<ReplayPath>,
    /// The edge's decisions about the request.
    #[schemars(with = "Option<Trace>")]
    pub trace: Option<Value>,
    /// Durations of the parts of the exchange.
    pub timing: CaptureTiming,
    /// Messages of which part was not kept.
    pub cut: MessageFlags,
    /// Messages that have passed completely.
    pub complete: MessageFlags,
    /// The reason why there is no whole response.
    pub error: Option<String>,
    /// Evicted last.
    pub pinned: bool,
    /// The owner's note.
    pub note: Option<String>,
    /// Read from a HAR file.
    pub imported: bool,
    /// The number of WebSocket frames or server-sent events so far; null for none.
    pub frames: Option<u64>,
    /// More may come.
    pub open: bool,
}

/// The request of an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedRequestMessage {
    /// The request method.
    pub method: String,
    /// The version, such as `HTTP/1.1`.
    pub proto: String,
    /// All values of each header, under the name as it was first written.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub headers: Map<String, Value>,
    /// The request target.
    pub uri: String,
    /// Base64 of the message as it was on the wire, or of its head alone.
    pub raw: String,
    /// Bytes of the body that are kept, as they were on the wire.
    pub body_size: u64,
}

/// The response of an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedResponseMessage {
    /// The status with its reason phrase.
    pub status: String,
    /// The status.
    pub status_code: u16,
    /// The version, such as `HTTP/1.1`.
    pub proto: String,
    /// All values of each header, under the name as it was first written.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub headers: Map<String, Value>,
    /// Base64 of the message as it was on the wire, or of its head alone.
    pub raw: String,
    /// Bytes of the body that are kept, as they were on the wire.
    pub body_size: u64,
}

/// A fact about each of the two messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageFlags {
    /// Holds for the request.
    pub request: bool,
    /// Holds for the response.
    pub response: bool,
}

/// Durations in nanoseconds; null for what was not measured. Those from `sent` on are counted from the arrival of the
/// request's head at the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureTiming {
    /// Time at the edge.
    pub edge: Option<u64>,
    /// Time that modules took, part of `edge`.
    pub modules: Option<u64>,
    /// Time that the edge took to reach the agent, part of `edge`.
    pub queue: Option<u64>,
    /// From the server to the agent, half of the session's round trip.
    pub transit: Option<u64>,
    /// Connecting to the local service, before the arrival counts; null on a connection that was there already.
    pub connect: Option<u64>,
    /// Until the last byte of the request.
    pub sent: Option<u64>,
    /// Until the head of the response had arrived.
    pub first_byte: Option<u64>,
    /// Until the end of the exchange.
    pub last_byte: Option<u64>,
}

/// A page of frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrameList {
    /// The frames, oldest first.
    pub frames: Vec<FrameView>,
    /// The `after` of the next page; null at the end.
    pub next: Option<u64>,
    /// Frames after `after` that have made room for newer ones.
    pub dropped: u64,
    /// All frames that have passed.
    pub count: u64,
    /// More may come.
    pub open: bool,
    /// The reason why frames are no longer followed.
    pub error: Option<String>,
    /// The path of this resource.
    pub uri: String,
}

/// A frame of a WebSocket (RFC 6455, section 5.2), or a server-sent event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrameView {
    /// The number within the exchange, from 1.
    pub number: u64,
    /// The time of its last byte.
    pub time: String,
    /// Nanoseconds after the start of the request.
    pub offset: u64,
    /// The side that sent it.
    pub from: FrameSender,
    /// The kind.
    pub kind: FrameKind,
    /// The final frame of its message.
    pub last: bool,
    /// Compressed with `permessage-deflate` (RFC 7692) and given that way.
    pub compressed: bool,
    /// The length of the data in bytes.
    pub length: u64,
    /// Part of the data was not kept.
    pub cut: bool,
    /// The data, if it is UTF-8 and not compressed.
    pub text: Option<String>,
    /// The data in Base64, if it is not given as text.
    pub base64: Option<String>,
    /// The fields of a server-sent event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventFields>,
}

/// The side that sent a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FrameSender {
    /// The visitor.
    Visitor,
    /// The local service.
    Service,
}

/// The kind of a frame: an opcode of RFC 6455 section 5.2, or a server-sent event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum FrameKind {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
    Event,
}

/// The fields of a server-sent event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventFields {
    /// The event type; null for the default.
    pub event: Option<String>,
    /// The event id.
    pub id: Option<String>,
    /// The data lines, joined.
    pub data: String,
}

/// A change of pin and note. A member that is left out changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnnotationChange {
    /// Pins or unpins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Replaces the note; null removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "nullable_text")]
    pub note: Option<Option<String>>,
}

fn nullable_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"oneOf": [{"type": "string"}, {"type": "null"}]})
}

/// A captured request to send again, and its changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayCommand {
    /// The captured request.
    pub id: String,
    /// Another tunnel to send it through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tunnel_name: Option<String>,
    /// The path to take; `local` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<ReplayPath>,
    /// Another method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Another path with its query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Other headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<ReplayHeaders>,
    /// Another body, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Another body, in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
}

/// Headers of a replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ReplayHeaders {
    /// Replaces all headers by these pairs of name and value.
    All(Vec<(String, String)>),
    /// Changes the headers that are named: to a text, to a list of texts, or by null to none.
    Named(BTreeMap<String, Value>),
}

/// A captured request as a command for `sh`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CurlCommand {
    /// The command.
    pub command: String,
    /// The path that the command takes.
    pub through: ReplayPath,
    /// `show` or `hide`.
    pub secrets: Cow<'static, str>,
}

/// The outcome of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HarImport {
    /// The number of entries that were imported.
    pub imported: u64,
}
