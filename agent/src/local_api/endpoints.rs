//! Running tunnels in the words of version 3 of the configuration: an endpoint has a public URL and an upstream.

use super::{ApiError, json, no_content, tunnels};
use crate::{config::Definition, context::AgentContext};
use axum::{
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use postern_api::local::EndpointList;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    json::ok(&EndpointList { endpoints: context.tunnels.endpoints(), uri: "/api/endpoints".to_owned() })
}

pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    context.tunnels.endpoint(&name).map(|endpoint| json::ok(&endpoint)).ok_or_else(|| tunnels::unknown(&name))
}

/// Starts an endpoint and waits for the server's response.
pub(super) async fn start(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let definition = read(&json::object(body).await?)?;
    let name = definition.name.clone();
    tunnels::publish(&context, Arc::new(definition)).await?;
    context
        .tunnels
        .endpoint(&name)
        .map(|endpoint| json::response(StatusCode::CREATED, &endpoint))
        .ok_or_else(|| tunnels::unknown(&name))
}

/// Replaces a published endpoint. If the server refuses the new one, the former one is started again.
pub(super) async fn replace(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut body = json::object(body).await?;
    // The name in the path is the one that counts.
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
    let stopped = context.tunnels.endpoint(&name).is_some() && context.tunnels.stop_endpoint(&name);
    if stopped { Ok(no_content()) } else { Err(tunnels::unknown(&name)) }
}

fn read(body: &Map<String, Json>) -> Result<Definition, ApiError> {
    Definition::from_endpoint(body).map_err(|problems| problems.to_error().into())
}
