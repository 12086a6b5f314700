//! All tunnels there are, running or not, and the configuration file behind them.

use super::{ApiError, no_content, wire};
use crate::{context::AgentContext, tunnels::edge_client::EdgeClient};
use axum::{
    body::Body,
    extract::{Path, State},
    response::Response,
};
use postern_api::{Code, Error};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The body of the list, also sent on the live feed.
pub(super) fn body(context: &AgentContext) -> Json {
    json!({"tunnels": context.tunnels.configured(), "uri": "/api/configured"})
}

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    wire::ok(&body(&context))
}

pub(super) async fn save(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut definition = wire::object(body).await?;
    // Convenient for callers that send what they read; the name in the address is the one that counts.
    definition.shift_remove("name");
    context.save_tunnel(&name, &definition).await?;
    item(&context, &name)
}

pub(super) async fn remove(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    context.remove_tunnel(&name).await?;
    Ok(no_content())
}

/// Starts without waiting for the server: without a session the tunnel is `starting` and comes up with it.
pub(super) async fn start(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    wire::nothing_else(&wire::object(body).await?)?;
    context.tunnels.start_saved(&name).await?;
    item(&context, &name)
}

pub(super) async fn stop(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    wire::nothing_else(&wire::object(body).await?)?;
    let before = context.tunnels.configured_one(&name).ok_or_else(|| unknown(&name))?;
    context.tunnels.stop(&name);
    match item(&context, &name) {
        Ok(response) => Ok(response),
        // One that was never saved is gone now; this is the last that can be said of it.
        Err(_) => {
            let mut gone = before;
            gone["state"] = "stopped".into();
            gone["public_url"] = Json::Null;
            gone["error"] = Json::Null;
            Ok(wire::ok(&gone))
        }
    }
}

/// Sends one request as a visitor would, so that somebody sees a first one come through.
pub(super) async fn sample(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    wire::nothing_else(&wire::object(body).await?)?;
    let status = context.tunnels.sample(&name, &EdgeClient::new(&context.config().settings)).await?;
    Ok(wire::ok(&json!({ "status_code": status })))
}

fn item(context: &AgentContext, name: &str) -> Result<Response, ApiError> {
    context.tunnels.configured_one(name).map(|item| wire::ok(&item)).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> ApiError {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::TunnelUnknown, format!("There is no tunnel named `{shown}`.")).into()
}
