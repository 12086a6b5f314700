//! An audit event: one change of the configuration, its author, and what it changed; or what was observed.

use crate::{AnyId, Id, Timestamp, id::Kind, resource::View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Replaces a secret in an audit event.
pub const MASK: &str = "***";

/// A change of the configuration, and its author. Secrets are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEvent {
    /// Its id.
    pub id: Id<AuditEvent>,
    /// Absolute URL.
    pub uri: String,
    /// Time of the change.
    pub created_at: Timestamp,
    /// What was done with the record.
    pub operation: AuditOperation,
    /// Kind of the record, `ip_policy` for example, or of what was observed, such as `api_refusal` or `alert_firing`.
    pub kind: String,
    /// Id of the record, which may have been deleted since; empty for refused calls without a known API key.
    pub object_id: AnyId,
    /// Id of the record that it is nested in: the edge of a route, for example.
    pub parent_id: Option<AnyId>,
    /// What the author is; null for refused calls without a known API key, and for events of older servers.
    pub actor_type: Option<ActorType>,
    /// User, bot user or visitor that caused the change; null if it was none of them, or is not known.
    pub actor_id: Option<AnyId>,
    /// Name of that user at the time; empty if there is none.
    pub actor_name: String,
    /// API key of the call; null if the change came another way.
    pub api_key_id: Option<AnyId>,
    /// Address that the call came from; empty if the change was no call of the API.
    pub address: String,
    /// Operation id that the response to the call carried; empty if the change was no call of the API.
    pub operation_id: String,
    /// Settings before the change, by the names that they have in request bodies. A change of a module has that module
    /// only. Null for a creation, and if they were not recorded.
    pub before: Option<Map<String, Value>>,
    /// Settings after the change, or what was observed; null for a deletion, and if they were not recorded.
    pub after: Option<Map<String, Value>>,
    /// JSON pointers to the secrets in `before` and `after`, which are replaced by `***`.
    pub masked: Vec<String>,
    /// JSON pointers to texts in `before` and `after` that were too long to be recorded; the empty one means all settings.
    pub shortened: Vec<String>,
    /// Whether the change set another secret, which `before` and `after` do not show.
    pub secrets_changed: bool,
    /// What restores the state before the change.
    pub put_back: PutBack,
}

/// What was done with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditOperation {
    /// It was created.
    Created,
    /// It was changed, or one of its modules was.
    Updated,
    /// It was deleted.
    Deleted,
    /// Nothing was changed: calls were refused, a certificate expires soon, or an alert rule came into another state.
    Observed,
}

/// What the author of a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorType {
    /// A user, by an API key.
    User,
    /// A bot user, by an API key.
    BotUser,
    /// A command on the machine of the server, on behalf of an administrator.
    Operator,
    /// The server itself: it renews certificates.
    Server,
    /// A visitor who logged in or out at an edge.
    Visitor,
}

/// Calls of the API that restore the state before a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutBack {
    /// The calls in order; empty if the state cannot be restored.
    pub calls: Vec<PutBackCall>,
    /// What they do not restore, or why there are none.
    pub note: String,
}

/// A call of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutBackCall {
    /// `POST`, `PATCH`, `PUT` or `DELETE`.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Body of the call; null for `DELETE`.
    pub body: Option<Map<String, Value>>,
}

/// Audit events to list; absent members do not restrict the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Author: a user, bot user, visitor or API key.
    pub actor_id: Option<String>,
    /// Record.
    pub object_id: Option<String>,
    /// Kind of the record.
    pub kind: Option<String>,
    /// What was done.
    pub operation: Option<AuditOperation>,
    /// Only events at or after this time.
    pub since: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
}

impl AuditOperation {
    /// Every operation.
    pub const ALL: [AuditOperation; 4] =
        [AuditOperation::Created, AuditOperation::Updated, AuditOperation::Deleted, AuditOperation::Observed];

    /// The word in events and queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            AuditOperation::Created => "created",
            AuditOperation::Updated => "updated",
            AuditOperation::Deleted => "deleted",
            AuditOperation::Observed => "observed",
        }
    }
}

impl AuditFilter {
    /// Names of the query parameters, in the order of the members.
    pub const PARAMETERS: [&'static str; 6] = ["actor_id", "object_id", "kind", "operation", "since", "until"];

    /// The query parameters that are set.
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let operation = self.operation.map(|operation| operation.as_str().to_owned());
        let times = [self.since, self.until].map(|time| time.map(|time| time.to_string()));
        let [since, until] = times;
        let values =
            [self.actor_id.clone(), self.object_id.clone(), self.kind.clone(), operation, since, until].into_iter();
        Self::PARAMETERS.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl PutBack {
    /// No calls, for a reason.
    pub fn impossible(note: impl Into<String>) -> Self {
        PutBack { calls: Vec::new(), note: note.into() }
    }
}

impl Kind for AuditEvent {
    const PREFIX: &'static str = "ev";
}
impl View for AuditEvent {
    const KIND: &'static str = "audit_event";
    const PATH: &'static str = "/audit_events";
    const LIST: &'static str = "audit_events";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
