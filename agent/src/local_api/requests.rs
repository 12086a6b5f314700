//! Captured requests: lists, details, and everything that is done with them.

pub(super) mod annotations;
pub(super) mod body;
pub(super) mod export;
pub(super) mod frames;
mod query;
pub(super) mod replay;

use super::{ApiError, json, no_content};
use crate::{
    capture::{
        Exchange, ExchangePage, ExchangeQuery,
        view::{self, RawPart},
    },
    context::AgentContext,
};
use axum::{
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::header,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error, local::SummaryList};
use std::{convert::Infallible, sync::Arc};

pub(super) async fn list(
    State(context): State<Arc<AgentContext>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let page = search(&context, query::parse(query.as_deref().unwrap_or_default())?).await?;
    Ok(streamed(page))
}

pub(super) async fn summaries(
    State(context): State<Arc<AgentContext>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let page = search(&context, query::parse(query.as_deref().unwrap_or_default())?).await?;
    let requests = page.found.iter().map(|exchange| exchange.summary()).collect();
    Ok(json::ok(&SummaryList { requests, next: page.next.as_deref().map(Into::into), cut: page.cut }))
}

/// Runs a search on a thread where it may block.
pub(super) async fn search(context: &Arc<AgentContext>, query: ExchangeQuery) -> Result<ExchangePage, ApiError> {
    let store = context.store.clone();
    let searching = tokio::task::spawn_blocking(move || query.find(&store));
    searching.await.map_err(|_| Error::new(Code::Internal, "The search was interrupted.").into())
}

pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let raw = match query.as_deref().unwrap_or_default() {
        "" | "raw=whole" => RawPart::Whole,
        "raw=head" => RawPart::Head,
        _ => {
            let message = "The query can be `raw=head` (the head alone; bodies are read by range) or `raw=whole`.";
            return Err(Error::new(Code::QueryInvalid, message).into());
        }
    };
    Ok(json::ok(&view::detail(&*captured(&context, &id)?, raw)))
}

/// The captured request with this id.
fn captured(context: &AgentContext, id: &str) -> Result<Arc<Exchange>, ApiError> {
    context.store.get(id).ok_or_else(|| {
        let shown: String = id.chars().take(40).collect();
        let message = format!(
            "There is no captured request `{shown}`; it may have been deleted or have made room for newer ones."
        );
        Error::new(Code::CapturedUnknown, message).into()
    })
}

pub(super) async fn clear(State(context): State<Arc<AgentContext>>) -> Response {
    context.store.clear();
    no_content()
}

/// Writes a `RequestList` one request at a time while the response is sent: all of them with their bodies would take a
/// multiple of the store's memory.
fn streamed(page: ExchangePage) -> Response {
    let to_json = |value: &_| serde_json::to_string(value).expect("plain data is JSON");
    let begin = [r#"{"uri":"/api/requests/http","requests":["#.to_owned()];
    let next = page.next.map_or_else(|| "null".to_owned(), |id| format!("\"{id}\""));
    let end = format!("],\"next\":{next},\"cut\":{}}}", page.cut);
    let items = page.found.into_iter().enumerate().map(move |(index, exchange)| {
        let comma = if index > 0 { "," } else { "" };
        format!("{comma}{}", to_json(&view::detail(&exchange, RawPart::Whole)))
    });
    let pieces = begin.into_iter().chain(items).chain([end]);
    let stream = futures::stream::iter(pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(stream)).into_response()
}
