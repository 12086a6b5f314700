//! An event destination: a URL that audit events are sent to, as signed webhooks.

use crate::{
    AnyId, Secret, Timestamp,
    id::Kind,
    resource::{self, AuditOperation, Resource, View, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest URL in bytes.
pub const DESTINATION_URL_LIMIT: usize = 2048;
/// Every kind of events.
pub const EVERY_KIND: &str = "*";
/// Kind of the events about calls of the API that were refused.
pub const API_REFUSAL: &str = "api_refusal";
/// Kind of the events about certificates that expire soon.
pub const CERTIFICATE_EXPIRY: &str = "certificate_expiry";

/// Kinds of events.
pub const EVENT_KINDS: &[&str] = &[
    resource::ALERT_FIRING,
    resource::ALERT_RESOLVED,
    resource::ALERT_WARNING,
    API_REFUSAL,
    CERTIFICATE_EXPIRY,
    <resource::Agent as View>::KIND,
    <resource::AlertRule as Resource>::KIND,
    <resource::ApiKey as Resource>::KIND,
    <resource::AppSession as View>::KIND,
    <resource::AppUser as View>::KIND,
    <resource::BotUser as Resource>::KIND,
    <resource::CertificateAuthority as Resource>::KIND,
    <resource::Credential as Resource>::KIND,
    EventDestination::KIND,
    <resource::FailoverBackend as Resource>::KIND,
    <resource::HttpResponseBackend as Resource>::KIND,
    <resource::HttpsEdge as Resource>::KIND,
    <resource::HttpsRoute as Resource>::KIND,
    <resource::IpPolicy as Resource>::KIND,
    <resource::IpPolicyRule as Resource>::KIND,
    <resource::IpRestriction as Resource>::KIND,
    <resource::ReservedAddress as Resource>::KIND,
    <resource::ReservedDomain as Resource>::KIND,
    <resource::SshCertificateAuthority as Resource>::KIND,
    <resource::SshHostCertificate as Resource>::KIND,
    <resource::SshUserCertificate as Resource>::KIND,
    <resource::StaticBackend as Resource>::KIND,
    <resource::TcpEdge as Resource>::KIND,
    <resource::TlsCertificate as Resource>::KIND,
    <resource::TlsEdge as Resource>::KIND,
    <resource::TunnelGroupBackend as Resource>::KIND,
    <resource::User as Resource>::KIND,
    <resource::WeightedBackend as Resource>::KIND,
];

/// A URL that audit events are sent to, in order, each until it is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventDestination {
    /// URL of the receiver.
    pub url: String,
    /// Whether events are sent; if not, they wait in the audit log.
    pub enabled: bool,
    /// Kinds of the events that are sent; `*` is for all.
    pub kinds: Vec<String>,
    /// Operations of the events that are sent; empty for all.
    pub operations: Vec<AuditOperation>,
}

impl EventDestination {
    /// Whether it wants events of this kind and operation.
    pub fn wants(&self, kind: &str, operation: AuditOperation) -> bool {
        (self.operations.is_empty() || self.operations.contains(&operation))
            && self.kinds.iter().any(|wanted| wanted == EVERY_KIND || wanted == kind)
    }
}

/// Fields that the server adds to a destination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventDestinationStatus {
    /// Secret that signs the events; shown only once, in the response that made it.
    #[serde(default)]
    pub secret: Option<Secret>,
    /// Latest attempt to deliver an event; null before the first.
    pub last_delivery: Option<EventDelivery>,
    /// Events that wait; of more than 1000, no further ones are counted.
    pub pending: u64,
    /// Events that the audit log had dropped before they were accepted.
    pub skipped: u64,
}

/// An attempt to deliver an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventDelivery {
    /// The event.
    pub event_id: AnyId,
    /// Time of the attempt.
    pub at: Timestamp,
    /// Attempts to deliver this event so far.
    pub attempts: u32,
    /// Status of the response; null if there was none.
    pub status_code: Option<u16>,
    /// Why the event was not accepted; empty if it was.
    pub error: String,
    /// Time of the next attempt, if the event was not accepted.
    pub next_attempt_at: Option<Timestamp>,
}

body! {
    /// Body of a create. The URL is required.
    EventDestinationCreate {
        needs {
            /// URL of the receiver: `https`, or `http` for loopback and private addresses.
            #[schemars(length(max = DESTINATION_URL_LIMIT), regex(pattern = "^https?://"))]
            url: String,
        }
        may {
            /// Default: true.
            enabled: bool,
            /// Kinds of the events to send, such as `ip_policy`. Default: `*`, which is for all.
            #[schemars(length(max = EVENT_KINDS.len()), inner(regex(pattern = "^([a-z_]{1,40}|[*])$")))]
            kinds: Vec<String>,
            /// Operations of the events to send. Default: all.
            #[schemars(length(max = AuditOperation::ALL.len()))]
            operations: Vec<AuditOperation>,
        }
    }
}

body! {
    /// Body of a change.
    EventDestinationUpdate {
        needs {}
        may {
            /// URL of the receiver: `https`, or `http` for loopback and private addresses.
            #[schemars(length(max = DESTINATION_URL_LIMIT), regex(pattern = "^https?://"))]
            url: String,
            /// Whether events are sent.
            enabled: bool,
            /// Kinds of the events to send, replacing all former ones; empty or `*` for all.
            #[schemars(length(max = EVENT_KINDS.len()), inner(regex(pattern = "^([a-z_]{1,40}|[*])$")))]
            kinds: Vec<String>,
            /// Operations of the events to send, replacing all former ones; empty for all.
            #[schemars(length(max = AuditOperation::ALL.len()))]
            operations: Vec<AuditOperation>,
            /// True makes a new secret. For 24 hours, events are signed with the former one, too.
            rotate_secret: bool,
        }
    }
}

impl Kind for EventDestination {
    const PREFIX: &'static str = "ed";
}
impl Resource for EventDestination {
    const KIND: &'static str = "event_destination";
    const PATH: &'static str = "/event_destinations";
    const LIST: &'static str = "event_destinations";
    type Status = EventDestinationStatus;
    type Create = EventDestinationCreate;
    type Update = EventDestinationUpdate;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_take_what_they_name() {
        let destination = |kinds: &[&str], operations: &[AuditOperation]| EventDestination {
            url: String::new(),
            enabled: true,
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            operations: operations.to_vec(),
        };
        let all = destination(&[EVERY_KIND], &[]);
        assert!(EVENT_KINDS.iter().all(|kind| AuditOperation::ALL.iter().all(|operation| all.wants(kind, *operation))));
        let some = destination(&["user", "api_key"], &[AuditOperation::Deleted]);
        assert!(some.wants("user", AuditOperation::Deleted) && some.wants("api_key", AuditOperation::Deleted));
        assert!(!some.wants("user", AuditOperation::Created) && !some.wants("bot_user", AuditOperation::Deleted));
    }
}
