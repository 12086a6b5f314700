//! Published tunnels in the words of version 3: an endpoint has a public URL and an upstream.

use super::{ApiError, no_content, tunnels, wire};
use crate::{config::Definition, context::AgentContext};
use axum::{
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    wire::ok(&json!({"endpoints": context.tunnels.endpoints(), "uri": "/api/endpoints"}))
}

pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    context.tunnels.endpoint(&name).map(|endpoint| wire::ok(&endpoint)).ok_or_else(|| tunnels::unknown(&name))
}

/// Starts an endpoint and waits for the server's answer, as tunnels are started.
pub(super) async fn start(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let definition = read(&wire::object(body).await?)?;
    let name = definition.name.clone();
    tunnels::publish(&context, Arc::new(definition)).await?;
    context
        .tunnels
        .endpoint(&name)
        .map(|endpoint| wire::answer(StatusCode::CREATED, &endpoint))
        .ok_or_else(|| tunnels::unknown(&name))
}

/// Puts another endpoint in the place of one that is published. If the server refuses it, the former one comes back.
pub(super) async fn replace(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut body = wire::object(body).await?;
    // The name in the address is the one that counts.
    body.insert("name".to_owned(), name.clone().into());
    let definition = read(&body)?;
    let former = context.tunnels.endpoint(&name).and_then(|_| context.tunnels.definition(&name));
    let former = former.ok_or_else(|| tunnels::unknown(&name))?;
    context.tunnels.stop(&name);
    if let Err(error) = tunnels::publish(&context, Arc::new(definition)).await {
        context.tunnels.start(former).await?;
        return Err(error);
    }
    detail(State(context), Path(name)).await
}

pub(super) async fn stop(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let there = context.tunnels.endpoint(&name).is_some() && context.tunnels.stop_endpoint(&name);
    if there { Ok(no_content()) } else { Err(tunnels::unknown(&name)) }
}

fn read(body: &Map<String, Json>) -> Result<Definition, ApiError> {
    Definition::from_endpoint(body).map_err(|problems| problems.to_error().into())
}
