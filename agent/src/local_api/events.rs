//! The live feed: changes as server-sent events (WHATWG HTML section 9.2). A client that reconnects with the last event
//! id receives the changes that it missed.

use super::{ApiError, configured, status};
use crate::{
    capture::{AgentEvent, CaptureStore, Exchange, exchange::shown_id},
    context::AgentContext,
};
use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::{Stream, StreamExt, stream};
use postern_api::{
    Code, Error,
    local::{RequestDeleted, RequestsDeleted, RequestsMissed},
};
use serde::Serialize;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// The status is sent this often, because latency and memory change without an event.
const STATUS_INTERVAL: Duration = Duration::from_secs(10);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// The newest requests that are sent again to a listener that fell behind.
const RESYNC_REQUESTS: usize = 100;
/// The most changed requests that are sent to a client that reconnects, the newest of them.
const MAX_MISSED_REQUESTS: usize = 1000;
/// Concurrent changes may be sent in another order than that of their revisions.
const REVISION_OVERLAP: u64 = 64;
/// Exchanges that are fetched from the store at once.
const PAGE_SIZE: usize = 2048;

pub(super) async fn follow(
    State(context): State<Arc<AgentContext>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let since = last_event_id(&headers, query.as_deref().unwrap_or_default())?;
    let events = context.feed.subscribe();
    let mut first = state_events(&context);
    if let Some(since) = since {
        first.extend(missed_events(&context.store, since));
    }
    let listener = Listener { context, events, sent_revision: 0 };
    let later = stream::unfold(listener, next).map(stream::iter).flatten();
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL);
    Ok(Sse::new(stream::iter(first).chain(later).map(Ok)).keep_alive(keep_alive))
}

/// The last event id that the client has received: the run of the agent and the revision.
fn last_event_id(headers: &HeaderMap, query: &str) -> Result<Option<(u32, u64)>, ApiError> {
    let parse = |text: &str| {
        let (run, revision) = text.split_once('-')?;
        Some((u32::from_str_radix(run, 16).ok()?, revision.parse().ok()?))
    };
    let mut since = headers.get("last-event-id").and_then(|value| value.to_str().ok()).and_then(parse);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let shown: String = name.chars().take(40).collect();
        if name != "since" {
            return Err(Error::new(Code::QueryUnknown, format!("There is no parameter `{shown}` here.")).into());
        }
        let Some(id) = parse(&value) else {
            return Err(Error::new(Code::QueryInvalid, "`since` must be the `id:` of an event of this feed.").into());
        };
        // A browser reconnects to the URL it was opened with; the header is newer.
        since = since.or(Some(id));
    }
    Ok(since)
}

fn state_events(context: &AgentContext) -> Vec<Event> {
    vec![status_event(context), tunnels_event(context)]
}

/// Requests that changed or were deleted since a revision, oldest change first.
fn missed_events(store: &CaptureStore, (run, revision): (u32, u64)) -> Vec<Event> {
    let since = revision.saturating_sub(REVISION_OVERLAP);
    let deleted = store.deleted_after(since).filter(|_| run == store.run() && revision >= store.cleared());
    let Some(deleted) = deleted else {
        return [all_deleted_event(store)].into_iter().chain(newest_events(store)).collect();
    };
    let mut changed = changed_exchanges(store, since);
    changed.sort_by_key(|exchange| exchange.revision());
    let surplus = changed.len().saturating_sub(MAX_MISSED_REQUESTS);
    let changed = changed.iter().skip(surplus).map(|exchange| (exchange.revision(), request_event(store, exchange)));
    let deleted = deleted.into_iter().map(|(revision, id)| (revision, deleted_event(store, id, revision)));
    let mut events: Vec<(u64, Event)> = changed.chain(deleted).collect();
    events.sort_by_key(|(revision, _)| *revision);
    events.into_iter().map(|(_, event)| event).collect()
}

/// Exchanges that have changed since a revision, newest exchange first.
fn changed_exchanges(store: &CaptureStore, since: u64) -> Vec<Arc<Exchange>> {
    let mut changed = Vec::new();
    let mut before = u64::MAX;
    loop {
        let page = store.page(before, PAGE_SIZE);
        let Some(last) = page.last() else { return changed };
        before = last.id();
        changed.extend(page.into_iter().filter(|exchange| exchange.revision() > since));
    }
}

