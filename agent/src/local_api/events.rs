//! The live feed: what changes, as server-sent events. Who comes back with the last id gets what was missed.

use super::{ApiError, configured, status};
use crate::{
    capture::{CaptureStore, Exchange, Happening, exchange::shown_id},
    context::AgentContext,
};
use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::{Stream, StreamExt, stream};
use postern_api::{Code, Error};
use serde::Serialize;
use serde_json::json;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// What changes without anybody saying so (latency, memory in use) is sent this often.
const PULSE: Duration = Duration::from_secs(10);
/// A listener that lagged behind is sent so many of the newest requests again.
const CATCH_UP: usize = 100;
/// Who comes back is sent at most so many requests that changed meanwhile, the newest of them.
const MOST_MISSED: usize = 1000;
/// Changes that happen at the same time may be told in another order than they are counted in.
const OVERLAP: u64 = 64;

pub(super) async fn follow(
    State(context): State<Arc<AgentContext>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let since = since(&headers, query.as_deref().unwrap_or_default())?;
    let feed = context.feed.subscribe();
    let mut first = vec![event("status", &status::body(&context)), event("tunnels", &configured::body(&context))];
    if let Some(since) = since {
        first.extend(missed(&context.store, since));
    }
    let listener = Listener { context, feed, told: 0 };
    let later = stream::unfold(listener, next).map(stream::iter).flatten();
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(stream::iter(first).chain(later).map(Ok)).keep_alive(keep_alive))
}

/// The last id the listener has seen: of which run of the agent, and how far.
fn since(headers: &HeaderMap, query: &str) -> Result<Option<(u32, u64)>, ApiError> {
    let parsed = |text: &str| {
        let (run, revision) = text.split_once('-')?;
        Some((u32::from_str_radix(run, 16).ok()?, revision.parse().ok()?))
    };
    let mut since = headers.get("last-event-id").and_then(|value| value.to_str().ok()).and_then(parsed);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let shown: String = name.chars().take(40).collect();
        if name != "since" {
            return Err(Error::new(Code::QueryUnknown, format!("There is no parameter `{shown}` here.")).into());
        }
        let Some(given) = parsed(&value) else {
            return Err(Error::new(Code::QueryInvalid, "`since` must be the `id:` of an event of this feed.").into());
        };
        // A browser that comes back by itself repeats the address it was opened with; what it says beside it is newer.
        since = since.or(Some(given));
    }
    Ok(since)
}

/// Requests that changed or were deleted after a listener went away, oldest change first.
fn missed(store: &CaptureStore, (run, revision): (u32, u64)) -> Vec<Event> {
    let since = revision.saturating_sub(OVERLAP);
    let gone = store.deleted_after(since).filter(|_| run == store.run() && revision >= store.cleared());
    let Some(gone) = gone else {
        let again = newest(store).into_iter();
        return [deleted(store)].into_iter().chain(again).collect();
    };
    let mut changed = changed(store, since);
    changed.sort_by_key(|exchange| exchange.revision());
    let surplus = changed.len().saturating_sub(MOST_MISSED);
    let changed = changed.iter().skip(surplus).map(|exchange| (exchange.revision(), request(store, exchange)));
    let gone = gone.into_iter().map(|(revision, id)| (revision, one_deleted(store, id, revision)));
    let mut told: Vec<(u64, Event)> = changed.chain(gone).collect();
    told.sort_by_key(|(revision, _)| *revision);
    told.into_iter().map(|(_, event)| event).collect()
}

/// Everything that has changed since, newest first.
fn changed(store: &CaptureStore, since: u64) -> Vec<Arc<Exchange>> {
    let mut changed = Vec::new();
    let mut before = u64::MAX;
    loop {
        let page = store.page(before, 2048);
        let Some(last) = page.last() else { return changed };
        before = last.id();
        changed.extend(page.into_iter().filter(|exchange| exchange.revision() > since));
    }
}

fn newest(store: &CaptureStore) -> Vec<Event> {
    store.page(u64::MAX, CATCH_UP).iter().rev().map(|exchange| request(store, exchange)).collect()
}

fn request(store: &CaptureStore, exchange: &Exchange) -> Event {
    event("request", &exchange.summary()).id(format!("{:08x}-{}", store.run(), exchange.revision()))
}

fn one_deleted(store: &CaptureStore, id: u64, revision: u64) -> Event {
    event("request_deleted", &json!({"id": shown_id(id)})).id(format!("{:08x}-{revision}", store.run()))
}

fn deleted(store: &CaptureStore) -> Event {
    event("requests_deleted", &json!({})).id(format!("{:08x}-{}", store.run(), store.cleared()))
}

/// Somebody who listens, and up to which change of the store everything was told.
struct Listener {
    context: Arc<AgentContext>,
    feed: Receiver<Happening>,
    told: u64,
}

async fn next(mut listener: Listener) -> Option<(Vec<Event>, Listener)> {
    let Listener { context, feed, told } = &mut listener;
    let received = tokio::select! {
        () = context.stop.cancelled() => return None,
        () = tokio::time::sleep(PULSE) => Ok(Happening::Status),
        received = feed.recv() => received,
    };
    let events = match received {
        Ok(Happening::Status) => vec![event("status", &status::body(context))],
        Ok(Happening::Tunnels) => vec![event("tunnels", &configured::body(context))],
        Ok(Happening::Request(exchange)) => {
            *told = exchange.revision().max(*told);
            vec![request(&context.store, &exchange)]
        }
        Ok(Happening::RequestDeleted(id, revision)) => {
            *told = revision.max(*told);
            vec![one_deleted(&context.store, id, revision)]
        }
        Ok(Happening::RequestsDeleted) => {
            *told = context.store.cleared().max(*told);
            vec![deleted(&context.store)]
        }
        Err(RecvError::Lagged(_)) => afresh(context, told),
        Err(RecvError::Closed) => return None,
    };
    Some((events, listener))
}

/// Everything a listener needs after it missed something: the state, what was deleted, the newest requests, and from
/// where on it must look for itself, since it may have missed any number of them.
fn afresh(context: &AgentContext, told: &mut u64) -> Vec<Event> {
    let state = [event("status", &status::body(context)), event("tunnels", &configured::body(context))];
    let since = told.saturating_sub(OVERLAP);
    let gone = context.store.deleted_after(since).filter(|_| context.store.cleared() <= *told);
    let begins_anew = gone.is_none();
    let gone: Vec<Event> = match gone {
        Some(gone) => gone.into_iter().map(|(revision, id)| one_deleted(&context.store, id, revision)).collect(),
        None => vec![deleted(&context.store)],
    };
    let missed = changed(&context.store, since);
    *told = missed.iter().map(|exchange| exchange.revision()).fold(context.store.cleared().max(*told), u64::max);
    // The one before the oldest that has changed; nothing where everything has.
    let oldest = missed.last().filter(|_| !begins_anew);
    let since = oldest.and_then(|oldest| context.store.page(oldest.id(), 1).first().map(|one| shown_id(one.id())));
    let missed = event("requests_missed", &json!({ "since": since }));
    state.into_iter().chain(gone).chain([missed]).chain(newest(&context.store)).collect()
}

fn event(kind: &str, data: &impl Serialize) -> Event {
    Event::default().event(kind).data(serde_json::to_string(data).expect("plain data is JSON"))
}
