//! Stored form of events. Events of older servers have fewer members and stay readable.

use super::{EVENTS, EventAuthor, NewEvent, Settings};
use crate::{resources::commit_plan::to_json, store::Entry};
use postern_api::{
    AnyId, Id, Result, Timestamp,
    id::{Kind, next_ksuid},
    resource::{ActorType, ApiKey, AuditEvent, AuditOperation, PutBack, View, list_uri},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A stored event. Older servers stored the first four members only.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredEvent {
    /// Kind of the record and operation, `ip_policy_created` for example.
    #[serde(rename = "type")]
    pub(super) name: String,
    pub(super) object: String,
    /// Id of the key, or a word for what has none.
    pub(super) by: String,
    pub(super) at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<AnyId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actor: Option<ActorType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) actor_id: Option<AnyId>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    actor_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    address: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    masked: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shortened: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    secrets_changed: bool,
}

/// Key and value that store an event.
///
/// # Errors
/// If it cannot be written as JSON.
pub(crate) fn event_to_store(author: &EventAuthor, event: NewEvent, at: jiff::Timestamp) -> Result<(String, Vec<u8>)> {
    let key = format!("{EVENTS}{}_{}", AuditEvent::PREFIX, next_ksuid(at));
    Ok((key, to_json(&StoredEvent::new(author, event, at))?))
}

impl StoredEvent {
    fn new(author: &EventAuthor, event: NewEvent, at: jiff::Timestamp) -> Self {
        let pointers = |of: fn(&Settings) -> &Vec<String>| {
            let mut pointers: Vec<String> =
                [&event.before, &event.after].into_iter().flatten().flat_map(of).cloned().collect();
            pointers.sort();
            pointers.dedup();
            pointers
        };
        let (masked, shortened) = (pointers(|settings| &settings.masked), pointers(|settings| &settings.shortened));
        StoredEvent {
            name: format!("{}_{}", event.kind, event.operation.as_str()),
            object: event.object,
            by: author.by.clone(),
            at: Timestamp::new(at),
            parent: event.parent,
            actor: author.actor,
            actor_id: author.id.clone(),
            actor_name: author.name.clone(),
            address: author.origin.address.map(|address| address.to_canonical().to_string()).unwrap_or_default(),
            operation: author.origin.operation_id.clone(),
            before: event.before.map(|settings| settings.members),
            after: event.after.map(|settings| settings.members),
            masked,
            shortened,
            secrets_changed: event.secrets_changed,
        }
    }

    /// Kind of the record, and what was done with it. `None` for a name that no server wrote.
    pub(super) fn kind_and_operation(&self) -> Option<(&str, AuditOperation)> {
        split_name(&self.name)
    }
}

/// Kind of the record of a stored event, and what was done with it. `None` for a value that no server wrote.
pub(crate) fn kind_and_operation(value: &[u8]) -> Option<(String, AuditOperation)> {
    #[derive(Deserialize)]
    struct Name {
        #[serde(rename = "type")]
        name: String,
    }
    let Name { name } = serde_json::from_slice(value).ok()?;
    split_name(&name).map(|(kind, operation)| (kind.to_owned(), operation))
}

fn split_name(name: &str) -> Option<(&str, AuditOperation)> {
    let (kind, word) = name.rsplit_once('_')?;
    let operation = AuditOperation::ALL.into_iter().find(|operation| operation.as_str() == word)?;
    Some((kind, operation))
}

/// A stored event as the API shows it, without what restores the former state; `None` for a value that no server wrote.
pub(crate) fn audit_event(entry: &Entry, base_url: &str) -> Option<AuditEvent> {
    let id = Id::<AuditEvent>::parse(entry.key.strip_prefix(EVENTS)?).ok()?;
    let stored: StoredEvent = serde_json::from_slice(&entry.value).ok()?;
    show(id, stored, base_url)
}

pub(super) fn show(id: Id<AuditEvent>, stored: StoredEvent, base_url: &str) -> Option<AuditEvent> {
    let (kind, operation) = stored.kind_and_operation().map(|(kind, operation)| (kind.to_owned(), operation))?;
    let by = AnyId::from_text(stored.by);
    Some(AuditEvent {
        uri: format!("{}/{id}", list_uri(base_url, AuditEvent::PATH)),
        id,
        created_at: stored.at,
        operation,
        kind,
        object_id: AnyId::from_text(stored.object),
        parent_id: stored.parent,
        actor_type: stored.actor,
        actor_id: stored.actor_id,
        actor_name: stored.actor_name,
        api_key_id: Some(by).filter(|by| by.prefix() == ApiKey::PREFIX),
        address: stored.address,
        operation_id: stored.operation,
        before: stored.before,
        after: stored.after,
        masked: stored.masked,
        shortened: stored.shortened,
        secrets_changed: stored.secrets_changed,
        put_back: PutBack::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_older_servers_are_readable() {
        let value = br#"{"type":"ip_policy_rule_deleted","object":"ipr_1","by":"ak_1","at":"2026-11-20T13:00:00Z"}"#;
        let entry = |key: &str, value: &[u8]| Entry { key: key.to_owned(), value: value.to_vec(), revision: 1 };
        let key = "events/ev_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let event = audit_event(&entry(key, value), "http://a.test").expect("an event");
        assert_eq!((event.kind.as_str(), event.operation), ("ip_policy_rule", AuditOperation::Deleted));
        assert_eq!(event.api_key_id, Some(AnyId::from_text("ak_1")));
        assert_eq!((event.before, event.actor_type, event.address.as_str()), (None, None, ""));
        assert_eq!(event.uri, "http://a.test/audit_events/ev_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let acme = br#"{"type":"tls_certificate_updated","object":"cert_1","by":"acme","at":"2026-11-20T13:00:00Z"}"#;
        assert_eq!(audit_event(&entry(key, acme), "").expect("an event").api_key_id, None);
        for other in [&b"{}"[..], b"x", br#"{"type":"x","object":"","by":"","at":"2026-11-20T13:00:00Z"}"#] {
            assert!(audit_event(&entry(key, other), "").is_none());
        }
        assert!(audit_event(&entry("events/1", value), "").is_none());
    }
}