fn newest_events(store: &CaptureStore) -> Vec<Event> {
    store.page(u64::MAX, RESYNC_REQUESTS).iter().rev().map(|exchange| request_event(store, exchange)).collect()
}

fn status_event(context: &AgentContext) -> Event {
    event("status", &status::status(context))
}

fn tunnels_event(context: &AgentContext) -> Event {
    event("tunnels", &configured::tunnel_list(context))
}

fn request_event(store: &CaptureStore, exchange: &Exchange) -> Event {
    event("request", &exchange.summary()).id(event_id(store, exchange.revision()))
}

fn deleted_event(store: &CaptureStore, id: u64, revision: u64) -> Event {
    event("request_deleted", &RequestDeleted { id: shown_id(id) }).id(event_id(store, revision))
}

fn all_deleted_event(store: &CaptureStore) -> Event {
    event("requests_deleted", &RequestsDeleted {}).id(event_id(store, store.cleared()))
}

fn event_id(store: &CaptureStore, revision: u64) -> String {
    format!("{:08x}-{revision}", store.run())
}

/// A client of the feed.
struct Listener {
    context: Arc<AgentContext>,
    events: Receiver<AgentEvent>,
    /// The newest revision that was sent.
    sent_revision: u64,
}

async fn next(mut listener: Listener) -> Option<(Vec<Event>, Listener)> {
    let Listener { context, events, sent_revision } = &mut listener;
    let received = tokio::select! {
        () = context.stop.cancelled() => return None,
        () = tokio::time::sleep(STATUS_INTERVAL) => Ok(AgentEvent::Status),
        received = events.recv() => received,
    };
    let sent = match received {
        Ok(AgentEvent::Status) => vec![status_event(context)],
        Ok(AgentEvent::Tunnels) => vec![tunnels_event(context)],
        Ok(AgentEvent::Request(exchange)) => {
            *sent_revision = exchange.revision().max(*sent_revision);
            vec![request_event(&context.store, &exchange)]
        }
        Ok(AgentEvent::RequestDeleted(id, revision)) => {
            *sent_revision = revision.max(*sent_revision);
            vec![deleted_event(&context.store, id, revision)]
        }
        Ok(AgentEvent::RequestsDeleted) => {
            *sent_revision = context.store.cleared().max(*sent_revision);
            vec![all_deleted_event(&context.store)]
        }
        Err(RecvError::Lagged(_)) => resync_events(context, sent_revision),
        Err(RecvError::Closed) => return None,
    };
    Some((sent, listener))
}

/// Events for a listener that fell behind: the state, the deletions, the newest requests, and the id from which it has to
/// list the others itself, because it may have missed any number of them.
fn resync_events(context: &AgentContext, sent_revision: &mut u64) -> Vec<Event> {
    let store = &context.store;
    let since = sent_revision.saturating_sub(REVISION_OVERLAP);
    let deleted = store.deleted_after(since).filter(|_| store.cleared() <= *sent_revision);
    let starts_afresh = deleted.is_none();
    let deleted: Vec<Event> = match deleted {
        Some(deleted) => deleted.into_iter().map(|(revision, id)| deleted_event(store, id, revision)).collect(),
        None => vec![all_deleted_event(store)],
    };
    let changed = changed_exchanges(store, since);
    let newest = changed.iter().map(|exchange| exchange.revision());
    *sent_revision = newest.fold(store.cleared().max(*sent_revision), u64::max);
    // The exchange before the oldest changed one; `None` if everything may have changed.
    let oldest = changed.last().filter(|_| !starts_afresh);
    let since = oldest.and_then(|oldest| store.page(oldest.id(), 1).first().map(|before| shown_id(before.id())));
    let missed = event("requests_missed", &RequestsMissed { since });
    state_events(context).into_iter().chain(deleted).chain([missed]).chain(newest_events(store)).collect()
}

fn event(kind: &str, data: &impl Serialize) -> Event {
    Event::default().event(kind).data(serde_json::to_string(data).expect("plain data is JSON"))
}
