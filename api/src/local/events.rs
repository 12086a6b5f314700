//! Server-sent events of `/api/events`.

use super::{AgentStatus, ConfiguredTunnelList, RequestSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event: the `event:` field and the JSON of `data:`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum LocalEvent {
    /// The status has changed.
    Status(Box<AgentStatus>),
    /// The tunnels have changed.
    Tunnels(ConfiguredTunnelList),
    /// A request was captured or has changed.
    Request(Box<RequestSummary<'static>>),
    /// A captured request was deleted.
    RequestDeleted(RequestDeleted),
    /// All captured requests were deleted.
    RequestsDeleted(RequestsDeleted),
    /// Events were missed.
    RequestsMissed(RequestsMissed),
}

/// The id of a deleted request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestDeleted {
    /// The id.
    pub id: String,
}

/// Nothing more to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestsDeleted {}

/// The listener fell behind and has to read the changes itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestsMissed {
    /// The `since` to list from; null if everything may have changed.
    pub since: Option<String>,
}
