//! The contract's operations on captured requests, and the short list.

pub(super) mod body;
pub(super) mod export;
pub(super) mod frames;
pub(super) mod marks;
mod query;
pub(super) mod replay;

use super::{ApiError, no_content, wire};
use crate::{
    capture::{
        Exchange, Page, Selection, Summary,
        view::{self, Raw},
    },
    context::AgentContext,
};
use axum::{
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::header,
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};
use serde::Serialize;
use serde_json::json;
use std::{convert::Infallible, sync::Arc};

pub(super) async fn list(
    State(context): State<Arc<AgentContext>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let page = found(&context, query::selection(query.as_deref().unwrap_or_default())?).await?;
    Ok(streamed(page))
}

#[derive(Serialize)]
struct ShortList<'a> {
    requests: Vec<Summary<'a>>,
    next: Option<&'a str>,
    cut: bool,
}

pub(super) async fn summaries(
    State(context): State<Arc<AgentContext>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let page = found(&context, query::selection(query.as_deref().unwrap_or_default())?).await?;
    let requests = page.found.iter().map(|exchange| exchange.summary()).collect();
    Ok(wire::ok(&ShortList { requests, next: page.next.as_deref(), cut: page.cut }))
}

/// Looks where nothing else waits for it.
pub(super) async fn found(context: &Arc<AgentContext>, selection: Selection) -> Result<Page, ApiError> {
    let store = context.store.clone();
    let looking = tokio::task::spawn_blocking(move || selection.find(&store));
    looking.await.map_err(|_| Error::new(Code::Internal, "The search was broken off.").into())
}

pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let raw = match query.as_deref().unwrap_or_default() {
        "" | "raw=whole" => Raw::Whole,
        "raw=head" => Raw::Head,
        _ => {
            let message = "The query can be `raw=head` (the head alone; bodies are read by range) or `raw=whole`.";
            return Err(Error::new(Code::QueryInvalid, message).into());
        }
    };
    Ok(wire::ok(&view::detail(&*one(&context, &id)?, raw)))
}

/// The captured request with this id.
fn one(context: &AgentContext, id: &str) -> Result<Arc<Exchange>, ApiError> {
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

/// One captured request after the other is turned into text while the answer is sent: all of them together with
/// their bodies would take a multiple of the store's own memory.
fn streamed(page: Page) -> Response {
    let begin = [r#"{"uri":"/api/requests/http","requests":["#.to_owned()];
    let end = format!("],\"next\":{},\"cut\":{}}}", json!(page.next), page.cut);
    let items = page.found.into_iter().enumerate().map(|(index, exchange)| {
        let comma = if index > 0 { "," } else { "" };
        format!("{comma}{}", view::detail(&exchange, Raw::Whole))
    });
    let pieces = begin.into_iter().chain(items).chain([end]);
    let stream = futures::stream::iter(pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(stream)).into_response()
}
