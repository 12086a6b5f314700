//! The live feed: what changes, as server-sent events.

use super::{configured, status};
use crate::{
    agent::Core,
    capture::{Happening, Selection},
};
use axum::{
    extract::State,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::{Stream, StreamExt, stream};
use serde_json::{Value as Json, json};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// What changes without anybody saying so (latency, memory in use) is sent this often.
const PULSE: Duration = Duration::from_secs(10);
/// A listener that lagged behind is sent so many of the newest requests again.
const CATCH_UP: usize = 100;

pub(super) async fn follow(State(core): State<Arc<Core>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let feed = core.feed.subscribe();
    let first = stream::iter([event("status", &status::body(&core)), event("tunnels", &configured::body(&core))]);
    let later = stream::unfold((core, feed), next).map(stream::iter).flatten();
    Sse::new(first.chain(later).map(Ok)).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

async fn next(
    (core, mut feed): (Arc<Core>, Receiver<Happening>),
) -> Option<(Vec<Event>, (Arc<Core>, Receiver<Happening>))> {
    let received = tokio::select! {
        () = core.stop.cancelled() => return None,
        () = tokio::time::sleep(PULSE) => Ok(Happening::Status),
        received = feed.recv() => received,
    };
    let events = match received {
        Ok(Happening::Status) => vec![event("status", &status::body(&core))],
        Ok(Happening::Tunnels) => vec![event("tunnels", &configured::body(&core))],
        Ok(Happening::Request(exchange)) => vec![event("request", &exchange.summary())],
        Ok(Happening::RequestsDeleted) => vec![event("requests_deleted", &json!({}))],
        Err(RecvError::Lagged(_)) => afresh(&core),
        Err(RecvError::Closed) => return None,
    };
    Some((events, (core, feed)))
}

/// Everything a listener needs after it missed something.
fn afresh(core: &Core) -> Vec<Event> {
    let mut newest = core.store.list(&Selection { limit: CATCH_UP, ..Selection::default() });
    newest.reverse();
    let state = [event("status", &status::body(core)), event("tunnels", &configured::body(core))];
    state.into_iter().chain(newest.iter().map(|exchange| event("request", &exchange.summary()))).collect()
}

fn event(kind: &str, data: &Json) -> Event {
    Event::default().event(kind).data(data.to_string())
}
