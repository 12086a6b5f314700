//! Committed events for readers outside the store: a log, and event destinations.

use super::{EVENTS, audit_event};
use crate::store::{Change, Entry};
use postern_api::{Timestamp, resource::AuditEvent};
use serde_json::Value;

/// An audit event that was just committed.
#[derive(Clone, Debug)]
pub struct CommittedEvent(Entry);

impl CommittedEvent {
    /// The event in a change of the store, if it is one.
    pub(crate) fn of_change(change: &Change) -> Option<Self> {
        let value = change.value.clone().filter(|_| change.key.starts_with(EVENTS))?;
        Some(CommittedEvent(Entry { key: change.key.clone(), value, revision: change.revision }))
    }

    /// The event as one line of JSON with its end: as the API shows it, without addresses of the API.
    pub fn line(&self) -> Option<String> {
        let event = without(audit_event(&self.0, "")?, &["uri", "put_back"])?;
        Some(format!("{event}\n"))
    }
}

/// Time of a stored event, and its body for an event destination: as the API shows it, without what restores the former
/// state.
pub(crate) fn event_body(entry: &Entry, base_url: &str) -> Option<(Timestamp, String)> {
    let event = audit_event(entry, base_url)?;
    Some((event.created_at, without(event, &["put_back"])?.to_string()))
}

/// An event as JSON, without some members.
fn without(event: AuditEvent, left_out: &[&str]) -> Option<Value> {
    let mut event = serde_json::to_value(event).ok()?;
    if let Value::Object(members) = &mut event {
        members.retain(|name, _| !left_out.contains(&name.as_str()));
    }
    Some(event)
}
