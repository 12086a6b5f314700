//! The contract's operations on captured requests, and the short list.

use super::{ApiError, no_content, wire};
use crate::{
    agent::Core,
    capture::{Exchange, Selection, store::parse_id, view},
};
use axum::{
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::header,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};
use serde_json::json;
use std::{convert::Infallible, sync::Arc};

const DEFAULT_LIMIT: usize = 50;
/// More than this is never listed at once.
const MAX_LIMIT: usize = 10_000;

pub(super) async fn list(State(core): State<Arc<Core>>, RawQuery(query): RawQuery) -> Result<Response, ApiError> {
    let selection = selection(query.as_deref().unwrap_or_default(), false)?;
    Ok(streamed(core.store.list(&selection)))
}

pub(super) async fn summaries(State(core): State<Arc<Core>>, RawQuery(query): RawQuery) -> Result<Response, ApiError> {
    let selection = selection(query.as_deref().unwrap_or_default(), true)?;
    let requests: Vec<_> = core.store.list(&selection).iter().map(|exchange| exchange.summary()).collect();
    Ok(wire::ok(&json!({"requests": requests})))
}

pub(super) async fn detail(State(core): State<Arc<Core>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    match core.store.get(&id) {
        Some(exchange) => Ok(wire::ok(&view::detail(&exchange))),
        None => {
            let shown: String = id.chars().take(40).collect();
            Err(Error::new(Code::CapturedUnknown, format!("There is no captured request `{shown}`.")).into())
        }
    }
}

pub(super) async fn replay(State(core): State<Arc<Core>>, body: Body) -> Result<Response, ApiError> {
    let mut body = wire::object(body).await?;
    let Some(id) = wire::text(&mut body, "id")? else {
        return Err(Error::new(Code::FieldMissing, "`id` is missing: name the captured request to replay.").into());
    };
    let tunnel = wire::text(&mut body, "tunnel_name")?.filter(|name| !name.is_empty());
    wire::nothing_else(&body)?;
    core.tunnels.replay(&id, tunnel.as_deref()).await?;
    Ok(no_content())
}

pub(super) async fn clear(State(core): State<Arc<Core>>) -> Response {
    core.store.clear();
    no_content()
}

/// One captured request after the other is turned into text while the answer is sent: all of them together with
/// their bodies would take a multiple of the store's own memory.
fn streamed(exchanges: Vec<Arc<Exchange>>) -> Response {
    let begin = [r#"{"uri":"/api/requests/http","requests":["#.to_owned()];
    let items = exchanges.into_iter().enumerate().map(|(index, exchange)| {
        let comma = if index > 0 { "," } else { "" };
        format!("{comma}{}", view::detail(&exchange))
    });
    let pieces = begin.into_iter().chain(items).chain(["]}".to_owned()]);
    let stream = futures::stream::iter(pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(stream)).into_response()
}

fn selection(query: &str, short: bool) -> Result<Selection, ApiError> {
    let wrong = |code: Code, message: String| Err(ApiError::from(Error::new(code, message)));
    let mut selection = Selection { limit: DEFAULT_LIMIT, ..Selection::default() };
    let mut seen = Vec::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if seen.contains(&name) {
            return wrong(Code::QueryRepeated, format!("The parameter `{name}` stands twice in the query."));
        }
        match name.as_ref() {
            "limit" => match value.parse::<usize>() {
                Ok(limit) => selection.limit = limit.min(MAX_LIMIT),
                Err(_) => return wrong(Code::QueryInvalid, "`limit` must be a whole number.".into()),
            },
            "tunnel_name" => selection.tunnel = Some(value.into_owned()).filter(|name| !name.is_empty()),
            "before" if short => match parse_id(&value) {
                Some(id) => selection.before = Some(id),
                None => return wrong(Code::QueryInvalid, "`before` must be the id of a captured request.".into()),
            },
            _ => {
                let shown: String = name.chars().take(40).collect();
                return wrong(Code::QueryUnknown, format!("There is no parameter `{shown}` here."));
            }
        }
        seen.push(name);
    }
    Ok(selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_checked() {
        let read = selection("limit=3&tunnel_name=command_line+(http)", false).expect("valid");
        assert_eq!((read.limit, read.tunnel.as_deref()), (3, Some("command_line (http)")));
        assert_eq!(selection("", false).expect("valid").limit, DEFAULT_LIMIT);
        for wrong in ["limit=x", "limit=-1", "limit=1&limit=2", "other=1", "before=1"] {
            assert!(selection(wrong, false).is_err(), "{wrong}");
        }
        assert!(selection("before=0000000100000002", true).is_ok());
    }
}
