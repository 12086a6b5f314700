//! Committed events for a log outside the store.

use super::{EVENTS, audit_event};
use crate::store::{Change, Entry};
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
        let mut event = serde_json::to_value(audit_event(&self.0, "")?).ok()?;
        if let Value::Object(members) = &mut event {
            members.retain(|name, _| name != "uri" && name != "put_back");
        }
        Some(format!("{event}\n"))
    }
}
