//! Pages of events, and their filters.

use super::{
    EVENTS,
    stored_event::{StoredEvent, show},
};
use crate::{
    resources::Resources,
    store::{Entry, Range},
};
use postern_api::{
    Id, Result, Timestamp,
    id::{Kind, ksuid},
    resource::{AuditEvent, AuditFilter},
};

/// Events read at once.
const BATCH_SIZE: usize = 500;

/// A page of events, newest first.
pub(crate) struct AuditPage {
    pub(crate) events: Vec<AuditEvent>,
    /// Cursor of the next page, if there is one.
    pub(crate) before: Option<Id<AuditEvent>>,
}

impl Resources {
    /// Reads a page of the events that are older than `before` and pass the filter. They lack what restores the former
    /// state.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn audit_events(
        &self,
        filter: &AuditFilter,
        before: Option<&Id<AuditEvent>>,
        limit: usize,
    ) -> Result<AuditPage> {
        let cursor = before.map(|id| format!("{EVENTS}{id}"));
        let until = filter.until.map(first_key);
        let (first, matches) = (filter.since.map(first_key), Matcher(filter));
        let mut range = Range::new(EVENTS, BATCH_SIZE.min(limit + 1));
        range.before = match (cursor, until) {
            (Some(cursor), Some(until)) => Some(cursor.min(until)),
            (cursor, until) => cursor.or(until),
        };
        let (mut events, mut next) = (Vec::new(), Some(range));
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                if first.as_ref().is_some_and(|first| entry.key < *first) {
                    return Ok(AuditPage { events, before: None });
                }
                let Some(event) = matches.event(entry, self.base_url()) else { continue };
                if events.len() == limit {
                    return Ok(AuditPage { before: events.last().map(|event: &AuditEvent| event.id.clone()), events });
                }
                events.push(event);
            }
            next = range.after(&page).map(|range| Range { limit: BATCH_SIZE, ..range });
            tokio::task::yield_now().await;
        }
        Ok(AuditPage { events, before: None })
    }
}

/// Smallest key of an event at a time or later.
pub(crate) fn first_key(at: Timestamp) -> String {
    format!("{EVENTS}{}_{}", AuditEvent::PREFIX, ksuid(at.seconds(), [0; 16]))
}

struct Matcher<'a>(&'a AuditFilter);

impl Matcher<'_> {
    /// The event, if it passes the filter. Most others are recognized by their bytes, without being parsed.
    fn event(&self, entry: &Entry, base_url: &str) -> Option<AuditEvent> {
        let filter = self.0;
        let text = std::str::from_utf8(&entry.value).ok()?;
        let sought = [&filter.actor_id, &filter.object_id, &filter.kind];
        if sought.into_iter().flatten().any(|word| !text.contains(word.as_str())) {
            return None;
        }
        let id = Id::<AuditEvent>::parse(entry.key.strip_prefix(EVENTS)?).ok()?;
        let stored: StoredEvent = serde_json::from_str(text).ok()?;
        let (kind, operation) = stored.kind_and_operation()?;
        let is_actor = |id: &String| stored.by == *id || stored.actor_id.as_ref().is_some_and(|own| own.as_str() == id);
        let passes = filter.actor_id.as_ref().is_none_or(is_actor)
            && filter.object_id.as_ref().is_none_or(|id| stored.object == *id)
            && filter.kind.as_ref().is_none_or(|wanted| kind == wanted)
            && filter.operation.is_none_or(|wanted| operation == wanted);
        if passes { show(id, stored, base_url) } else { None }
    }
}
